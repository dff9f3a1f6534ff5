// Fills orders whose rate is reached: once, in full, and at a price no worse than the account holder accepted.

import { release, reserve } from '@tern/ledger/holds'
import { currencyCodes, type CurrencyCode, scaleOf } from '@tern/money/currency'
import type { Ratio } from '@tern/money/ratio'
import type pg from 'pg'
import { type Db, retryOnConflict, type Tx } from '../../../platform/database/db.ts'
import { derivedId } from '../../../platform/ids.ts'
import { Refusal } from '../../../platform/refuse.ts'
import { endReservation, type Price, type QuotedPrice } from '../../exchange/exchange.ts'
import { areStopped } from '../../compliance/compliance.ts'
import { findAccountStop } from '../../risk/risk.ts'
import { type AllowedDecision, recordHold, buildTransferUsage } from '../../transfers/transfers.ts'
import type { MoveOutcome } from '../../wallets/move.ts'
import { holdsCurrency, type Party, type Wallet } from '../../wallets/wallets.ts'
import type { OrdersContext } from '../context.ts'
import { notifyFilled, notifyWaiting } from '../order-notices.ts'
import {
  buildDescription,
  toReservedAmount,
  type OrderAccounts,
  toPriceRequest,
  priceTransaction,
  readOrderAccounts,
} from '../order-rows.ts'
import { rankRate, rankSql } from '../order-terms.ts'
import { rateIfKnown } from '../order-view.ts'
import type { ExchangeOrderRow } from '../row-types.ts'

const atOnce = 4
const batchSize = 500
/** Pause after an attempt that was blocked for another reason than the worst rate. */
const retryMs = 10 * 60_000

/** Thrown to leave an order open without notifying its holder, for example while another worker fills it. */
class FillSkipped extends Error {}

/** Thrown to stop a fill although the rate is reached; the account holder is notified of `reason`. */
class FillBlocked extends Error {
  readonly reason: string
  constructor(reason: string) {
    super(reason)
    this.reason = reason
  }
}

/** Tries to fill every order whose rate is reached by the current rates. Safe with any number of workers. */
export async function fillTriggered(ctx: OrdersContext, pool: pg.Pool): Promise<void> {
  const attemptedIds: string[] = []
  for (;;) {
    const rows = await findTriggeredOrders(ctx, pool, attemptedIds)
    if (rows.length === 0) return
    const remaining = rows.values()
    const fillRemaining = async () => {
      for (const row of remaining) await tryFill(ctx, pool, row)
    }
    await Promise.all(Array.from({ length: atOnce }, fillRemaining))
    attemptedIds.push(...rows.map(({ id }) => id))
  }
}

interface KnownPair {
  readonly source: CurrencyCode
  readonly target: CurrencyCode
  readonly rate: Ratio
}

function listKnownPairs(exchange: OrdersContext['exchange']): KnownPair[] {
  const pairs: KnownPair[] = []
  for (const source of currencyCodes) {
    for (const target of currencyCodes) {
      const lastRate = source === target ? undefined : rateIfKnown(exchange, source, target)
      if (lastRate) pairs.push({ source, target, rate: lastRate.rate })
    }
  }
  return pairs
}

/**
 * Returns open orders whose rate is reached. An index finds candidates by their rank; exact integer fractions decide. A
 * stop order that waits for its worst rate is returned only once its proceeds suffice.
 */
