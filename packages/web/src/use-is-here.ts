import { useEffect, useRef } from 'react'

/** Tells whether the page is still there that waits for an answer: the person may have gone on to another one meanwhile. */
export function useIsHere(): () => boolean {
  const isHere = useRef(false)
  useEffect(() => {
    isHere.current = true
    return () => void (isHere.current = false)
  }, [])
  return () => isHere.current
}
