// Places, edits and cancels orders.

import type { OrderEdit, NewOrder, Order } from '@tern/contract/orders/orders'
import { release, reserve } from '@tern/ledger/holds'
import type { Leg } from '@tern/ledger/movement'
import type { Money } from '@tern/money/money'
import type pg from 'pg'
import { type Db, retryOnConflict, type Tx } from '../../platform/database/db.ts'
import { lockName } from '../../platform/database/locks.ts'
import { insertRow, updateRow } from '../../platform/database/rows.ts'
import { amountText, parseAmount } from '../../platform/http/amount.ts'
import { requestHash } from '../../platform/http/idempotency.ts'
import type { Caller } from '../../platform/http/serve.ts'
import { derivedId, newId } from '../../platform/ids.ts'
import { acceptOutcome } from '../../platform/outcome.ts'
import { fieldReason, Refusal, refuse, refuseField } from '../../platform/refuse.ts'
import type { MoveOutcome } from '../wallets/move.ts'
import { findWallet, holdsCurrency, readWallet, type Wallet } from '../wallets/wallets.ts'
import { endOrder, expireIfDue } from './order-ends.ts'
import type { OrdersContext } from './context.ts'
import {
  findOwnOrder,
  toReservedAmount,
  lockOwnOrder,
  type OrderAccounts,
  type OwnOrder,
  pendingRow,
  priceTransaction,
  readOrderAccounts,
  termColumns,
} from './order-rows.ts'
import { type OrderTerms, rateBetween, computeTerms } from './order-terms.ts'
import { maxOpen, readOrder } from './order-view.ts'
import type { ExchangeOrderRow } from './row-types.ts'

const dayMs = 86_400_000
const defaultDays = 30
const maxDays = 366

/** Returns an order's expiry. Refuses `invalid_request` for a past time, or one more than 366 days ahead. */
function resolveExpiry(requested: string | undefined, defaultExpiry: Date, at: Date): Date {
  const expiresAt = requested === undefined ? defaultExpiry : new Date(requested)
  if (expiresAt <= at) refuseField('invalid_request', 'expires_at', 'expiry_not_ahead')
  if (expiresAt.getTime() > at.getTime() + maxDays * dayMs) {
    refuseField('invalid_request', 'expires_at', 'expiry_too_far')
  }
  return expiresAt
}

interface Trade {
  readonly caller: Pick<Caller, 'userId' | 'verified'>
  readonly pair: Pick<NewOrder, 'source_currency' | 'target_currency'>
}

/**
 * Returns the caller's wallet. Refuses `verification_required`, `not_found`, and `currency_not_held` unless it holds
 * both currencies.
 */
async function requireWallet(db: Db, { caller: { userId, verified }, pair }: Trade): Promise<Wallet> {
  if (!verified) refuse('verification_required')
  const wallet = (await findWallet(db, userId)) ?? refuse('not_found')
  for (const field of ['source_currency', 'target_currency'] as const) {
    if (!holdsCurrency(wallet, pair[field])) refuseField('currency_not_held', field)
  }
  return wallet
}

/**
 * Refuses an amount that could not be exchanged at the current rates, such as `amount_too_small`. Accepts any amount
 * while there are no current rates.
 */
function checkSize({ exchange }: OrdersContext, amount: Money, targetCurrency: NewOrder['target_currency']): void {
  try {
    const { currency: sourceCurrency } = amount
    exchange.price({ amount, side: 'source', sourceCurrency, targetCurrency, useStablecoin: true })
  } catch (error) {
    if (!(error instanceof Refusal) || error.code !== 'rates_unavailable') throw error
  }
}

interface ReservationResult {
  readonly outcome: MoveOutcome
  readonly wallet: Wallet
  /** Total to be on hold for the order. */
  readonly needed: Money
}

/** Accepts a posted reservation. Refuses others; `insufficient_funds` states the needed and available amounts. */
async function acceptReservation(db: Db, { outcome, wallet, needed }: ReservationResult): Promise<void> {
  if (outcome.status === 'refused' && outcome.reason === 'insufficient_funds') {
    const { assets } = await readWallet(db, wallet)
    const asset = assets.find(({ currency }) => currency === needed.currency)
    const params = { needed: amountText(needed), available: `${asset?.available ?? '0'} ${needed.currency}` }
    refuse('insufficient_funds', fieldReason('amount', { code: 'order_needs', params }))
  }
  acceptOutcome(outcome)
}

interface KeyedRow {
  readonly table: 'exchange_order' | 'exchange_order_edit'
  readonly id: string
  readonly hash: Buffer
}

/** True if the key was already used for this request. Refuses `idempotency_key_reused` for a different request. */
async function isRepeated(db: Db, { table, id, hash }: KeyedRow): Promise<boolean> {
  const { rows } = await db.query<Pick<ExchangeOrderRow, 'request_hash'>>(
    `select request_hash from ${table} where id = $1`,
    [id],
  )
  if (rows[0] && !rows[0].request_hash.equals(hash)) refuseField('idempotency_key_reused', 'Idempotency-Key')
  return rows.length === 1
}

