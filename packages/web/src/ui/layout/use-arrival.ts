import { type RefObject, useEffect, useRef } from 'react'
import { useLocation } from 'react-router'

/** Events by which a person takes over scrolling. */
const scrollEvents = ['wheel', 'touchstart', 'pointerdown', 'keydown'] as const

/**
 * Ref for the part of a page that `#id` links to. Scrolls to the part once it is shown, because browsers look for it
 * only when the page opens, and keeps it in place while content loads above it, until the person scrolls. The part
 * takes the focus, so it needs a `tabIndex`.
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
