import { useLayoutEffect, useRef } from 'react'
import { trimLinkValue } from '../../../app/browser/link-text.ts'

/**
 * Reads the secret of a mailed link from the query or the fragment. Removes it from the address at once, so that it
 * stays out of history, bookmarks and screenshots, and strips punctuation that a sentence or mail client appended.
 * Calls `take` once, however often effects run, and before clicks made before hydration are replayed.
 */
export function useLinkSecret(take: (carried: URLSearchParams) => void | Promise<void>): void {
  const isTaken = useRef(false)
  const latest = useRef(take)
  useLayoutEffect(() => {
    latest.current = take
  })
  useLayoutEffect(() => {
    const read = () => {
      const { search, hash, pathname } = window.location
      const carried = new URLSearchParams()
      for (const text of [search, hash.slice(1)])
        for (const [name, value] of new URLSearchParams(text)) carried.set(name, trimLinkValue(value))
      history.replaceState(history.state, '', pathname)
      void latest.current(carried)
    }
    // Opening a link to the page already shown changes only the fragment.
    const readAgain = () => {
      if (window.location.hash.length > 1) read()
    }
    if (!isTaken.current) read()
    isTaken.current = true
    addEventListener('hashchange', readAgain)
    return () => removeEventListener('hashchange', readAgain)
  }, [])
}
