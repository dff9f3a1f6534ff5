import { useEffect, useState } from 'react'

/** Value and key at the last pause in typing. They are current once the returned key equals `key`. */
export function useSettled<Value>(value: Value, key: string, pauseMs: number): { value: Value; key: string } {
  const [settled, setSettled] = useState({ value, key })
  useEffect(() => {
    const timer = setTimeout(() => setSettled({ value, key }), pauseMs)
    return () => clearTimeout(timer)
    // The key changes with the value.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [key])
  return settled
}
