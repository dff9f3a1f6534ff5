const tickMs = 250

/**
 * Creates a clock that measures only time during which this process runs. A pause counts as two ticks at most, so
 * answers that arrived during it are not late.
 */
export function createWakingClock() {
  const listeners = new Set<() => void>()
  let runMs = 0
  let tickedAt = performance.now()
  const timer = setInterval(() => {
    const at = performance.now()
    runMs += Math.min(at - tickedAt, 2 * tickMs)
    tickedAt = at
    for (const listener of listeners) listener()
  }, tickMs)
  timer.unref()
  return {
    /** Milliseconds for which this process has run. */
    now: () => runMs,
    onTick: (listener: () => void) => void listeners.add(listener),
    /** Settles like `promise`, or rejects with `message` after this much running time. */
    within<T>(ms: number, promise: Promise<T>, message: string): Promise<T> {
      const since = runMs
      return new Promise<T>((resolve, reject) => {
        const check = () => {
          if (runMs - since >= ms) reject(new Error(message))
        }
        listeners.add(check)
        void promise.then(resolve, reject).finally(() => listeners.delete(check))
      })
    },
    stop: () => clearInterval(timer),
  }
}

export type WakingClock = ReturnType<typeof createWakingClock>