interface Placement {
  readonly caller: Caller
  readonly body: NewOrder
  readonly idempotencyKey: string
}

/** Places an order, once per key, and holds its amount and fee. Refusals: see `placeOrder` in the contract. */
export async function placeOrder(
  ctx: OrdersContext,
  pool: pg.Pool,
  { caller, body, idempotencyKey }: Placement,
): Promise<Order> {
  const { userId } = caller
  const id = derivedId('order', userId, idempotencyKey)
  const key: KeyedRow = { table: 'exchange_order', id, hash: requestHash(body) }
  if (!(await isRepeated(pool, key))) await reserveOrder(ctx, pool, { caller, body, key })
  return readOrder(ctx, pool, { userId, id })
}

/** Stores an order and holds its money, unless its key was used meanwhile. */
async function reserveOrder(
  ctx: OrdersContext,
  pool: pg.Pool,
  { caller, body, key }: Omit<Placement, 'idempotencyKey'> & { readonly key: KeyedRow },
): Promise<void> {
  const { mover, notifications, now } = ctx
  const { userId } = caller
  const { id, hash } = key
  const { kind, source_currency: source, target_currency: targetCurrency } = body
  const wallet = await requireWallet(pool, { caller, pair: body })
  const amount = parseAmount('amount', source, body.amount)
  const rateCurrency = body.rate_currency ?? source
  const terms = computeTerms({ kind, amount, targetCurrency, rateCurrency, ...pickRates(body) })
  checkSize(ctx, amount, targetCurrency)
  const accounts = await readOrderAccounts(ctx, pool, { walletId: wallet.id, currency: source })
  const needed = { currency: source, minor: amount.minor + terms.fee.minor }
  const outcome = await retryOnConflict(pool, async (tx): Promise<MoveOutcome | undefined> => {
    await lockName(tx, `orders of ${userId}`)
    if (await isRepeated(tx, key)) return undefined
    await checkRoom(tx, userId)
    const at = now()
    const expiresAt = resolveExpiry(body.expires_at, new Date(at.getTime() + defaultDays * dayMs), at)
    const reference = newId(at)
    const price = { source: amount, target: terms.minimum, fee: terms.fee, rate: rateBetween(amount, terms.minimum) }
    const moveOutcome = await mover.moveWithin(tx, {
      movement: {
        id,
        requestHash: hash,
        kind: 'exchange',
        reference,
        keepsRefusal: true,
        at,
        legs: [reserve({ ...accounts, amount: needed.minor })],
      },
      rows: [pendingRow(kind, wallet, price)],
    })
    if (moveOutcome.status !== 'posted') return moveOutcome
    await insertRow(tx, 'exchange_order', {
      id,
      user_id: userId,
      wallet_id: wallet.id,
      transaction_id: reference,
      kind,
      state: 'open',
      source_currency: source,
      target_currency: targetCurrency,
      rate_currency: rateCurrency,
      ...termColumns(amount, terms),
      expires_at: expiresAt,
      request_hash: hash,
      created_at: at,
    })
    await notifications.touch(tx, { userIds: [userId], topic: 'orders' })
    return moveOutcome
  })
  if (outcome) await acceptReservation(pool, { outcome, wallet, needed })
}

async function checkRoom(tx: Tx, userId: bigint): Promise<void> {
  const { rowCount } = await tx.query(
    `select from exchange_order where user_id = $1 and ended_at is null limit ${String(maxOpen)}`,
    [userId],
  )
  if (rowCount === maxOpen) refuse('too_many_orders')
}

const pickRates = ({ rate, worst_rate: worstRate }: OrderEdit) => ({ rate, worstRate })

/** Refuses to change an order that is not open. The refusal contains the order. */
async function refuseEndedOrder(ctx: OrdersContext, db: Db, row: ExchangeOrderRow): Promise<never> {
  const order = await readOrder(ctx, db, { userId: row.user_id, id: row.id })
  return refuse(row.state === 'filled' ? 'order_filled' : 'order_not_open', { extra: { order } })
}

interface OrderChange {
  readonly caller: Caller
  readonly id: string
  readonly body: OrderEdit
  readonly idempotencyKey: string
}

/** Edits an open order, once per key. Refusals: see `editOrder` in the contract. */
export async function editOrder(
  ctx: OrdersContext,
  pool: pg.Pool,
  { caller, id, body, idempotencyKey }: OrderChange,
): Promise<Order> {
  const { userId } = caller
  const editId = derivedId('order edit', userId, idempotencyKey)
  const key: KeyedRow = { table: 'exchange_order_edit', id: editId, hash: requestHash({ ...body, id }) }
  if (!(await isRepeated(pool, key))) await applyEdit(ctx, pool, { caller, id, body, key })
  return readOrder(ctx, pool, { userId, id })
}

