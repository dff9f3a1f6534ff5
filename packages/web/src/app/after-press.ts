import { useEffect, useRef } from 'react'

/**
 * Returns a function that runs an act once no pointer press is in progress: at once, or after the press and its click.
 * An element that moves while pressed receives no click, so a field that loses focus to a press must delay changes of
 * the page until then.
 */
export function useAfterPress(): (act: () => void) => void {
  const isPressed = useRef(false)
  useEffect(() => {
    const follow = ({ type, button }: MouseEvent) => {
      if (button === 0) isPressed.current = type === 'mousedown'
    }
    addEventListener('mousedown', follow, true)
    addEventListener('mouseup', follow, true)
    return () => {
      removeEventListener('mousedown', follow, true)
      removeEventListener('mouseup', follow, true)
    }
  }, [])
  return (act) => {
    if (!isPressed.current) return act()
    // The click follows in the same task.
    addEventListener('mouseup', () => setTimeout(act), { capture: true, once: true })
  }
}
