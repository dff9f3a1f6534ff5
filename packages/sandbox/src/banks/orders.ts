import { ApiError, fingerprint, newId, requireFound, requireSameRequest } from '../server/api.ts'
import { findBank, type BankAccounts } from './bank-accounts.ts'
import type { OrderOutcome } from './banks.ts'
import { addBusinessDays } from './business-days.ts'
import type { ControlEntry, ControlTarget } from '../control/control-targets.ts'
import type { BookLine } from '../reports/books.ts'
import { type Services, transact } from '../server/services.ts'

/** Debit or payout. `amount_minor` is in the currency's minor units. */
export interface Order {
  id: string
  account_token: string
  amount_minor: string
  currency: string
  reference: string
  status: 'open' | 'paid' | 'failed' | 'canceled' | 'returned'
  /** Id of the money movement; null until it happens. */
  moved_id: string | null
  /** Id of the return movement; null until it happens. */
  return_id: string | null
  reason: string | null
  created_at: string
  /** Time of the next automatic transition; null if there is none. */
  due_at: string | null
}

export interface NewOrder {
  amountMinor: string
  currency: string
  reference: string
  accountToken: string
  description: string
}

/** Parameters in which debits and payouts differ. */
export interface OrderKind {
  table: 'bank_debit' | 'payout'
  movedColumn: 'capture_id' | 'paid_id'
  prefixes: { id: string; movement: string }
  /** Noun in messages; also the field of `Bank` with the outcome of such orders. */
  noun: 'debit' | 'payout'
  /** Manual action that moves the money, in addition to `fail` and `return`. */
  payAction: string
  failReason: string
  returnReason: string
  /** Returns an order as in the API's reply. */
  toReply(order: Order): object
  /** Adds a transition to the books and its event to the webhook queue. Call in the transaction of the transition. */
  record(order: Order, line: Omit<BookLine, 'id' | 'kind'>, dependencies: OrderDependencies): void
}

export interface OrderDependencies extends Services {
  accounts: BankAccounts
}

/** Target of a transition. */
interface End {
  status: Exclude<Order['status'], 'open'>
  reason?: string
}

/** Time before an order goes to the bank, during which it can be canceled. */
const cancelableMs = 60 * 60 * 1000

/** Bank orders, which complete by hand or after a number of business days by the sandbox clock. */
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

  /**
   * Places an order, idempotently by key. Throws ApiError 404 for an unknown account, and 422 if the account is not
   * usable or the key was used for another order.
   */
  place(order: NewOrder, key: string): object {
    const { store, clock, accounts } = this.#dependencies
    const { table, noun, prefixes } = this.#kind
    const { amountMinor, currency, reference, accountToken, description } = order
    const hash = fingerprint(amountMinor, currency, reference, accountToken, description)
    const existing = store.get<{ id: string; request_hash: string }>(
      `select id, request_hash from ${table} where idempotency_key = ?`,
      key,
    )
    requireSameRequest(existing, hash, noun)
    if (existing) return this.getReply(existing.id)
    const account = accounts.requireUsable(accountToken, currency)
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
      due_at: addBusinessDays(now, findBank(account)[noun].days, account.country).toISOString(),
    })
    return this.getReply(id)
  }

  /** Returns an order as in the API's reply, after processing due orders. Throws ApiError 404 if unknown. */
  getReply(id: string): object {
    return this.#kind.toReply(this.#find(id))
  }

  /** Cancels an order that has not gone to the bank; has no effect on others. Throws ApiError 404 if unknown. */
  cancel(id: string): object {
    const order = this.#find(id)
    const now = this.#dependencies.clock.now()
    const isLate = now.getTime() - new Date(order.created_at).getTime() > cancelableMs
    if (order.status !== 'open' || isLate) return this.#kind.toReply(order)
    return this.#step(order, 'open', { status: 'canceled', reason: 'canceled' })
  }

  execute(id: string, action: string): object {
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
      const bankName = findBank(accounts.find(account_token)).name
      const openActions = status === 'open' ? [this.#kind.payAction, 'fail'] : []
      const actions = status === 'paid' ? ['return'] : openActions
      return { id, status, amount_minor, currency, reference, about: bankName, created_at, due_at, actions }
    })
  }

  /** Processes due orders and queues their webhooks. */
  executeDue(): void {
    const { store, clock } = this.#dependencies
    const now = clock.now().toISOString()
    const nextDue = () => store.get<Order>(`${this.#select} where due_at <= ? order by due_at, number limit 1`, now)
    if (!nextDue()) return
    transact(this.#dependencies, () => {
      // In order of time, because the return of an order paid here may be due too.
      for (let order = nextDue(); order?.due_at; order = nextDue()) {
        const { failure } = this.#findOutcome(order)
        const openEnd: End = failure === undefined ? { status: 'paid' } : { status: 'failed', reason: failure }
        this.#become(order, new Date(order.due_at), order.status === 'paid' ? { status: 'returned' } : openEnd)
      }
    })
  }

  #find(id: string): Order {
    this.executeDue()
    return requireFound(this.#dependencies.store.get<Order>(`${this.#select} where id = ?`, id), this.#kind.noun)
  }

  #findOutcome({ account_token: token }: Order): OrderOutcome {
    return findBank(this.#dependencies.accounts.find(token))[this.#kind.noun]
  }

  /** Changes an order's status by hand; no effect if it has that status. Throws ApiError 409 if not possible. */
  #step(order: Order, from: Order['status'], end: End): object {
    const { noun, toReply } = this.#kind
    if (order.status === end.status) return toReply(order)
    if (order.status !== from) {
      throw new ApiError(409, 'not_possible_now', `A ${noun} that is ${order.status} cannot become ${end.status}.`)
    }
    const now = this.#dependencies.clock.now()
    return toReply(transact(this.#dependencies, () => this.#become(order, now, end)))
  }

  /** Stores a transition, its movement and its event. Call in a transaction. */
  #become(order: Order, at: Date, { status, reason }: End): Order {
    const { table, movedColumn, prefixes, returnReason } = this.#kind
    const updated: Order = { ...order, status, reason: reason ?? order.reason, due_at: null }
    if (status === 'paid') {
      updated.moved_id = newId(prefixes.movement)
      updated.due_at = this.#returnDay(order, at)
    }
    if (status === 'returned') {
      updated.return_id = newId('ret')
      updated.reason = returnReason
    }
    const { moved_id, return_id, due_at, amount_minor, currency, reference } = updated
    const changes = { status, [movedColumn]: moved_id, return_id, reason: updated.reason, due_at }
    this.#dependencies.store.update(table, order.id, changes)
    const line = { amount_minor, currency, reference, occurred_at: at.toISOString() }
    this.#kind.record(updated, line, this.#dependencies)
    return updated
  }

  /** Returns the time at which the bank returns a paid order; null if it never does. */
  #returnDay(order: Order, at: Date): string | null {
    const { returnedAfterDays: days } = this.#findOutcome(order)
    const { country } = this.#dependencies.accounts.find(order.account_token)
    return days === undefined ? null : addBusinessDays(at, days, country).toISOString()
  }
}