async function findTriggeredOrders(
  { exchange, now }: OrdersContext,
  db: Db,
  attemptedIds: readonly string[],
): Promise<ExchangeOrderRow[]> {
  const pairs = listKnownPairs(exchange)
  const { rows } = await db.query<ExchangeOrderRow>(
    `select o.* from unnest($1::text[], $2::text[], $3::numeric[], $4::numeric[], $5::numeric[], $6::numeric[], $7::numeric[])
         as p (source, target, numerator, denominator, rank, source_unit, target_unit)
      cross join lateral (
        select l.* from exchange_order l
         where l.state = 'open' and l.source_currency = p.source and l.target_currency = p.target and l.kind = 'limit'
           and ${rankSql('l')} <= p.rank and l.trigger_numerator * p.denominator <= p.numerator * l.trigger_denominator
        union all
        select s.* from exchange_order s
         where s.state = 'open' and s.source_currency = p.source and s.target_currency = p.target and s.kind = 'stop'
           and ${rankSql('s')} >= p.rank and s.trigger_numerator * p.denominator >= p.numerator * s.trigger_denominator
           and (s.waiting_reason is distinct from 'worst_rate'
             or s.source_minor * p.numerator * p.target_unit >= s.minimum_minor * p.denominator * p.source_unit)
        -- Pair by pair, each by the index.
        offset 0
      ) o
      where o.expires_at > $8 and (o.try_at is null or o.try_at <= $8) and o.id <> all ($9::uuid[])
      limit ${String(batchSize)}`,
    [
      pairs.map(({ source }) => source),
      pairs.map(({ target }) => target),
      pairs.map(({ rate }) => rate.numerator),
      pairs.map(({ rate }) => rate.denominator),
      pairs.map(({ rate }) => rankRate(rate)),
      pairs.map(({ source }) => 10n ** BigInt(scaleOf(source))),
      pairs.map(({ target }) => 10n ** BigInt(scaleOf(target))),
      now(),
      attemptedIds,
    ],
  )
  return rows
}

async function tryFill(ctx: OrdersContext, pool: pg.Pool, row: ExchangeOrderRow): Promise<void> {
  try {
    await fill(ctx, pool, row)
  } catch (error) {
    if (error instanceof FillSkipped) return
    if (!(error instanceof FillBlocked)) {
      // Retried at the next run.
      ctx.log.error({ err: error, orderId: row.id }, 'an order could not be filled')
      return
    }
    await recordWaiting(ctx, pool, { row, reason: error.reason }).catch((failure: unknown) =>
      ctx.log.error({ err: failure, orderId: row.id }, 'it was not recorded why an order waits'),
    )
  }
}

/** Prices an order at the current rate. Throws FillSkipped or FillBlocked if it cannot be filled at this price. */
function priceOrder(ctx: OrdersContext, row: ExchangeOrderRow): QuotedPrice {
  const quotedPrice = quoteOrder(ctx, row)
  if (quotedPrice.price.target.minor < row.minimum_minor) {
    // A limit order below its minimum has not reached its rate; a stop order has, but its proceeds are too small.
    throw row.kind === 'limit' ? new FillSkipped() : new FillBlocked('worst_rate')
  }
  if (quotedPrice.price.total.minor > toReservedAmount(row).minor) throw new FillBlocked('fee_rose')
  return quotedPrice
}

function quoteOrder({ exchange }: OrdersContext, row: ExchangeOrderRow): QuotedPrice {
  try {
    return exchange.pricedFor({ userId: row.user_id, recipientId: undefined, request: toPriceRequest(row) })
  } catch (error) {
    if (error instanceof Refusal && error.code === 'rates_unavailable') throw new FillSkipped()
    return throwBlockedOnRefusal(error)
  }
}

const toCandidate = (row: ExchangeOrderRow, { source, target, usdMinor }: Price) =>
  ({ kind: 'exchange', senderId: row.user_id, source, target, usdMinor }) as const

/** Throws FillBlocked for a refusal, with its code as the reason. */
function throwBlockedOnRefusal(error: unknown): never {
  throw error instanceof Refusal ? new FillBlocked(error.code) : error
}

