import { useEffect, useState } from 'react'

/** Counts down from `seconds`, again after each `restart`. */
export function useSecondsLeft(seconds: number): { left: number; restart: () => void } {
  const [left, setLeft] = useState(seconds)
  const isOver = left <= 0
  useEffect(() => {
    if (isOver) return
    const timer = setInterval(() => setLeft((before) => before - 1), 1000)
    return () => clearInterval(timer)
  }, [isOver])
  return { left, restart: () => setLeft(seconds) }
}
