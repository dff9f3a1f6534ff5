import type { Clock } from '../control/clock.ts'
import type { Store } from './store.ts'
import type { Webhooks } from './webhooks.ts'

/** Dependencies of all components whose state changes over time. */
export interface Services {
  store: Store
  clock: Clock
  webhooks: Webhooks
}

/** Runs `execute` in a transaction, then sends the events that it queued. */
export function transact<Result>({ store, webhooks }: Omit<Services, 'clock'>, execute: () => Result): Result {
  const result = store.transact(execute)
  webhooks.scheduleNow()
  return result
}
