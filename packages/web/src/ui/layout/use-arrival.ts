import { type RefObject, useEffect, useRef } from 'react'
import { useLocation } from 'react-router'

/** Events by which a person begins to move about on a page. */
const scrollEvents = ['wheel', 'touchstart', 'pointerdown', 'keydown'] as const

/**
 * Ref for the part of a page that links name as `#id`. Scrolls there once the part is shown: before, the page is
 * shorter, and browsers have given up. Content that loads above it does not push it away until the person moves about.
 * The part takes the focus, so it needs a `tabIndex`.
 */
export function useArrival<Part extends HTMLElement>(id: string | undefined, isShown = true): RefObject<Part | null> {
  const { hash } = useLocation()
  const part = useRef<Part>(null)
  useEffect(() => {
    if (!isShown || id === undefined || hash !== `#${id}`) return
    part.current?.focus({ preventScroll: true })
    const observer = new ResizeObserver(() => part.current?.scrollIntoView())
    observer.observe(document.body)
    const stop = () => observer.disconnect()
    for (const eventType of scrollEvents) addEventListener(eventType, stop)
    return () => {
      stop()
      for (const eventType of scrollEvents) removeEventListener(eventType, stop)
    }
  }, [id, isShown, hash])
  return part
}
