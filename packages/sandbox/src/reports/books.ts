import type { Store } from '../server/store.ts'
import type { Webhooks } from '../server/webhooks.ts'
import { recordFee } from './own-money.ts'

/** Kinds of money movements between sandbox and product. */
export type LineKind =
  | 'capture'
  | 'debit'
  | 'refund'
  | 'chargeback'
  | 'chargeback_reversal'
  | 'debit_return'
  | 'payout'
  | 'payout_return'

/** Money movement in the sandbox's books, in the form of the report and of `reversal.created` events. */
export interface BookLine {
  /**
   * Id of the movement, as in events and in API replies: `capture_id`, `paid_id`, `return_id`, or the id of a refund or
   * dispute.
   */
  id: string
  kind: LineKind
  /** Positive, in the currency's minor units; `kind` determines the direction. */
  amount_minor: string
  currency: string
  /** Id of the product's payment or payout. */
  reference: string
  /** By the sandbox clock, ISO 8601 in UTC. */
  occurred_at: string
  /** Only for a chargeback reversal: id of the refund or dispute that it reverses. */
  undoes?: string | null
}

/** Adds a movement with a new id to the books, with its fee. Call in the transaction of the movement. */
export function recordLine(store: Store, line: BookLine): void {
  store.insert('book_line', { ...line })
  recordFee(store, line)
}

/** Adds a movement that takes money back or restores it, and queues its event `reversal.created`. */
export function recordReversal(store: Store, webhooks: Webhooks, line: BookLine): void {
  recordLine(store, line)
  webhooks.enqueue({ type: 'reversal.created', createdAt: new Date(line.occurred_at), data: { ...line } })
}
