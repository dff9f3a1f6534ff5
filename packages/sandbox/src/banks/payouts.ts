import { recordLine } from '../reports/books.ts'
import type { Order, OrderKind } from './orders.ts'

const toReply = ({ id, status, amount_minor, currency, reference, moved_id, return_id, reason }: Order): object => ({
  payout_id: id,
  status,
  reference,
  amount_minor,
  currency,
  ...(moved_id === null ? {} : { paid_id: moved_id }),
  ...(return_id === null ? {} : { return_id }),
  ...(reason === null ? {} : { reason }),
})

export const payoutOrders: OrderKind = {
  table: 'payout',
  movedColumn: 'paid_id',
  prefixes: { id: 'po', movement: 'paid' },
  noun: 'payout',
  payAction: 'pay',
  failReason: 'declined',
  returnReason: 'not_credited',
  toReply,
  record(order, line, { store, webhooks }) {
    const { status, moved_id: movedId, return_id: returnId } = order
    if (returnId !== null) recordLine(store, { ...line, id: returnId, kind: 'payout_return' })
    else if (movedId !== null) recordLine(store, { ...line, id: movedId, kind: 'payout' })
    webhooks.enqueue({ type: `payout.${status}`, createdAt: new Date(line.occurred_at), data: { ...toReply(order) } })
  },
}
