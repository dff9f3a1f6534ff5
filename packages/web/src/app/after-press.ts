import { useEffect, useRef } from 'react'

/**
 * Gives a way to do something as soon as nothing is being pressed: at once, or when the press under way has ended and been
 * answered. What moves while it is pressed is not pressed at all, so a field that is left by pressing something may change
 * the page only then.
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
    // The click comes right after, in the same task.
    addEventListener('mouseup', () => setTimeout(act), { capture: true, once: true })
  }
}
