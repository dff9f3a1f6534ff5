import { createRandom } from './random.ts'

/** What becomes of one call that the product makes to the provider. */
export type CallFate =
  | 'goes well'
  /** The provider answers 500 and does nothing. */
  | 'fails'
  /** The provider does it, and the connection breaks before the answer. */
  | 'loses its answer'
  /** The provider does it and never answers. */
  | 'hangs'
  /** The product is killed before the provider hears of it, or before the product hears the answer. */
  | 'kills before'
  | 'kills after'

const callFates: Readonly<Record<CallFate, number>> = {
  'goes well': 85.3,
  fails: 6,
  'loses its answer': 7.4,
  hangs: 0.8,
  'kills before': 0.25,
  'kills after': 0.25,
}

/** What becomes of one event that the provider posts. */
export interface EventFate {
  /** How often it is brought: 0 is dropped. */
  readonly times: number
  readonly delaysMs: readonly number[]
  /** Brought again until the product has taken it; otherwise an attempt at a product that is down is lost. */
  readonly insists: boolean
  /** The product is killed while it takes it. */
  readonly kills: boolean
}

const mostDelayMs = 1500

/** What happens to the `count`-th call about the movement of this amount. */
export const fateOfCall = (seed: string, amount: string, count: number): CallFate =>
  // Whoever repeats gets through in the end, as with any provider that is not down for good.
  count > 6 ? 'goes well' : createRandom(seed, 'call', amount, count).weighed(callFates)

/** What happens to an event, told by its type and the amount it names. */
export function fateOfEvent(seed: string, type: string, amount: string): EventFate {
  const random = createRandom(seed, 'event', type, amount)
  const kind = random.weighed({ once: 55, doubled: 22, dropped: 18, flood: 5 })
  const times = { once: 1, doubled: random.whole(2, 4), dropped: 0, flood: 20 }[kind]
  return {
    times,
    delaysMs: Array.from({ length: times }, () => (random.chance(50) ? 0 : random.whole(1, mostDelayMs))),
    insists: random.chance(60),
    kills: random.chance(0.2),
  }
}
