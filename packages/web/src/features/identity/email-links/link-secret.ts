import { useLayoutEffect, useRef } from 'react'
import { trimLinkValue } from '../../../app/browser/link-text.ts'

/**
 * What the address of a mailed link carries, in its query or behind '#'. It is taken out of the address at once, so that
 * it stays in no history, bookmark or screenshot; signs that a sentence or a mail program has added are cut off. `take` gets it once, however often effects run, and before the page
 * answers what somebody has pressed.
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
    // A link that is opened where its page is shown already changes only what stands behind '#'.
    const readAgain = () => {
      if (window.location.hash.length > 1) read()
    }
    if (!isTaken.current) read()
    isTaken.current = true
    addEventListener('hashchange', readAgain)
    return () => removeEventListener('hashchange', readAgain)
  }, [])
}
