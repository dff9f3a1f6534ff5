import { type RefObject, useLayoutEffect, useRef } from 'react'

/**
 * Somebody on a slow line types their email before the page's script has come. What was typed is taken over, before the
 * page answers what they have pressed.
 */
export function useEarlyEmail(take: (email: string) => void): RefObject<HTMLInputElement | null> {
  const field = useRef<HTMLInputElement>(null)
  const isTaken = useRef(false)
  useLayoutEffect(() => {
    if (isTaken.current) return
    isTaken.current = true
    if (field.current?.value) take(field.current.value)
  }, [take])
  return field
}
