import { ApiError, fingerprint, newId, required, requireSameRequest } from '../server/api.ts'
import { bankOf, type BankAccounts } from './bank-accounts.ts'
import type { Course } from './banks.ts'
import { afterBusinessDays } from './business-days.ts'
import type { ControlEntry, ControlTarget } from '../control/control-targets.ts'
import type { BookLine } from '../reports/books.ts'
import { type Services, transact } from '../server/services.ts'

/** A bank order. `amount_minor` is in the currency's minor units. */
export interface Order {
  id: string
  account_token: string
  amount_minor: string
  currency: string
  reference: string
  status: 'open' | 'paid' | 'failed' | 'canceled' | 'returned'
  /** Id of the movement, once made. */
  moved_id: string | null
  /** Id of the return, once made. */
  return_id: string | null
  /** Why it failed, was canceled or was returned. */
  reason: string | null
  created_at: string
  /** Next automatic step, if any. */
  due_at: string | null
}

export interface NewOrder {
  amountMinor: string
  currency: string
  reference: string
  accountToken: string
  description: string
}

/** The differences between debits and payouts. */
export interface OrderKind {
  table: 'bank_debit' | 'payout'
  movedColumn: 'capture_id' | 'paid_id'
  prefixes: { id: string; moved: string }
  /** For messages; names the bank's course, too. */
  noun: 'debit' | 'payout'
  /** The manual action that moves the money; the others are `fail` and `return`. */
  payAction: string
  /** Reason for manual failures. */
  failReason: string
  /** Reason for returns. */
  returnReason: string
  /** What the product's GET answers. */
  shown(order: Order): object
  /** Adds an order's change to books and webhook queue, in its transaction. */
  tell(order: Order, line: Omit<BookLine, 'id' | 'kind'>, dependencies: OrderDependencies): void
}

export interface OrderDependencies extends Services {
  accounts: BankAccounts
}

/** How an order goes on. */
interface End {
  status: Exclude<Order['status'], 'open'>
  reason?: string
}

/** An open order can be canceled this long, before it goes to the bank. */
const cancelableMs = 60 * 60 * 1000

/** Bank orders, completed after business days of the sandbox clock or by hand. */
export class Orders implements ControlTarget {
  readonly #dependencies: OrderDependencies
  readonly #kind: OrderKind
  readonly #select: string

