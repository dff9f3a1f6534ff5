import { createRandom } from './random.ts'

export type CallFate =
  | 'succeeds'
  /** The provider answers 500 and does nothing. */
  | 'fails'
  /** The provider acts; the connection breaks before its response. */
  | 'loses_answer'
  /** The provider acts and never responds. */
  | 'hangs'
  /** The product is killed before its call reaches the provider, or before it reads the response. */
  | 'kills_before'
  | 'kills_after'

const callFates: Readonly<Record<CallFate, number>> = {
  succeeds: 85.3,
  fails: 6,
  loses_answer: 7.4,
  hangs: 0.8,
  kills_before: 0.25,
  kills_after: 0.25,
}

export interface EventFate {
  /** Number of deliveries; 0 drops the event. */
  readonly times: number
  readonly delaysMs: readonly number[]
  /** Failed deliveries are retried; otherwise a delivery is lost if the product is down. */
  readonly retries: boolean
  /** Kills the product while it handles the event. */
  readonly kills: boolean
}

const maxDelayMs = 1500

/** Returns the fault of a call about this amount, after `count` earlier ones. */
export const decideCallFate = (seed: string, amount: string, count: number): CallFate =>
  // Later calls succeed, so that retries end.
  count > 6 ? 'succeeds' : createRandom(seed, 'call', amount, count).pickWeighted(callFates)

/** Returns the fault of an event, which its type and amount determine. */
export function decideEventFate(seed: string, type: string, amount: string): EventFate {
  const random = createRandom(seed, 'event', type, amount)
  const kind = random.pickWeighted({ once: 55, doubled: 22, dropped: 18, flood: 5 })
  const times = { once: 1, doubled: random.pickInteger(2, 4), dropped: 0, flood: 20 }[kind]
  return {
    times,
    delaysMs: Array.from({ length: times }, () => (random.rollPercent(50) ? 0 : random.pickInteger(1, maxDelayMs))),
    retries: random.rollPercent(60),
    kills: random.rollPercent(0.2),
  }
}
