import { type RefObject, useEffect, useRef } from 'react'

/** True if no control of the page has the focus: the body has it, or a dialog that is closing. */
const isFocusLost = (): boolean => {
  const holder = document.activeElement
  return holder === null || holder === document.body || holder.closest('[role="dialog"]') !== null
}

/** Ref for a button that opens a form: takes the focus once the form is closed, unless another control has it. */
export function useFocusReturn(isOpen: boolean): RefObject<HTMLButtonElement | null> {
  const button = useRef<HTMLButtonElement>(null)
  const wasOpen = useRef(false)
  useEffect(() => {
    if (wasOpen.current && !isOpen && isFocusLost()) button.current?.focus()
    wasOpen.current = isOpen
  }, [isOpen])
  return button
}
