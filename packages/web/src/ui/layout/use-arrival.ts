import { type RefObject, useEffect, useRef } from 'react'
import { useLocation } from 'react-router'

/**
 * For the part of a page that links name as `#id`. Whoever comes by such a link is taken there once it is shown: before, the
 * page is shorter, and browsers have given up. The part takes the focus, so it needs a `tabIndex`.
 */
export function useArrival<Part extends HTMLElement>(id: string | undefined, isShown = true): RefObject<Part | null> {
  const { hash } = useLocation()
  const part = useRef<Part>(null)
  useEffect(() => {
    if (!isShown || id === undefined || hash !== `#${id}`) return
    part.current?.scrollIntoView()
    part.current?.focus({ preventScroll: true })
  }, [id, isShown, hash])
  return part
}
