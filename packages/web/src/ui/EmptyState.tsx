import type { ReactNode } from 'react'
import { Illustration, type IllustrationName } from './Illustration.tsx'

interface EmptyStateProps {
  title: string
  text?: string | undefined
  illustration?: IllustrationName | undefined
  /** What the person can do about it: one button. */
  children?: ReactNode
}

/** What a list shows when there is nothing in it yet. */
export function EmptyState({ title, text, illustration = 'empty', children }: EmptyStateProps) {
  return (
    <div className="empty">
      <Illustration name={illustration} />
      <p className="display-s">{title}</p>
      {text && <p className="small muted">{text}</p>}
      {children}
    </div>
  )
}