  constructor(dependencies: OrderDependencies, kind: OrderKind) {
    this.#dependencies = dependencies
    this.#kind = kind
    this.#select = `select id, account_token, amount_minor, currency, reference, status, ${kind.movedColumn} as moved_id,
      return_id, reason, created_at, due_at from ${kind.table}`
  }

  /** Idempotent by key. Throws ApiError 422 for a different request or an impossible one. */
  place(order: NewOrder, key: string): object {
    const { store, clock, accounts } = this.#dependencies
    const { table, noun, prefixes } = this.#kind
    const { amountMinor, currency, reference, accountToken, description } = order
    const hash = fingerprint(amountMinor, currency, reference, accountToken, description)
    const known = store.one<{ id: string; request_hash: string }>(
      `select id, request_hash from ${table} where idempotency_key = ?`,
      key,
    )
    requireSameRequest(known, hash, noun)
    if (known) return this.show(known.id)
    const account = accounts.usable(accountToken, currency)
    const id = newId(prefixes.id)
    const now = clock.now()
    store.insert(table, {
      id,
      idempotency_key: key,
      request_hash: hash,
      account_token: accountToken,
      amount_minor: amountMinor,
      currency,
      reference,
      description,
      created_at: now.toISOString(),
      due_at: afterBusinessDays(now, bankOf(account)[noun].days, account.country).toISOString(),
    })
    return this.show(id)
  }

  /** What the product's GET answers, after processing what is due. Throws ApiError 404. */
  show(id: string): object {
    return this.#kind.shown(this.#find(id))
  }

  /** Cancels an order that has not gone to the bank; others are unchanged. Throws ApiError 404. */
  cancel(id: string): object {
    const order = this.#find(id)
    const now = this.#dependencies.clock.now()
    const isLate = now.getTime() - new Date(order.created_at).getTime() > cancelableMs
    if (order.status !== 'open' || isLate) return this.#kind.shown(order)
    return this.#step(order, 'open', { status: 'canceled', reason: 'canceled' })
  }

  act(id: string, action: string): object {
    const { payAction, failReason } = this.#kind
    const order = this.#find(id)
    if (action === payAction) return this.#step(order, 'open', { status: 'paid' })
    if (action === 'fail') return this.#step(order, 'open', { status: 'failed', reason: failReason })
    if (action === 'return') return this.#step(order, 'paid', { status: 'returned' })
    throw new ApiError(404, 'not_found', 'There is nothing at this address.')
  }

  list(limit: number): ControlEntry[] {
    const { store, accounts } = this.#dependencies
    const orders = store.all<Order>(`${this.#select} order by number desc limit ?`, limit)
    return orders.map(({ id, status, amount_minor, currency, reference, account_token, created_at, due_at }) => {
      const about = bankOf(accounts.find(account_token)).name
      const whileOpen = status === 'open' ? [this.#kind.payAction, 'fail'] : []
      const actions = status === 'paid' ? ['return'] : whileOpen
      return { id, status, amount_minor, currency, reference, about, created_at, due_at, actions }
    })
  }

  /** Processes what is due and wakes the webhooks. */
  executeDue(): void {
    const { store, clock } = this.#dependencies
    const now = clock.now().toISOString()
    const nextDue = () => store.one<Order>(`${this.#select} where due_at <= ? order by due_at, number limit 1`, now)
    if (!nextDue()) return
    transact(this.#dependencies, () => {
      // In order of time, since a payment may be due for return before now, too.
      for (let order = nextDue(); order?.due_at; order = nextDue()) {
        const { failure } = this.#courseOf(order)
        const whenOpen: End = failure === undefined ? { status: 'paid' } : { status: 'failed', reason: failure }
        this.#become(order, new Date(order.due_at), order.status === 'paid' ? { status: 'returned' } : whenOpen)
      }
    })
  }

  #find(id: string): Order {
    this.executeDue()
    return required(this.#dependencies.store.one<Order>(`${this.#select} where id = ?`, id), this.#kind.noun)
  }

  #courseOf({ account_token: token }: Order): Course {
    return bankOf(this.#dependencies.accounts.find(token))[this.#kind.noun]
  }

  /** Changes an order by hand; does nothing if already so. Throws ApiError 409. */
  #step(order: Order, from: Order['status'], end: End): object {
    const { noun, shown } = this.#kind
    if (order.status === end.status) return shown(order)
    if (order.status !== from) {
      throw new ApiError(409, 'not_possible_now', `A ${noun} that is ${order.status} cannot become ${end.status}.`)
    }
    const now = this.#dependencies.clock.now()
    return shown(transact(this.#dependencies, () => this.#become(order, now, end)))
  }

  /** Saves and tells how an order goes on; call in a transaction. */
  #become(order: Order, at: Date, { status, reason }: End): Order {
    const { table, movedColumn, prefixes, returnReason } = this.#kind
    const after: Order = { ...order, status, reason: reason ?? order.reason, due_at: null }
    if (status === 'paid') {
      after.moved_id = newId(prefixes.moved)
      after.due_at = this.#returnDay(order, at)
    }
    if (status === 'returned') {
      after.return_id = newId('ret')
      after.reason = returnReason
    }
    const { moved_id, return_id, due_at, amount_minor, currency, reference } = after
    const changes = { status, [movedColumn]: moved_id, return_id, reason: after.reason, due_at }
    this.#dependencies.store.update(table, order.id, changes)
    const line = { amount_minor, currency, reference, occurred_at: at.toISOString() }
    this.#kind.tell(after, line, this.#dependencies)
    return after
  }

  /** When a bank gives a paid order back, if it does. */
  #returnDay(order: Order, at: Date): string | null {
    const { returnedAfterDays: days } = this.#courseOf(order)
    const { country } = this.#dependencies.accounts.find(order.account_token)
    return days === undefined ? null : afterBusinessDays(at, days, country).toISOString()
  }
}
