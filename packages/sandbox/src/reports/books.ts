import type { Store } from '../server/store.ts'
import type { Webhooks } from '../server/webhooks.ts'

/** Kind of a movement between sandbox and product. */
export type LineKind =
  | 'capture'
  | 'debit'
  | 'refund'
  | 'chargeback'
  | 'chargeback_reversal'
  | 'debit_return'
  | 'payout'
  | 'payout_return'

/** A movement in the sandbox's books, as in the report and `reversal.created` events. */
export interface BookLine {
  /** The id also used by events and lookups: `capture_id`, `paid_id`, `return_id`, a refund's or dispute's id. */
  id: string
  kind: LineKind
  /** In the currency's minor units, positive; `kind` gives the direction. */
  amount_minor: string
  currency: string
  /** The product's payment or payout. */
  reference: string
  /** By the sandbox clock, ISO 8601 in UTC. */
  occurred_at: string
  /** For a chargeback reversal: the id of the refund or dispute whose money is returned. */
  undoes?: string | null
}

/** Adds a movement to the books, once per id; call in its transaction. */
export const recordLine = (store: Store, line: BookLine): void => store.insert('book_line', { ...line })

/** Like `recordLine`, and queues `reversal.created`: received money was taken back, or restored. */
export function recordReversal(store: Store, webhooks: Webhooks, line: BookLine): void {
  recordLine(store, line)
  webhooks.enqueue({ type: 'reversal.created', createdAt: new Date(line.occurred_at), data: { ...line } })
}
