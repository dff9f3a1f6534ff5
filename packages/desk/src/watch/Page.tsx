import type { ReactNode } from 'react'
import { useTitle } from '../app/use-desk.ts'

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

/** Table that scrolls sideways where it is wider than the page. */
export function ScrollArea({ label, children }: { label: string; children: ReactNode }) {
  return (
    // Focusable, so that the keyboard can scroll it.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
    <div className="relative overflow-x-auto" role="region" aria-label={label} tabIndex={0}>
      {children}
    </div>
  )
}
