import { recordLine, recordReversal } from '../reports/books.ts'
import type { DebitAction, Debits } from '../control/control-targets.ts'
import type { NewOrder, Order } from './order-rows.ts'
import { createOrders, type OrderDependencies } from './orders.ts'

/** A debit can be canceled this long, before it goes to the bank. */
const cancelableMs = 60 * 60 * 1000

const actionsOf = ({ status }: Order): readonly DebitAction[] => {
  if (status === 'open') return ['settle', 'fail']
  return status === 'paid' ? ['return'] : []
}

/** A debit for the API. A returned one stays paid: the return is a separate movement. */
const shown = ({ id, status, amount_minor, currency, reference, moved_id, reason }: Order): object => ({
  session_id: id,
  status: status === 'returned' ? 'paid' : status,
  reference,
  amount_minor,
  currency,
  ...(moved_id === null ? {} : { capture_id: moved_id }),
  ...(status === 'failed' || status === 'canceled' ? { reason } : {}),
})

/** Debits from linked accounts. Methods return what the product's GET answers. */
export interface BankDebits extends Debits {
  /** Idempotent by key. Throws ApiError 422 for a different request or an impossible one. */
  order(debit: NewOrder, idempotencyKey: string): object
  /** Throws ApiError 404. */
  show(id: string): object
  /** Cancels a debit that has not gone to the bank; others are unchanged. Throws ApiError 404. */
  cancel(id: string): object
}

export function createDebits(dependencies: OrderDependencies): BankDebits {
  const { store, webhooks } = dependencies

  function tell(order: Order, at: Date): void {
    const { status, amount_minor, currency, reference, moved_id: movedId, return_id: returnId } = order
    const line = { amount_minor, currency, reference, occurred_at: at.toISOString() }
    if (returnId !== null) return recordReversal(store, webhooks, { ...line, id: returnId, kind: 'debit_return' })
    if (movedId !== null) recordLine(store, { ...line, id: movedId, kind: 'debit' })
    webhooks.enqueue({ type: `debit.${status}`, createdAt: at, data: { ...shown(order) } })
  }

  const orders = createOrders(dependencies, {
    table: 'bank_debit',
    movedColumn: 'capture_id',
    prefixes: { id: 'bd', moved: 'cap' },
    noun: 'debit',
    courseAt: ({ debit }) => debit,
    returnReason: 'returned',
    tell,
  })

  return {
    order: (debit, key) => shown(orders.place(debit, key)),
    show: (id) => shown(orders.find(id)),
    cancel: (id) => shown(orders.cancelWithin(id, cancelableMs)),
    settle: (id) => shown(orders.pay(id)),
    fail: (id) => shown(orders.fail(id, 'failed')),
    return: (id) => shown(orders.return(id)),
    list: (limit) => orders.list(limit, actionsOf),
    executeDue: () => orders.executeDue(),
  }
}
