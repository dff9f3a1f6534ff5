import { useEffect, useEffectEvent } from 'react'

const storageKey = 'tern.desk.letters'

/** Whether single-letter shortcuts are on in this browser; on by default. */
export const areLettersOn = (): boolean => localStorage.getItem(storageKey) !== 'off'
export const setLetters = (isOn: boolean): void => localStorage.setItem(storageKey, isOn ? 'on' : 'off')

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && target.matches('input:not([type="radio"], [type="checkbox"]), textarea, select')

const sequenceMs = 1500
let prefix: { readonly stamp: number; readonly at: number } | undefined

/**
 * Calls `handleKey` for each key pressed outside fields and dialogs: `j`, `?`, or `g v` for G followed by V.
 * `handleKey` returns whether it handled the key. Ignores combinations with Ctrl, Alt or Meta.
 */
export function useKeys(handleKey: (key: string) => boolean): void {
  const onKey = useEffectEvent((event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return
    if (isTyping(event.target) || document.querySelector('dialog[open]')) return
    if (event.key.length === 1 && !areLettersOn()) return
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key
    // Every handler gets the same event, so the G itself must not count as the second key.
    const isSecond = prefix !== undefined && prefix.stamp !== event.timeStamp && Date.now() - prefix.at < sequenceMs
    if (key === 'g' && !isSecond) {
      prefix = { stamp: event.timeStamp, at: Date.now() }
      return
    }
    if (handleKey(isSecond ? `g ${key}` : key)) event.preventDefault()
  })
  useEffect(() => {
    const listener = (event: KeyboardEvent) => onKey(event)
    // Releasing any key but G ends the sequence, for all handlers.
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
