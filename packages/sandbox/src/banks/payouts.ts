import { recordLine } from '../reports/books.ts'
import type { PayoutAction, Payouts } from '../control/control-targets.ts'
import type { NewOrder, Order } from './order-rows.ts'
import { createOrders, type OrderDependencies } from './orders.ts'

const actionsOf = ({ status }: Order): readonly PayoutAction[] => {
  if (status === 'open') return ['pay', 'fail']
  return status === 'paid' ? ['return'] : []
}

const shown = ({ id, status, amount_minor, currency, reference, moved_id, return_id, reason }: Order): object => ({
  payout_id: id,
  status,
  reference,
  amount_minor,
  currency,
  ...(moved_id === null ? {} : { paid_id: moved_id }),
  ...(return_id === null ? {} : { return_id }),
  ...(reason === null ? {} : { reason }),
})

/** Payouts to linked accounts. Methods return what the product's GET answers. */
export interface BankPayouts extends Payouts {
  /** Idempotent by key. Throws ApiError 422 for a different request or an impossible one. */
  order(payout: NewOrder, idempotencyKey: string): object
  /** Throws ApiError 404. */
  show(id: string): object
}

export function createPayouts(dependencies: OrderDependencies): BankPayouts {
  const { store, webhooks } = dependencies

  function tell(order: Order, at: Date): void {
    const { status, amount_minor, currency, reference, moved_id: movedId, return_id: returnId } = order
    const line = { amount_minor, currency, reference, occurred_at: at.toISOString() }
    if (returnId !== null) recordLine(store, { ...line, id: returnId, kind: 'payout_return' })
    else if (movedId !== null) recordLine(store, { ...line, id: movedId, kind: 'payout' })
    webhooks.enqueue({ type: `payout.${status}`, createdAt: at, data: { ...shown(order) } })
  }

  const orders = createOrders(dependencies, {
    table: 'payout',
    movedColumn: 'paid_id',
    prefixes: { id: 'po', moved: 'paid' },
    noun: 'payout',
    courseAt: ({ payout }) => payout,
    returnReason: 'not_credited',
    tell,
  })

  return {
    order: (payout, key) => shown(orders.place(payout, key)),
    show: (id) => shown(orders.find(id)),
    pay: (id) => shown(orders.pay(id)),
    fail: (id) => shown(orders.fail(id, 'declined')),
    return: (id) => shown(orders.return(id)),
    list: (limit) => orders.list(limit, actionsOf),
    executeDue: () => orders.executeDue(),
  }
}
