import { useLayoutEffect, useRef } from 'react'
import { Link, useLocation } from 'react-router'

interface PageTabsProps {
  /** Name of the navigation for screen readers. */
  label: string
  /** Each tab is a page of its own. */
  tabs: readonly { readonly to: string; readonly text: string }[]
}

/** Tabs between related pages: one row, which scrolls sideways on phones to show the current tab. */
export function PageTabs({ label, tabs }: PageTabsProps) {
  // Pages are prerendered at addresses that end in a slash.
  const currentPath = useLocation().pathname.replace(/\/$/, '')
  const current = useRef<HTMLAnchorElement>(null)
  const row = useRef<HTMLElement>(null)
  // Scrolls the row only, not the page.
  useLayoutEffect(() => {
    if (!row.current || !current.current) return
    const { offsetLeft, offsetWidth } = current.current
    row.current.scrollLeft = offsetLeft + (offsetWidth - row.current.clientWidth) / 2
  }, [currentPath])
  return (
    <nav className="page-tabs" aria-label={label} ref={row}>
      {tabs.map(({ to, text }) => {
        const isCurrent = to === currentPath
        return (
          <Link key={to} to={to} ref={isCurrent ? current : null} aria-current={isCurrent ? 'page' : undefined}>
            {text}
          </Link>
        )
      })}
    </nav>
  )
}
