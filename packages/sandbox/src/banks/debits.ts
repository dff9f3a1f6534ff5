import { recordLine, recordReversal } from '../reports/books.ts'
import type { Order, OrderKind } from './orders.ts'

/** A returned debit has the status `paid`, because its return is a separate movement. */
const toReply = ({ id, status, amount_minor, currency, reference, moved_id, reason }: Order): object => ({
  session_id: id,
  status: status === 'returned' ? 'paid' : status,
  reference,
  amount_minor,
  currency,
  ...(moved_id === null ? {} : { capture_id: moved_id }),
  ...(status === 'failed' || status === 'canceled' ? { reason } : {}),
})

export const debitOrders: OrderKind = {
  table: 'bank_debit',
  movedColumn: 'capture_id',
  prefixes: { id: 'bd', movement: 'cap' },
  noun: 'debit',
  payAction: 'settle',
  failReason: 'failed',
  returnReason: 'returned',
  toReply,
  record(order, line, { store, webhooks }) {
    const { status, moved_id: movedId, return_id: returnId } = order
    if (returnId !== null) return recordReversal(store, webhooks, { ...line, id: returnId, kind: 'debit_return' })
    if (movedId !== null) recordLine(store, { ...line, id: movedId, kind: 'debit' })
    webhooks.enqueue({ type: `debit.${status}`, createdAt: new Date(line.occurred_at), data: { ...toReply(order) } })
  },
}
