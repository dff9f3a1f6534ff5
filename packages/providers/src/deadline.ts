import { AsyncLocalStorage } from 'node:async_hooks'
import type { UnknownOutcome } from './outcome.ts'

// Deadline of one request: all its provider calls and retries end by then.

const deadlines = new AsyncLocalStorage<number>()

/** Runs `work`, whose provider calls end at `deadlineAt` (by `performance.now()`) with an unknown result. */
export const withCallDeadline = <T>(deadlineAt: number, work: () => T): T => deadlines.run(deadlineAt, work)

/** Returns the deadline by `performance.now()`; undefined outside `withCallDeadline`. */
export const callDeadline = (): number | undefined => deadlines.getStore()

/** Returns the milliseconds left for a call, at most `maxMs`; 0 or less if the call must not start. */
export function timeLeft(maxMs: number): number {
  const at = callDeadline()
  // not money: milliseconds
  return at === undefined ? maxMs : Math.min(maxMs, Math.ceil(at - performance.now()))
}

/** Result of a call after the deadline. */
export const deadlineExceeded: UnknownOutcome = {
  status: 'unknown',
  reason: 'The request has no time left for its provider',
}

/** Returns the result of `work`, or `deadlineExceeded` at the deadline. Does not abort work that is still running. */
export async function raceDeadline<T>(work: () => Promise<T>): Promise<T | UnknownOutcome> {
  const remainingMs = timeLeft(Number.POSITIVE_INFINITY)
  if (remainingMs === Number.POSITIVE_INFINITY) return work()
  if (remainingMs <= 0) return deadlineExceeded
  let timer: NodeJS.Timeout | undefined
  const end = new Promise<UnknownOutcome>((resolve) => {
    timer = setTimeout(() => resolve(deadlineExceeded), remainingMs)
  })
  try {
    return await Promise.race([work(), end])
  } finally {
    clearTimeout(timer)
  }
}
