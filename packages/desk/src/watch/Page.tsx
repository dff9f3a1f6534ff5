import type { ReactNode } from 'react'
import { useTitle } from '../app/use-desk.ts'

/** Layout of the pages other than queues: title, introduction and content. */
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

/** Region that scrolls horizontally if its table is wider than the page. */
export function ScrollArea({ label, children }: { label: string; children: ReactNode }) {
  return (
    // Focusable, so that the region can be scrolled by keyboard.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
    <div className="relative overflow-x-auto" role="region" aria-label={label} tabIndex={0}>
      {children}
    </div>
  )
}
