import { useEffect, useRef } from 'react'

/**
 * Returns a function that runs an action once no pointer press is in progress: at once, or after the press and its
 * click. An element that moves while pressed receives no click, so a field that loses focus to a press must delay
 * changes of the page until then.
 */
export function useAfterPress(): (action: () => void) => void {
  const isPressed = useRef(false)
  useEffect(() => {
    const trackPress = ({ type, button }: MouseEvent) => {
      if (button === 0) isPressed.current = type === 'mousedown'
    }
    addEventListener('mousedown', trackPress, true)
    addEventListener('mouseup', trackPress, true)
    return () => {
      removeEventListener('mousedown', trackPress, true)
      removeEventListener('mouseup', trackPress, true)
    }
  }, [])
  return (action) => {
    if (!isPressed.current) return action()
    // The click follows in the same task.
    addEventListener('mouseup', () => setTimeout(action), { capture: true, once: true })
  }
}
