import type { ReactNode } from 'react'
import { classNames } from '../icon/class-names.ts'
import { type Definition, DefinitionList } from '../layout/DefinitionList.tsx'

interface FigureProps {
  caption: ReactNode
  /** Formatted with its currency. */
  amount: string
  /** Dims the amount while the order is incomplete or impossible. */
  isFaint?: boolean | undefined
  className?: string | false
  entries?: readonly (Definition | false | undefined)[]
  children?: ReactNode
}

/** Main amount of a sheet, with its breakdown. */
export function Figure({ caption, amount, isFaint, className, entries, children }: FigureProps) {
  return (
    <div className="p-6">
      {typeof caption === 'string' ? <p className="small muted">{caption}</p> : caption}
      <p className={classNames('balance balance-small', isFaint && 'faint', className)} translate="no">
        {amount}
      </p>
      {entries && (
        <div className="mt-4">
          <DefinitionList small entries={entries} />
        </div>
      )}
      {children}
    </div>
  )
}
