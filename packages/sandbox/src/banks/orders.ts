import { ApiError, fingerprint, newId } from '../server/api.ts'
import { bankOf, type BankAccounts } from './bank-accounts.ts'
import type { Bank, Course } from './banks.ts'
import { afterBusinessDays } from './business-days.ts'
import type { Clock } from '../control/clock.ts'
import type { ControlEntry } from '../control/control-targets.ts'
import {
  createOrderRows,
  type NewOrder,
  type Order,
  type OrderRows,
  type OrderStatus,
  type OrderTable,
} from './order-rows.ts'
import type { Store } from '../server/store.ts'
import type { Webhooks } from '../server/webhooks.ts'

/** The differences between debits and payouts. */
export interface OrderKind extends OrderTable {
  prefixes: { id: string; moved: string }
  /** For messages, such as 'debit'. */
  noun: string
  courseAt(bank: Bank): Course
  /** Reason for returns. */
  returnReason: string
  /** Adds an order's change to books and webhook queue, in its transaction. */
  tell(order: Order, at: Date): void
}

export interface OrderDependencies {
  store: Store
  clock: Clock
  accounts: BankAccounts
  webhooks: Webhooks
}

/** Bank orders, completed after business days of the sandbox clock or by hand. */
export interface Orders {
  /** Idempotent by key. Throws ApiError 422 for a different request or an impossible one. */
  place(order: NewOrder, idempotencyKey: string): Order
  /** After processing what is due. Throws ApiError 404. */
  find(id: string): Order
  /** Each returns the resulting order and does nothing if already so. Throws ApiError 404 and 409. */
  pay(id: string): Order
  fail(id: string, reason: string): Order
  return(id: string): Order
  /** Cancels an open order not older than `ageMs`; others are unchanged. Throws ApiError 404. */
  cancelWithin(id: string, ageMs: number): Order
  list<Action extends string>(limit: number, actionsOf: (order: Order) => readonly Action[]): ControlEntry<Action>[]
  executeDue(): void
}

/** Changes to an order: saved, recorded and returned. Call in a transaction. */
interface Changes {
  paid(order: Order, at: Date): Order
  failed(order: Order, at: Date, reason: string): Order
  canceled(order: Order, at: Date): Order
  returned(order: Order, at: Date): Order
  /** The automatic step due at `at`. */
  next(order: Order, at: Date): Order
}

function changesOf(rows: OrderRows, { accounts }: OrderDependencies, kind: OrderKind): Changes {
  function become(order: Order, at: Date): Order {
    rows.save(order)
    kind.tell(order, at)
    return order
  }

  const courseOf = ({ account_token: token }: Order): Course => kind.courseAt(bankOf(accounts.find(token)))

  function paid(order: Order, at: Date): Order {
    const { returnedAfterDays: days } = courseOf(order)
    const { country } = accounts.find(order.account_token)
    const dueAt = days === undefined ? null : afterBusinessDays(at, days, country).toISOString()
    return become({ ...order, status: 'paid', moved_id: newId(kind.prefixes.moved), due_at: dueAt }, at)
  }

  const failed: Changes['failed'] = (order, at, reason) =>
    become({ ...order, status: 'failed', reason, due_at: null }, at)

  const returned: Changes['returned'] = (order, at) =>
    become({ ...order, status: 'returned', return_id: newId('ret'), reason: kind.returnReason, due_at: null }, at)

  return {
    paid,
    failed,
    returned,
    canceled: (order, at) => become({ ...order, status: 'canceled', reason: 'canceled', due_at: null }, at),
    next(order, at) {
      if (order.status === 'paid') return returned(order, at)
      const { failure } = courseOf(order)
      return failure === undefined ? paid(order, at) : failed(order, at, failure)
    },
  }
}

function placeOrder(
  rows: OrderRows,
  { clock, accounts }: OrderDependencies,
  { noun, courseAt, prefixes }: OrderKind,
  ...[order, key]: Parameters<Orders['place']>
): string {
  const hash = fingerprint(order.amountMinor, order.currency, order.reference, order.accountToken, order.description)
  const known = rows.byKey(key)
  if (known && known.request_hash !== hash) {
    throw new ApiError(422, 'idempotency_key_reused', `This Idempotency-Key was used for another ${noun}.`)
  }
  if (known) return known.id
  const account = accounts.usable(order.accountToken, order.currency)
  const id = newId(prefixes.id)
  const now = clock.now()
  const dueAt = afterBusinessDays(now, courseAt(bankOf(account)).days, account.country).toISOString()
  rows.insert(order, { id, key, hash, createdAt: now.toISOString(), dueAt })
  return id
}

export function createOrders(dependencies: OrderDependencies, kind: OrderKind): Orders {
  const { store, clock, accounts, webhooks } = dependencies
  const rows = createOrderRows(store, kind)
  const changes = changesOf(rows, dependencies, kind)

  function executeDue(): void {
    const now = clock.now().toISOString()
    if (!rows.nextDue(now)) return
    store.transact(() => {
      // In order of time, since a payment may be due for return before now, too.
      for (let order = rows.nextDue(now); order?.due_at; order = rows.nextDue(now)) {
        changes.next(order, new Date(order.due_at))
      }
    })
    webhooks.wake()
  }

  function find(id: string): Order {
    executeDue()
    const order = rows.byId(id)
    if (!order) throw new ApiError(404, 'not_found', `There is no such ${kind.noun}.`)
    return order
  }

  function steer(order: Order, [from, to]: readonly [OrderStatus, OrderStatus], change: Changes['paid']): Order {
    if (order.status === to) return order
    if (order.status !== from) {
      throw new ApiError(409, 'not_possible_now', `A ${kind.noun} that is ${order.status} cannot become ${to}.`)
    }
    const after = store.transact(() => change(order, clock.now()))
    webhooks.wake()
    return after
  }

  return {
    find,
    executeDue,
    place: (order, key) => find(placeOrder(rows, dependencies, kind, order, key)),
    pay: (id) => steer(find(id), ['open', 'paid'], changes.paid),
    fail: (id, reason) => steer(find(id), ['open', 'failed'], (order, at) => changes.failed(order, at, reason)),
    return: (id) => steer(find(id), ['paid', 'returned'], changes.returned),
    cancelWithin(id, ageMs) {
      const order = find(id)
      const isLate = clock.now().getTime() - new Date(order.created_at).getTime() > ageMs
      return order.status !== 'open' || isLate ? order : steer(order, ['open', 'canceled'], changes.canceled)
    },
    list: (limit, actionsOf) =>
      rows.newest(limit).map((order) => {
        const { id, status, amount_minor, currency, reference, created_at, due_at } = order
        const about = bankOf(accounts.find(order.account_token)).name
        return { id, status, amount_minor, currency, reference, about, created_at, due_at, actions: actionsOf(order) }
      }),
  }
}
