import { type CSSProperties, useEffect, useRef, useState } from 'react'
import { exchange as texts } from '#messages/exchange/exchange.ts'

const lifetimeMs = 5 * 60_000
/** Announcements of the remaining time to screen readers; skipped below `untilMs`. */
const announcedSeconds = [
  { fromMs: 60_000, untilMs: 45_000, text: texts.minuteLeft },
  { fromMs: 15_000, untilMs: 5_000, text: texts.secondsLeft },
] as const

/** Milliseconds until a price expires, updated twice a second. Calls `onEnd` on expiry. */
function useTimeLeft(endMs: number, onEnd?: () => void): number {
  const [msLeft, setMsLeft] = useState(() => endMs - Date.now())
  const end = useRef(onEnd)
  end.current = onEnd
  useEffect(() => {
    const update = () => {
      const remainingMs = endMs - Date.now()
      setMsLeft(remainingMs)
      if (remainingMs > 0) return
      clearInterval(timer)
      end.current?.()
    }
    const timer = setInterval(update, 500)
    update()
    return () => clearInterval(timer)
  }, [endMs])
  return Math.max(0, msLeft)
}

/** Five one-minute segments that empty until the price expires. */
export function MinuteBar({ endMs }: { endMs: number }) {
  const msLeft = useTimeLeft(endMs)
  const progressStyle = { '--left': `${Math.min(100, (msLeft / lifetimeMs) * 100).toFixed(1)}%` } as CSSProperties
  return (
    <div
      className="border-y border-ink [background:linear-gradient(90deg,_transparent_var(--left,_0%),_var(--sheet)_0),_repeating-linear-gradient(90deg,_var(--ink)_0_20%,_transparent_20%_40%)] h-1.25"
      style={progressStyle}
      aria-hidden="true"
    />
  )
}

/** "This price holds for 4:41"; announced only twice. */
export function TimeLeft({ endMs, onEnd }: { endMs: number; onEnd?: () => void }) {
  const msLeft = useTimeLeft(endMs, onEnd)
  const seconds = Math.ceil(msLeft / 1000)
  const clock = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
  return (
    <>
      <p className="row small muted tabular" aria-hidden="true">
        {texts.holdsFor}
        <time className="row-end">{clock}</time>
      </p>
      <p className="visually-hidden" role="status">
        {announcedSeconds.find(({ fromMs, untilMs }) => msLeft <= fromMs && msLeft > untilMs)?.text}
      </p>
    </>
  )
}
