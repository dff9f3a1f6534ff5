import type { Store } from '../server/store.ts'
import type { Webhooks } from '../server/webhooks.ts'

/** What a movement between the sandbox and the product was for. */
export type LineKind =
  | 'capture'
  | 'debit'
  | 'refund'
  | 'chargeback'
  | 'chargeback_reversal'
  | 'debit_return'
  | 'payout'
  | 'payout_return'

/** One movement of money in the sandbox's books, as the report and `reversal.created` events show it. */
export interface BookLine {
  /** The movement's own id, which events and lookups name too: `capture_id`, `paid_id`, `return_id`, a refund's or dispute's id. */
  id: string
  kind: LineKind
  /** In the currency's smallest unit, above zero; which way it went follows from `kind`. */
  amount_minor: string
  currency: string
  /** The product's payment or payout. */
  reference: string
  /** When it happened by the sandbox's clock, as ISO 8601 text in UTC. */
  occurred_at: string
}

/** Writes a movement into the books; call it in the transaction that makes it true. An id is written once. */
export function recordLine(store: Store, { id, kind, amount_minor, currency, reference, occurred_at }: BookLine): void {
  store.run(
    'insert into book_line (id, kind, amount_minor, currency, reference, occurred_at) values (?, ?, ?, ?, ?, ?)',
    id,
    kind,
    amount_minor,
    currency,
    reference,
    occurred_at,
  )
}

/** As `recordLine`, and queues `reversal.created` with the line: money that had come goes back, or comes again. */
export function recordReversal(store: Store, webhooks: Webhooks, line: BookLine): void {
  recordLine(store, line)
  webhooks.enqueue({ type: 'reversal.created', createdAt: new Date(line.occurred_at), data: { ...line } })
}
