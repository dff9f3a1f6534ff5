import { useLayoutEffect, useRef } from 'react'
import { trimLinkValue } from '../../../app/browser/link-text.ts'

/**
 * Reads the secret of a mailed link from the query or the fragment. Removes it from the address at once, so that it
 * stays out of history, bookmarks and screenshots, and strips punctuation that a sentence or mail client appended.
 * Calls `handleSecret` once per link, however often effects run, and before clicks made before hydration are replayed.
 */
export function useLinkSecret(handleSecret: (query: URLSearchParams) => void | Promise<void>): void {
  const isRead = useRef(false)
  const handlerRef = useRef(handleSecret)
  useLayoutEffect(() => {
    handlerRef.current = handleSecret
  })
  useLayoutEffect(() => {
    const readSecret = () => {
      const { search, hash, pathname } = window.location
      const query = new URLSearchParams()
      for (const text of [search, hash.slice(1)])
        for (const [name, value] of new URLSearchParams(text)) query.set(name, trimLinkValue(value))
      history.replaceState(history.state, '', pathname)
      void handlerRef.current(query)
    }
    // Opening a link to the page already shown changes only the fragment.
    const readNewSecret = () => {
      if (window.location.hash.length > 1) readSecret()
    }
    if (!isRead.current) readSecret()
    isRead.current = true
    addEventListener('hashchange', readNewSecret)
    return () => removeEventListener('hashchange', readNewSecret)
  }, [])
}
