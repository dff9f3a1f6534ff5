import { type RefObject, useEffect, useRef } from 'react'

/** True if no control on the page holds the focus: it fell to the page itself, or is in a dialog that is closing. */
const isFocusLost = (): boolean => {
  const holder = document.activeElement
  return holder === null || holder === document.body || holder.closest('[role="dialog"]') !== null
}

/** Ref for a button that opened a form in its own place: it takes the focus again once the form is gone. */
export function useFocusReturn(isOpen: boolean): RefObject<HTMLButtonElement | null> {
  const button = useRef<HTMLButtonElement>(null)
  const wasOpen = useRef(false)
  useEffect(() => {
    if (wasOpen.current && !isOpen && isFocusLost()) button.current?.focus()
    wasOpen.current = isOpen
  }, [isOpen])
  return button
}
