import { chance } from './chance.ts'
import type { Fields } from './fields.ts'
import type { Store } from './store.ts'

export interface WebhookFaults {
  /** Delay of each event in milliseconds of real time. */
  delay_ms: number
  double_percent: number
  /** Percentage of events that are not sent unless resent by hand. */
  drop_percent: number
  /**
   * True to delay each delivery by a random part of `delay_ms`, or of a second if that is longer, so that events arrive
   * out of order.
   */
  shuffle: boolean
  /** Seed of the pseudorandom decisions, for repeatable tests. */
  seed: number
}

/** Planned deliveries of an event, with a delay in milliseconds for each. */
export interface DeliveryPlan {
  isDropped: boolean
  delaysMs: readonly number[]
}

const minShuffleMs = 1000
const longestDelayMs = 3_600_000
const noFaults: WebhookFaults = { delay_ms: 0, double_percent: 0, drop_percent: 0, shuffle: false, seed: 1 }
const name = 'webhook_faults'

/** Reads the faults; absent ones default to none. */
const readWebhookFaults = (fields: Fields): WebhookFaults => ({
  delay_ms: fields.integer('delay_ms', { max: longestDelayMs }) ?? noFaults.delay_ms,
  double_percent: fields.integer('double_percent', { max: 100 }) ?? noFaults.double_percent,
  drop_percent: fields.integer('drop_percent', { max: 100 }) ?? noFaults.drop_percent,
  shuffle: fields.flag('shuffle') ?? noFaults.shuffle,
  seed: fields.integer('seed', { max: Number.MAX_SAFE_INTEGER }) ?? noFaults.seed,
})

interface StoredFaults extends WebhookFaults {
  /** Number of the newest delivery at the time of the change. */
  since: number
}

export type WebhookFaultSettings = ReturnType<typeof createWebhookFaults>

/** Settings of webhook faults, stored across restarts. */
export function createWebhookFaults(store: Store) {
  let stored = store.setting<StoredFaults>(name) ?? { ...noFaults, since: 0 }
  const newest = () =>
    store.get<{ number: number }>('select coalesce(max(number), 0) as number from webhook')?.number ?? 0
  const get = (): WebhookFaults => {
    const { since: _since, ...faults } = stored
    return faults
  }

  return {
    get,
    /** Changes the faults of later events, and restarts the pseudorandom sequence. Throws ApiError 422. */
    change(fields: Fields): WebhookFaults {
      const faults = readWebhookFaults(fields)
      fields.check()
      stored = { ...faults, since: newest() }
      store.saveSetting(name, stored)
      return faults
    },
    /** Returns the plan for the deliveries of the next event. */
    plan(): DeliveryPlan {
      const { delay_ms: delayMs, double_percent: doublePercent, drop_percent: dropPercent, shuffle, seed } = stored
      const index = newest() - stored.since
      const waitMs = (purpose: string): number =>
        shuffle ? Math.round((Math.max(delayMs, minShuffleMs) * chance(seed, purpose, index)) / 100) : delayMs
      const isDuplicated = chance(seed, 'double', index) < doublePercent
      return {
        isDropped: chance(seed, 'drop', index) < dropPercent,
        delaysMs: isDuplicated ? [waitMs('first'), waitMs('second')] : [waitMs('first')],
      }
    },
  }
}
