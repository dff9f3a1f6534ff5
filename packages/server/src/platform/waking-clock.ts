const tickMs = 250

/** Measures time only while this process runs. */
export interface WakingClock {
  /** Milliseconds this process ran. */
  now(): number
  onTick(listener: () => void): void
  /** Rejects with `message` after this long. */
  within<T>(ms: number, promise: Promise<T>, message: string): Promise<T>
  stop(): void
}

/** A clock that counts a pause of the process as two ticks, so that answers that arrived meanwhile are not late. */
export function createWakingClock(): WakingClock {
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
    now: () => runMs,
    onTick: (listener) => void listeners.add(listener),
    within<T>(ms: number, promise: Promise<T>, message: string) {
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
