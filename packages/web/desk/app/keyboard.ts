import { useEffect, useEffectEvent } from 'react'

const storedAs = 'tern.desk.letters'

/** Whether letters act as keys in this browser; on by default. */
export const lettersAreOn = (): boolean => localStorage.getItem(storedAs) !== 'off'
export const setLetters = (isOn: boolean): void => localStorage.setItem(storedAs, isOn ? 'on' : 'off')

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && target.matches('input:not([type="radio"], [type="checkbox"]), textarea, select')

const sequenceMs = 1500
let prefix: { readonly stamp: number; readonly at: number } | undefined

/**
 * Runs `act` for a key pressed outside fields: `j`, `?` or after G `g v`. It says whether the key was one of its own. Keys with Ctrl,
 * Alt or the command key are the browser's.
 */
export function useKeys(act: (key: string) => boolean): void {
  const onKey = useEffectEvent((event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return
    if (isTyping(event.target) || document.querySelector('dialog[open]')) return
    if (event.key.length === 1 && !lettersAreOn()) return
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key
    // Several listen to one press.
    const isSecond = prefix !== undefined && prefix.stamp !== event.timeStamp && Date.now() - prefix.at < sequenceMs
    if (key === 'g' && !isSecond) {
      prefix = { stamp: event.timeStamp, at: Date.now() }
      return
    }
    if (act(isSecond ? `g ${key}` : key)) event.preventDefault()
  })
  useEffect(() => {
    const listener = (event: KeyboardEvent) => onKey(event)
    // Whoever heard the second letter of a sequence, it is over for all.
    const forget = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== 'g') prefix = undefined
    }
    window.addEventListener('keydown', listener)
    window.addEventListener('keyup', forget)
    return () => {
      window.removeEventListener('keydown', listener)
      window.removeEventListener('keyup', forget)
    }
  }, [])
}