/** Fills an order. Throws FillSkipped or FillBlocked if it is not filled. */
async function fill(ctx: OrdersContext, pool: pg.Pool, row: ExchangeOrderRow): Promise<void> {
  const { wallets, exchange, transfers } = ctx
  const party = await wallets.findParty(pool, row.user_id)
  if (!party) throw new Error(`user ${row.user_id} has no wallet`)
  requireEligibleOwner(party, row)
  const { price } = priceOrder(ctx, row)
  const decided = await transfers.decide(toCandidate(row, price))
  if (decided.outcome === 'refuse') throw new FillBlocked(decided.code)
  // Opens accounts before the transaction that moves money between them.
  const accounts = await readOrderAccounts(ctx, pool, { walletId: party.wallet.id, currency: row.source_currency })
  await exchange.legs(pool, { price, from: party.wallet, to: party.wallet })
  // Avoids reserving a price for an order that another worker is filling.
  await lockOpen(ctx, pool, row)
  const quoted = priceOrder(ctx, row)
  // Commits the reservation before the money moves, so that other prices do not wait for the fill.
  await exchange.promise(quoted).catch(throwBlockedOnRefusal)
  try {
    const filling = { row, wallet: party.wallet, accounts, quoted, decided }
    await retryOnConflict(pool, (tx) => fillInTransaction(ctx, tx, filling))
  } catch (error) {
    // After any other error the order may have been filled, so its reservation is left to expire.
    if (error instanceof FillSkipped || error instanceof FillBlocked) await endReservation(pool, quoted.id)
    throw error
  }
}

interface FillInput {
  readonly row: ExchangeOrderRow
  readonly wallet: Wallet
  readonly accounts: OrderAccounts
  readonly quoted: QuotedPrice
  readonly decided: AllowedDecision
}

/**
 * Settles the order, or holds it for review, at its reserved price. Throws FillSkipped or FillBlocked if it does
 * neither.
 */
async function fillInTransaction(ctx: OrdersContext, tx: Tx, filling: FillInput): Promise<void> {
  const { row, quoted, decided } = filling
  await lockOpen(ctx, tx, row)
  // A case was opened after `decide`. The next run decides again.
  if (decided.outcome === 'settle' && (await areStopped(tx, [row.user_id]))) throw new FillSkipped()
  await requireNewest(tx, quoted)
  const { source, target, fee, rate, crossing } = quoted.price
  await priceTransaction(tx, {
    row,
    price: { source, target, fee, rate, stablecoin: crossing?.inflow.minor ?? null, quoteId: quoted.id },
  })
  await (decided.outcome === 'hold' ? holdForReview : settle)(ctx, tx, filling)
  // The account may have been frozen after `decide`. Checked after locking the accounts, because a freeze waits for
  // these locks.
  const stop = await findAccountStop(tx, row.user_id)
  if (stop) throw new FillBlocked(stop.code)
}

/** Locks an order. Throws FillSkipped if it has changed, ended or expired, or is locked by another worker. */
async function lockOpen({ now }: OrdersContext, db: Db, { id, version }: ExchangeOrderRow): Promise<void> {
  const { rowCount } = await db.query(
    `select from exchange_order where id = $1 and version = $2 and state = 'open' and expires_at > $3
        for update skip locked`,
    [id, version, now()],
  )
  if (rowCount !== 1) throw new FillSkipped()
}

function requireEligibleOwner({ verified, wallet }: Party, row: ExchangeOrderRow): void {
  if (!verified) throw new FillBlocked('verification_required')
  const holdsBoth = holdsCurrency(wallet, row.source_currency) && holdsCurrency(wallet, row.target_currency)
  if (!holdsBoth) throw new FillBlocked('currency_not_held')
}

/** Throws FillSkipped if newer rates are stored than those of the price. */
async function requireNewest(tx: Tx, { evidence: { fixIds } }: QuotedPrice): Promise<void> {
  const { rows } = await tx.query<{ newest: bigint }>(
    'select count(distinct fix_id) as newest from rate_latest where fix_id = any($1::uuid[])',
    [fixIds],
  )
  if (rows[0]?.newest !== BigInt(new Set(fixIds).size)) throw new FillSkipped()
}

