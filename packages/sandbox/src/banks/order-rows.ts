import type { Store } from '../server/store.ts'

export type OrderStatus = 'open' | 'paid' | 'failed' | 'canceled' | 'returned'

/** A bank order. `amount_minor` is in the currency's minor units. */
export interface Order {
  id: string
  account_token: string
  amount_minor: string
  currency: string
  reference: string
  status: OrderStatus
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

/** Storage of one kind of order. */
export interface OrderTable {
  table: 'bank_debit' | 'payout'
  movedColumn: 'capture_id' | 'paid_id'
}

export interface OrderRows {
  byId(id: string): Order | undefined
  byKey(idempotencyKey: string): { id: string; request_hash: string } | undefined
  /** The first due by `now`. */
  nextDue(now: string): Order | undefined
  newest(limit: number): Order[]
  insert(order: NewOrder, row: { id: string; key: string; hash: string; createdAt: string; dueAt: string }): void
  /** Saves an order's mutable columns. */
  save(order: Order): void
}

export function createOrderRows(store: Store, { table, movedColumn }: OrderTable): OrderRows {
  const select = `select id, account_token, amount_minor, currency, reference, status, ${movedColumn} as moved_id,
    return_id, reason, created_at, due_at from ${table}`
  return {
    byId: (id) => store.all<Order>(`${select} where id = ?`, id)[0],
    byKey: (key) =>
      store.all<{ id: string; request_hash: string }>(
        `select id, request_hash from ${table} where idempotency_key = ?`,
        key,
      )[0],
    nextDue: (now) => store.all<Order>(`${select} where due_at <= ? order by due_at, number limit 1`, now)[0],
    newest: (limit) => store.all<Order>(`${select} order by number desc limit ?`, limit),

    insert({ amountMinor, currency, reference, accountToken, description }, { id, key, hash, createdAt, dueAt }) {
      store.run(
        `insert into ${table} (id, idempotency_key, request_hash, account_token, amount_minor, currency, reference,
           description, created_at, due_at)
         values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
        id,
        key,
        hash,
        accountToken,
        amountMinor,
        currency,
        reference,
        description,
        createdAt,
        dueAt,
      )
    },

    save({ id, status, moved_id: movedId, return_id: returnId, reason, due_at: dueAt }) {
      store.run(
        `update ${table} set status = ?, ${movedColumn} = ?, return_id = ?, reason = ?, due_at = ? where id = ?`,
        status,
        movedId,
        returnId,
        reason,
        dueAt,
        id,
      )
    },
  }
}
