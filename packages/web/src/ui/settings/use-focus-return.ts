import { type RefObject, useEffect, useRef } from 'react'

/** True if no control of the page has the focus: the body has it, or a dialog that is closing. */
const isFocusLost = (): boolean => {
  const holder = document.activeElement
  return holder === null || holder === document.body || holder.closest('[role="dialog"]') !== null
}

/** Ref for a button that is replaced by the form that it opens: it takes the focus again once the form is closed. */
export function useFocusReturn(isOpen: boolean): RefObject<HTMLButtonElement | null> {
  const button = useRef<HTMLButtonElement>(null)
  const wasOpen = useRef(false)
  useEffect(() => {
    if (wasOpen.current && !isOpen && isFocusLost()) button.current?.focus()
    wasOpen.current = isOpen
  }, [isOpen])
  return button
}