/** Releases the hold, exchanges the money at the price and marks the order as filled. */
async function settle(ctx: OrdersContext, tx: Tx, { row, wallet, accounts, quoted }: FillInput): Promise<void> {
  const { exchange, mover, notifications } = ctx
  const { price, id: quoteId, createdAt: at } = quoted
  const legs = [
    release({ ...accounts, amount: toReservedAmount(row).minor }),
    ...(await exchange.legs(tx, { price, from: wallet, to: wallet })),
  ]
  const outcome = await mover.moveWithin(tx, {
    movement: { ...buildMovement('order fill', row, at), once: quoteId, legs },
    rows: [],
    ...buildTransferUsage(toCandidate(row, price), at),
    settles: [{ id: row.transaction_id, status: 'COMPLETED' }],
  })
  requirePosted(outcome, row)
  await tx.query(
    `update exchange_order set state = 'filled', quote_id = $2, ended_at = $3, waiting_reason = null,
        waiting_since = null, try_at = null where id = $1`,
    [row.id, quoteId, at],
  )
  await notifications.touch(tx, { userIds: [row.user_id], topic: 'orders' })
  await notifyFilled(ctx, tx, { row, target: price.target, rate: price.rate, fee: price.fee })
}

/** Holds the exchange for review, at its price. It counts against limits from this time. */
async function holdForReview(ctx: OrdersContext, tx: Tx, { row, accounts, quoted, decided }: FillInput): Promise<void> {
  if (decided.outcome !== 'hold') throw new Error(`order ${row.id} is not to be held`)
  const { price, id: quoteId, createdAt: at } = quoted
  const candidate = toCandidate(row, price)
  const outcome = await ctx.mover.moveWithin(tx, {
    movement: {
      ...buildMovement('order review', row, at),
      once: quoteId,
      legs: [
        release({ ...accounts, amount: toReservedAmount(row).minor }),
        reserve({ ...accounts, amount: price.total.minor }),
      ],
    },
    rows: [],
    ...buildTransferUsage(candidate, at),
  })
  requirePosted(outcome, row)
  const hold = {
    id: row.transaction_id,
    candidate,
    amount: price.total,
    price,
    quoteId,
    at,
    description: buildDescription(row),
    requestHash: row.request_hash,
  }
  await recordHold(tx, hold, decided)
  await tx.query(
    `update exchange_order set state = 'in_review', quote_id = $2, fee_minor = $3, waiting_reason = null,
        waiting_since = null, try_at = null where id = $1`,
    [row.id, quoteId, price.fee.minor],
  )
  await ctx.notifications.touch(tx, { userIds: [row.user_id], topic: 'orders' })
}

const buildMovement = (name: 'order fill' | 'order review', row: ExchangeOrderRow, at: Date) => ({
  id: derivedId(name, row.id),
  requestHash: row.request_hash,
  kind: 'exchange',
  reference: row.transaction_id,
  at,
})

function requirePosted(outcome: MoveOutcome, row: ExchangeOrderRow): void {
  if (outcome.status === 'posted') return
  if (outcome.status === 'refused' && outcome.reason === 'limit_exceeded') throw new FillBlocked('limit_exceeded')
  throw new Error(`order ${row.id} could not be posted: ${JSON.stringify(outcome)}`)
}

/** Records why an order was not filled although its rate was reached, and notifies the account holder. */
async function recordWaiting(
  ctx: OrdersContext,
  pool: pg.Pool,
  { row, reason }: { readonly row: ExchangeOrderRow; readonly reason: string },
): Promise<void> {
  const at = ctx.now()
  // Orders that wait for a better rate are tried at every run, others after a pause.
  const nextAttemptAt = reason === 'worst_rate' ? null : new Date(at.getTime() + retryMs)
  await retryOnConflict(pool, async (tx) => {
    const { rowCount } = await tx.query(
      `update exchange_order set waiting_reason = $3, try_at = $5,
          waiting_since = case when waiting_reason is distinct from $3 then $4 else waiting_since end
        where id in (select id from exchange_order where id = $1 and version = $2 and state = 'open' for update skip locked)`,
      [row.id, row.version, reason, at, nextAttemptAt],
    )
    if (rowCount !== 1 || row.waiting_reason === reason) return
    await ctx.notifications.touch(tx, { userIds: [row.user_id], topic: 'orders' })
    await notifyWaiting(ctx, tx, { row, reason })
  })
}
