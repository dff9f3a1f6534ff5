import type { ReactNode } from 'react'
import { classNames } from '../icon/class-names.ts'

interface NamedItemProps {
  name: ReactNode
  /** Further facts, in a line below. */
  details?: ReactNode
  className?: string
}

/** Name with details in a line below, for a row of a list. */
export function NamedItem({ name, details, className }: NamedItemProps) {
  return (
    <span className={classNames('block min-w-0 grow', className)}>
      <span className="block font-medium leading-5 wrap-anywhere">{name}</span>
      {details && <span className="small muted block wrap-anywhere">{details}</span>}
    </span>
  )
}
