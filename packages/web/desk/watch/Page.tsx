import type { UseQueryResult } from '@tanstack/react-query'
import { desk } from '@tern/messages/en/desk/desk'
import type { ReactNode } from 'react'
import { Note } from '../../src/ui/feedback/Note.tsx'
import { Button } from '../../src/ui/forms/Button.tsx'
import { said, useTitle } from '../app/use-desk.ts'

/** A page beside the queues: a title, a sentence, and what is read. */
export function Page({ title, text, children }: { title: string; text?: string; children: ReactNode }) {
  useTitle(title)
  return (
    <main id="main" className="dk-page">
      <h1>{title}</h1>
      {text && <p className="muted">{text}</p>}
      {children}
    </main>
  )
}

/** What stands in for what is not there: that it is being read, or why it could not be. */
export function Reading({ query }: { query: Pick<UseQueryResult, 'isPending' | 'error' | 'refetch'> }) {
  if (query.error) {
    return (
      <div className="dk-problem">
        <Note tone="error">{said(query.error)}</Note>
        <Button onClick={() => void query.refetch()}>{desk.tryAgain}</Button>
      </div>
    )
  }
  return query.isPending ? <p>{desk.loading}</p> : null
}

/** A table that scrolls by itself where it is wider than the page. */
export function Scrolled({ label, children }: { label: string; children: ReactNode }) {
  return (
    // Scrolled by keyboard, too.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
    <div className="dk-scrolled" role="region" aria-label={label} tabIndex={0}>
      {children}
    </div>
  )
}
