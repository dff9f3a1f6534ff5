import { type RefObject, useEffect, useRef } from 'react'
import { useSearchParams } from 'react-router'

/**
 * Somebody on a slow line types, or even sends, their email before the page's script has come. What was typed is taken
 * over; what was sent comes back in the address (the browser's own way of sending a form), is taken over and removed there.
 */
export function useEarlyEmail(take: (email: string, wasSent: boolean) => void): RefObject<HTMLInputElement | null> {
  const field = useRef<HTMLInputElement>(null)
  const isTaken = useRef(false)
  const [query, setQuery] = useSearchParams()
  useEffect(() => {
    if (isTaken.current) return
    isTaken.current = true
    const sent = query.get('email')
    const email = sent ?? field.current?.value
    if (email) take(email, sent !== null)
    if (sent === null) return
    const rest = new URLSearchParams(query)
    rest.delete('email')
    setQuery(rest, { replace: true })
  }, [take, query, setQuery])
  return field
}
