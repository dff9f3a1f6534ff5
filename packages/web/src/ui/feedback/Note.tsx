import type { ReactNode } from 'react'
import { classNames } from '../icon/class-names.ts'
import { Icon } from '../icon/Icon.tsx'

interface NoteProps {
  tone?: 'info' | 'warning' | 'error' | undefined
  /** Announced as soon as it appears; errors always are. */
  live?: boolean | undefined
  children: ReactNode
}

/** Important sentence: information, a warning, or an error of a whole form or page. */
export function Note({ tone = 'info', live, children }: NoteProps) {
  const role = tone === 'error' ? 'alert' : live ? 'status' : undefined
  return (
    <div className={classNames('note small', tone !== 'info' && `note-${tone}`)} role={role}>
      <Icon name={tone === 'info' ? 'info' : 'warning'} />
      <div>{children}</div>
    </div>
  )
}
