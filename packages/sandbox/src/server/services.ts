import type { Clock } from '../control/clock.ts'
import type { Store } from './store.ts'
import type { Webhooks } from './webhooks.ts'

/** What everything works with that changes by and by. */
export interface Services {
  store: Store
  clock: Clock
  webhooks: Webhooks
}

/** Does something in a transaction, then sends the events that it queued. */
export function transact<Result>({ store, webhooks }: Omit<Services, 'clock'>, work: () => Result): Result {
  const result = store.transact(work)
  webhooks.wake()
  return result
}