async function applyEdit(
  ctx: OrdersContext,
  pool: pg.Pool,
  { caller, id, body, key }: Omit<OrderChange, 'idempotencyKey'> & { readonly key: KeyedRow },
): Promise<void> {
  const { userId } = caller
  await expireIfDue(ctx, pool, { userId, id })
  const previousOrder = await findOwnOrder(pool, { userId, id })
  const { kind, source_currency: source, target_currency: targetCurrency, rate_currency: rateCurrency } = previousOrder
  const wallet = await requireWallet(pool, { caller, pair: previousOrder })
  const amount = parseAmount('amount', source, body.amount)
  const terms = computeTerms({ kind, amount, targetCurrency, rateCurrency, ...pickRates(body) })
  checkSize(ctx, amount, targetCurrency)
  const accounts = await readOrderAccounts(ctx, pool, { walletId: wallet.id, currency: source })
  const edit = { key, accounts, amount, terms, expiresAt: body.expires_at }
  const result = await retryOnConflict(pool, async (tx) => {
    const row = await lockOwnOrder(tx, { userId, id })
    if (await isRepeated(tx, key)) return undefined
    return row.state === 'open' ? { row, outcome: await changeTerms(ctx, tx, { ...edit, row }) } : { row }
  })
  if (!result) return
  const { outcome, row } = result
  if (!outcome) await refuseEndedOrder(ctx, pool, row)
  else if (outcome !== 'unmoved') {
    const needed = { currency: source, minor: amount.minor + terms.fee.minor }
    await acceptReservation(pool, { outcome, wallet, needed })
  }
}

interface TermChange {
  readonly row: ExchangeOrderRow
  readonly key: KeyedRow
  readonly accounts: OrderAccounts
  readonly amount: Money
  readonly terms: OrderTerms
  readonly expiresAt: string | undefined
}

/** Holds or releases the difference in money and stores the new terms. */
async function changeTerms(
  { mover, notifications, now }: OrdersContext,
  tx: Tx,
  { row, key, accounts, amount, terms, expiresAt: requestedExpiry }: TermChange,
): Promise<MoveOutcome | 'unmoved'> {
  const at = now()
  const expiresAt = resolveExpiry(requestedExpiry, row.expires_at, at)
  const missingMinor = amount.minor + terms.fee.minor - toReservedAmount(row).minor
  const legs: Leg[] =
    missingMinor > 0n
      ? [reserve({ ...accounts, amount: missingMinor })]
      : missingMinor < 0n
        ? [release({ ...accounts, amount: -missingMinor })]
        : []
  let outcome: MoveOutcome | 'unmoved' = 'unmoved'
  if (legs.length > 0) {
    outcome = await mover.moveWithin(tx, {
      movement: {
        id: key.id,
        requestHash: key.hash,
        kind: 'order_edit',
        reference: row.transaction_id,
        keepsRefusal: true,
        at,
        legs,
      },
      rows: [],
    })
    if (outcome.status !== 'posted') return outcome
  }
  await priceTransaction(tx, {
    row,
    price: {
      source: amount,
      target: terms.minimum,
      stablecoin: null,
      fee: terms.fee,
      quoteId: null,
      rate: rateBetween(amount, terms.minimum),
    },
  })
  await updateRow(tx, 'exchange_order', row.id, {
    ...termColumns(amount, terms),
    expires_at: expiresAt,
    version: row.version + 1,
    edited_at: at,
    waiting_reason: null,
    waiting_since: null,
    try_at: null,
  })
  await insertRow(tx, 'exchange_order_edit', { id: key.id, order_id: row.id, request_hash: key.hash, created_at: at })
  await notifications.touch(tx, { userIds: [row.user_id], topic: 'orders' })
  return outcome
}

/**
 * Cancels an order that is open or in review; a repeated call changes nothing. Refusals: see `cancelOrder` in the
 * contract.
 */
export async function cancelOrder(ctx: OrdersContext, pool: pg.Pool, ownOrder: OwnOrder): Promise<Order> {
  await expireIfDue(ctx, pool, ownOrder)
  const { wallet_id: walletId, source_currency: currency } = await findOwnOrder(pool, ownOrder)
  const accounts = await readOrderAccounts(ctx, pool, { walletId, currency })
  const row = await retryOnConflict(pool, async (tx) => {
    const locked = await lockOwnOrder(tx, ownOrder)
    if (locked.state !== 'open') return locked
    await endOrder(ctx, tx, { row: locked, state: 'cancelled', accounts })
    return { ...locked, state: 'cancelled' } as const
  })
  if (row.state === 'in_review') await cancelReviewed(ctx, pool, row)
  else if (row.state !== 'cancelled') await refuseEndedOrder(ctx, pool, row)
  return readOrder(ctx, pool, ownOrder)
}

/** Cancels the held exchange of an order in review. Refused if an operator has decided first. */
async function cancelReviewed(ctx: OrdersContext, pool: pg.Pool, row: ExchangeOrderRow): Promise<void> {
  const { id, user_id: userId } = row
  try {
    await ctx.heldTransfers.cancel({ userId, id: row.transaction_id })
  } catch (error) {
    const isDecided = error instanceof Refusal && error.code === 'not_cancelable'
    if (isDecided) await refuseEndedOrder(ctx, pool, await findOwnOrder(pool, { userId, id }))
    throw error
  }
}
