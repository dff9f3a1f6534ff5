import { chance } from './chance.ts'
import type { Fields } from './fields.ts'
import type { Store } from './store.ts'

/** Faults for webhooks. */
export interface WebhookFaults {
  /** Delay before each event. */
  delay_ms: number
  /** Percentage of events sent twice. */
  double_percent: number
  /** Percentage of events never sent automatically. */
  drop_percent: number
  /** Varies each delivery's share of `delay_ms` (at least a second), so that they overtake. */
  shuffle: boolean
  /** Makes decisions repeatable. */
  seed: number
}

/** An event's deliveries, with delays. */
export interface DeliveryPlan {
  isDropped: boolean
  delaysMs: readonly number[]
}

export interface WebhookFaultSettings {
  get(): WebhookFaults
  /** For later events; restarts the seed's decisions. */
  change(faults: WebhookFaults): void
  /** Decides for the next event. */
  plan(): DeliveryPlan
}

const leastShuffleMs = 1000
const longestDelayMs = 3_600_000
const none: WebhookFaults = { delay_ms: 0, double_percent: 0, drop_percent: 0, shuffle: false, seed: 1 }
const name = 'webhook_faults'

/** Reads optional faults, collecting errors in `fields`. */
export const readWebhookFaults = (fields: Fields): WebhookFaults => ({
  delay_ms: fields.wholeNumber('delay_ms', { max: longestDelayMs }) ?? none.delay_ms,
  double_percent: fields.wholeNumber('double_percent', { max: 100 }) ?? none.double_percent,
  drop_percent: fields.wholeNumber('drop_percent', { max: 100 }) ?? none.drop_percent,
  shuffle: fields.flag('shuffle') ?? none.shuffle,
  seed: fields.wholeNumber('seed', { max: Number.MAX_SAFE_INTEGER }) ?? none.seed,
})

interface Kept extends WebhookFaults {
  /** The newest delivery when the faults were set. */
  since: number
}

/** Webhook faults, which survive a restart. */
export function createWebhookFaults(store: Store): WebhookFaultSettings {
  const [saved] = store.all<{ value: string }>('select value from setting where name = ?', name)
  let kept = saved ? (JSON.parse(saved.value) as Kept) : { ...none, since: 0 }
  const newest = () =>
    store.all<{ number: number }>('select coalesce(max(number), 0) as number from webhook')[0]?.number ?? 0

  return {
    get() {
      const { since: _since, ...faults } = kept
      return faults
    },
    change(faults) {
      kept = { ...faults, since: newest() }
      store.run('insert or replace into setting values (?, ?)', name, JSON.stringify(kept))
    },
    plan() {
      const { delay_ms: delayMs, double_percent: doubled, drop_percent: dropped, shuffle, seed } = kept
      const index = newest() - kept.since
      const waitMs = (purpose: string): number =>
        shuffle ? Math.round((Math.max(delayMs, leastShuffleMs) * chance(seed, purpose, index)) / 100) : delayMs
      const isDoubled = chance(seed, 'double', index) < doubled
      return {
        isDropped: chance(seed, 'drop', index) < dropped,
        delaysMs: isDoubled ? [waitMs('first'), waitMs('second')] : [waitMs('first')],
      }
    },
  }
}
