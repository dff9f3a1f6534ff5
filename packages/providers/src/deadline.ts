import { AsyncLocalStorage } from 'node:async_hooks'
import type { Unknown } from './outcome.ts'

// Until when the caller waits for providers: all calls and repetitions made for one request end by then.

const deadlines = new AsyncLocalStorage<number>()

/** Runs `work`, whose calls to providers end at `deadlineAt` (by `performance.now()`) with an unknown result. */
export const withCallDeadline = <T>(deadlineAt: number, work: () => T): T => deadlines.run(deadlineAt, work)

/** The deadline by `performance.now()`; undefined outside `withCallDeadline`. */
export const callDeadline = (): number | undefined => deadlines.getStore()

/** Milliseconds that a call may take: `mostMs`, or what is left until the deadline; 0 or less when it must not begin. */
export function timeLeft(mostMs: number): number {
  const at = callDeadline()
  // not money: milliseconds
  return at === undefined ? mostMs : Math.min(mostMs, Math.ceil(at - performance.now()))
}

/** Result of a call whose caller has timed out. */
export const outOfTime: Unknown = { status: 'unknown', reason: 'The request has no time left for its provider' }

/** Returns the result of `work`, or `outOfTime` at the deadline. Does not abort work that is still running. */
export async function untilDeadline<T>(work: () => Promise<T>): Promise<T | Unknown> {
  const left = timeLeft(Number.POSITIVE_INFINITY)
  if (left === Number.POSITIVE_INFINITY) return work()
  if (left <= 0) return outOfTime
  let timer: NodeJS.Timeout | undefined
  const end = new Promise<Unknown>((resolve) => {
    timer = setTimeout(() => resolve(outOfTime), left)
  })
  try {
    return await Promise.race([work(), end])
  } finally {
    clearTimeout(timer)
  }
}
