// Ends orders without a fill, and those whose exchange was held for review.

import { release } from '@tern/ledger/holds'
import { money } from '@tern/money/money'
import { ratio } from '@tern/money/ratio'
import type pg from 'pg'
import { retryOnConflict, type Tx } from '../../platform/database/db.ts'
import { derivedId } from '../../platform/ids.ts'
import { acceptOutcome } from '../../platform/outcome.ts'
import type { NoticeContext, OrdersContext } from './context.ts'
import { notifyExpired, notifyFilled } from './order-notices.ts'
import { toReservedAmount, type OrderAccounts, type OwnOrder, readOrderAccounts } from './order-rows.ts'
import type { ExchangeOrderRow } from './row-types.ts'

const maxDue = 500

interface OrderEnd {
  readonly row: ExchangeOrderRow
  readonly state: 'cancelled' | 'expired'
  readonly accounts: OrderAccounts
}

/** Ends a locked open order and releases its hold. */
export async function endOrder(
  { mover, notifications, now }: OrdersContext,
  tx: Tx,
  { row, state, accounts }: OrderEnd,
): Promise<void> {
  const at = now()
  const outcome = await mover.moveWithin(tx, {
    movement: {
      id: derivedId('order release', row.id),
      requestHash: row.request_hash,
      kind: 'order_release',
      reference: row.transaction_id,
      at,
      legs: [release({ ...accounts, amount: toReservedAmount(row).minor })],
    },
    rows: [],
    settles: [{ id: row.transaction_id, status: 'FAILED' }],
  })
  if (acceptOutcome(outcome) !== 'posted') throw new Error(`order ${row.id} ended twice`)
  await tx.query(
    `update exchange_order set state = $2, ended_at = $3, waiting_reason = null, waiting_since = null, try_at = null
      where id = $1`,
    [row.id, state, at],
  )
  await notifications.touch(tx, { userIds: [row.user_id], topic: 'orders' })
}

/** Ends open orders that have expired. Safe with any number of workers. */
export async function expireDue(ctx: OrdersContext, pool: pg.Pool): Promise<void> {
  const { rows } = await pool.query<ExchangeOrderRow>(
    `select * from exchange_order where state = 'open' and expires_at <= $1 order by expires_at limit ${String(maxDue)}`,
    [ctx.now()],
  )
  for (const row of rows) {
    await expire(ctx, pool, row).catch((error: unknown) =>
      ctx.log.error({ err: error, orderId: row.id }, 'an order could not be ended'),
    )
  }
}

/** Ends a user's order if it has expired, so that a request does not depend on a worker. */
export async function expireIfDue(ctx: OrdersContext, pool: pg.Pool, { userId, id }: OwnOrder): Promise<void> {
  const { rows } = await pool.query<ExchangeOrderRow>(
    `select * from exchange_order where id = $1 and user_id = $2 and state = 'open' and expires_at <= $3`,
    [id, userId, ctx.now()],
  )
  if (rows[0]) await expire(ctx, pool, rows[0])
}

async function expire(ctx: OrdersContext, pool: pg.Pool, order: ExchangeOrderRow): Promise<void> {
  const { id, wallet_id: walletId, source_currency: currency } = order
  const accounts = await readOrderAccounts(ctx, pool, { walletId, currency })
  await retryOnConflict(pool, async (tx) => {
    const { rows } = await tx.query<ExchangeOrderRow>(
      `select * from exchange_order where id = $1 and state = 'open' and expires_at <= $2 for update skip locked`,
      [id, ctx.now()],
    )
    const [row] = rows
    if (!row) return
    await endOrder(ctx, tx, { row, state: 'expired', accounts })
    await notifyExpired(ctx, tx, row)
  })
}

interface ExchangeEnd {
  readonly transactionId: string
  readonly event: 'settle' | 'release'
  readonly at: Date
}

/** Ends the order whose held exchange was settled or released. False if the exchange belongs to no order. */
export async function endHeldOrder(
  ctx: NoticeContext,
  tx: Tx,
  { transactionId, event, at }: ExchangeEnd,
): Promise<boolean> {
  const { rows } = await tx.query<ExchangeOrderRow>(
    `update exchange_order o set ended_at = $2, state = case when $3 then 'filled' else h.release_reason end
       from transfer h where h.id = o.transaction_id and o.transaction_id = $1 and o.state = 'in_review' returning o.*`,
    [transactionId, at, event === 'settle'],
  )
  const [row] = rows
  if (!row) return false
  await ctx.notifications.touch(tx, { userIds: [row.user_id], topic: 'orders' })
  if (event === 'settle') await notifyFilled(ctx, tx, { row, ...(await readStoredPrice(tx, row)) })
  return true
}

/** Reads the price from the order's transaction. */
async function readStoredPrice(tx: Tx, row: ExchangeOrderRow) {
  const { rows } = await tx.query<{ target: bigint; fee: bigint; numerator: bigint; denominator: bigint }>(
    `select target_amount as target, fee_amount as fee, rate_numerator as numerator, rate_denominator as denominator
       from transaction where user_id = $1 and id = $2`,
    [row.user_id, row.transaction_id],
  )
  const price = rows[0]
  if (!price) throw new Error(`order ${row.id} has no transaction`)
  return {
    target: money(row.target_currency, price.target),
    fee: money(row.source_currency, price.fee),
    rate: ratio(price.numerator, price.denominator),
  }
}
