import type { UseQueryResult } from '@tanstack/react-query'
import { desk } from '@tern/messages/en/desk/desk'
import type { ReactNode } from 'react'
import { Note } from '@tern/web/ui/feedback/Note.tsx'
import { Button } from '@tern/web/ui/forms/Button.tsx'
import { said, useTitle } from '../app/use-desk.ts'

/** Page outside the queues: title, introduction and content. */
export function Page({ title, text, children }: { title: string; text?: string; children: ReactNode }) {
  useTitle(title)
  return (
    <main id="main" className="dk-page">
      <h1 className="font-display text-[1.375rem]/7">{title}</h1>
      {text && <p className="muted">{text}</p>}
      {children}
    </main>
  )
}

interface ReadingProps {
  query: Pick<UseQueryResult, 'isPending' | 'error' | 'refetch'>
  skeleton?: ReactNode
}

/** Placeholder while loading, or the error with a retry button; nothing once data is there. */
export function Reading({ query, skeleton = <p>{desk.loading}</p> }: ReadingProps) {
  if (query.error) {
    return (
      <div className="grid justify-items-start gap-3 p-4">
        <Note tone="error">{said(query.error)}</Note>
        <Button onClick={() => void query.refetch()}>{desk.tryAgain}</Button>
      </div>
    )
  }
  return query.isPending ? skeleton : null
}

/** Table that scrolls sideways where it is wider than the page. */
export function Scrolled({ label, children }: { label: string; children: ReactNode }) {
  return (
    // Focusable, so that the keyboard can scroll it.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
    <div className="relative overflow-x-auto" role="region" aria-label={label} tabIndex={0}>
      {children}
    </div>
  )
}
