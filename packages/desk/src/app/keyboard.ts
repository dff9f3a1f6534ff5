import { useEffect, useEffectEvent } from 'react'

const storageKey = 'tern.desk.letters'

/** Whether letter keys are enabled in this browser; on by default. */
export const areLettersOn = (): boolean => localStorage.getItem(storageKey) !== 'off'
export const setLetters = (isOn: boolean): void => localStorage.setItem(storageKey, isOn ? 'on' : 'off')

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && target.matches('input:not([type="radio"], [type="checkbox"]), textarea, select')

const sequenceMs = 1500
let prefix: { readonly stamp: number; readonly at: number } | undefined

/**
 * Runs `handleKey` for a key pressed outside fields and dialogs: `j`, `?`, or `g v` for G then V. `handleKey` returns
 * whether it handled the key. Combinations with Ctrl, Alt or Meta are left to the browser.
 */
export function useKeys(handleKey: (key: string) => boolean): void {
  const onKey = useEffectEvent((event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return
    if (isTyping(event.target) || document.querySelector('dialog[open]')) return
    if (event.key.length === 1 && !areLettersOn()) return
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key
    // Several handlers receive the same press.
    const isSecond = prefix !== undefined && prefix.stamp !== event.timeStamp && Date.now() - prefix.at < sequenceMs
    if (key === 'g' && !isSecond) {
      prefix = { stamp: event.timeStamp, at: Date.now() }
      return
    }
    if (handleKey(isSecond ? `g ${key}` : key)) event.preventDefault()
  })
  useEffect(() => {
    const listener = (event: KeyboardEvent) => onKey(event)
    // Releasing any key but G ends the sequence for all handlers.
    const resetKeys = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== 'g') prefix = undefined
    }
    window.addEventListener('keydown', listener)
    window.addEventListener('keyup', resetKeys)
    return () => {
      window.removeEventListener('keydown', listener)
      window.removeEventListener('keyup', resetKeys)
    }
  }, [])
}
