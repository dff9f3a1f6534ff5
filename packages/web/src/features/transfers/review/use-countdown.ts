import { useEffect, useRef, useState } from 'react'

const shownFromMs = 30_000

/**
 * The whole seconds until `endMs`, only during the last thirty; undefined before. Calls `onEnd` once when the time is
 * over, also when the device slept through it. Stands still while not `isRunning`.
 */
export function useCountdown(endMs: number, isRunning: boolean, onEnd: () => void): number | undefined {
  const [leftMs, setLeftMs] = useState<number>()
  const end = useRef(onEnd)
  end.current = onEnd
  useEffect(() => {
    if (!isRunning) return
    const look = () => {
      const left = endMs - Date.now()
      setLeftMs(left)
      if (left > 0) return
      clearInterval(timer)
      end.current()
    }
    const timer = setInterval(look, 500)
    look()
    return () => clearInterval(timer)
  }, [endMs, isRunning])
  if (!isRunning || leftMs === undefined || leftMs > shownFromMs || leftMs <= 0) return undefined
  return Math.ceil(leftMs / 1000)
}
