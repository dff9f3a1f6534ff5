import { lazy, type ReactNode, Suspense } from 'react'
import type { IllustrationName } from '../maps/Illustration.tsx'

const Illustration = lazy(async () => ({ default: (await import('../maps/Illustration.tsx')).Illustration }))

interface EmptyStateProps {
  title: string
  text?: string | undefined
  illustration?: IllustrationName | undefined
  /** Button for the person's next action. */
  children?: ReactNode
}

/** Illustration, title and text in place of content, such as of an empty list. */
export function EmptyState({ title, text, illustration = 'empty', children }: EmptyStateProps) {
  return (
    <div className="empty">
      <div className="h-30">
        <Suspense>
          <Illustration name={illustration} />
        </Suspense>
      </div>
      <p className="display-s">{title}</p>
      {text && <p className="small muted">{text}</p>}
      {children}
    </div>
  )
}
