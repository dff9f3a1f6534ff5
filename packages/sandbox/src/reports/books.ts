import type { Store } from '../server/store.ts'
import type { Webhooks } from '../server/webhooks.ts'

/** Kind of money movement between sandbox and product. */
export type LineKind =
  | 'capture'
  | 'debit'
  | 'refund'
  | 'chargeback'
  | 'chargeback_reversal'
  | 'debit_return'
  | 'payout'
  | 'payout_return'

/** Money movement in the sandbox's books, as in the report and in `reversal.created` events. */
export interface BookLine {
  /** Same id as in events and lookups: `capture_id`, `paid_id`, `return_id`, or the id of a refund or dispute. */
  id: string
  kind: LineKind
  /** In the currency's minor units, positive; `kind` gives the direction. */
  amount_minor: string
  currency: string
  /** The product's payment or payout id. */
  reference: string
  /** By the sandbox clock, ISO 8601 in UTC. */
  occurred_at: string
  /** For a chargeback reversal: id of the refund or dispute that it reverses. */
  undoes?: string | null
}

/** Adds a movement to the books; its id must be new. Call in the movement's transaction. */
export const recordLine = (store: Store, line: BookLine): void => store.insert('book_line', { ...line })

/** Like `recordLine`, and queues `reversal.created` for money taken back or restored. */
export function recordReversal(store: Store, webhooks: Webhooks, line: BookLine): void {
  recordLine(store, line)
  webhooks.enqueue({ type: 'reversal.created', createdAt: new Date(line.occurred_at), data: { ...line } })
}
