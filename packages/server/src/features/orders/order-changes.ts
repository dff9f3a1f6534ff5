// Placing, changing and cancelling orders.

import type { ChangedOrder, NewOrder } from '@tern/contract/orders/orders'
import { release, reserve } from '@tern/ledger/holds'
import type { Leg } from '@tern/ledger/movement'
import type { Money } from '@tern/money/money'
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
import {
  heldOf,
  lockOwnOrder,
  orderAccounts,
  type OrderOptions,
  type OrderRow,
  pendingRow,
  priceTransaction,
  termColumns,
} from './order-rows.ts'
import { type OrderTerms, rateBetween, termsOf } from './order-terms.ts'
import { createOrderViews, mostOpen } from './order-view.ts'

const dayMs = 86_400_000
const defaultDays = 30
const mostDays = 366

/** Returns the expiry of an order. Refuses a past time, or one further than a year ahead. */
function expiryOf(given: string | undefined, otherwise: Date, at: Date): Date {
  const expiresAt = given === undefined ? otherwise : new Date(given)
  if (expiresAt <= at) refuseField('invalid_request', 'expires_at', 'expiry_not_ahead')
  if (expiresAt.getTime() > at.getTime() + mostDays * dayMs) {
    refuseField('invalid_request', 'expires_at', 'expiry_too_far')
  }
  return expiresAt
}

/**
 * Returns the caller's wallet if it holds both currencies. Refuses `verification_required`, `not_found`,
 * `currency_not_held`.
 */
async function walletFor(
  { pool }: OrderOptions,
  { userId, verified }: Pick<Caller, 'userId' | 'verified'>,
  pair: Pick<NewOrder, 'source_currency' | 'target_currency'>,
): Promise<Wallet> {
  if (!verified) refuse('verification_required')
  const wallet = (await findWallet(pool, userId)) ?? refuse('not_found')
  for (const field of ['source_currency', 'target_currency'] as const) {
    if (!holdsCurrency(wallet, pair[field])) refuseField('currency_not_held', field)
  }
  return wallet
}

/** Refuses `amount_too_small` when rates are known and an exchange of this amount would be refused now. */
function checkSize({ exchange }: OrderOptions, amount: Money, targetCurrency: NewOrder['target_currency']): void {
  try {
    const { currency: sourceCurrency } = amount
    exchange.price({ amount, side: 'source', sourceCurrency, targetCurrency, useStablecoin: true })
  } catch (error) {
    // An order may be placed without a current rate.
    if (!(error instanceof Refusal) || error.code !== 'rates_unavailable') throw error
  }
}

/** Checks the outcome of reserving money; the refusal `insufficient_funds` states the needed and available amounts. */
async function acceptReserved(
  options: OrderOptions,
  outcome: MoveOutcome,
  wallet: Wallet,
  needed: Money,
  more: Money,
): Promise<void> {
  if (outcome.status === 'refused' && outcome.reason === 'insufficient_funds') {
    const { assets } = await readWallet(options.pool, wallet)
    const asset = assets.find(({ currency }) => currency === more.currency)
    const params = { needed: amountText(needed), available: `${asset?.available ?? '0'} ${more.currency}` }
    refuse('insufficient_funds', fieldReason('amount', { code: 'order_needs', params }))
  }
  acceptOutcome(outcome)
}

/**
 * Returns whether the key was used for this request before. Refuses `idempotency_key_reused` for a different request.
 */
async function isRepeated(db: Db, table: string, id: string, hash: Buffer): Promise<boolean> {
  const { rows } = await db.query<{ request_hash: Buffer }>(`select request_hash from ${table} where id = $1`, [id])
  if (rows[0] && !rows[0].request_hash.equals(hash)) refuseField('idempotency_key_reused', 'Idempotency-Key')
  return rows.length === 1
}

/** Places an order once per key and puts its amount and fee on hold. Refuses what the contract's `placeOrder` lists. */
export async function placeOrder(
  options: OrderOptions,
  caller: Caller,
  wanted: NewOrder,
  idempotencyKey: string,
): Promise<string> {
  const { pool, mover, notifications, now } = options
  const id = derivedId('order', caller.userId, idempotencyKey)
  const hash = requestHash(wanted)
  if (await isRepeated(pool, 'exchange_order', id, hash)) return id
  const { kind, source_currency: source, target_currency: targetCurrency } = wanted
  const wallet = await walletFor(options, caller, wanted)
  const amount = parseAmount('amount', source, wanted.amount)
  const rateCurrency = wanted.rate_currency ?? source
  const terms = termsOf({ kind, amount, targetCurrency, rateCurrency, ...ratesOf(wanted) })
  checkSize(options, amount, targetCurrency)
  const accounts = await orderAccounts(options, wallet.id, source)
  const held = amount.minor + terms.fee.minor
  const outcome = await retryOnConflict(pool, async (tx): Promise<MoveOutcome | undefined> => {
    await lockName(tx, `orders of ${caller.userId}`)
    if (await isRepeated(tx, 'exchange_order', id, hash)) return undefined
    await checkRoom(tx, caller.userId)
    const at = now()
    const expiresAt = expiryOf(wanted.expires_at, new Date(at.getTime() + defaultDays * dayMs), at)
    const reference = newId(at)
    const shown = { source: amount, target: terms.minimum, fee: terms.fee, rate: rateBetween(amount, terms.minimum) }
    const moved = await mover.moveWithin(tx, {
      movement: {
        ...{ id, requestHash: hash, kind: 'exchange', reference, keepsRefusal: true, at },
        legs: [reserve({ ...accounts, amount: held })],
      },
      rows: [pendingRow(kind, wallet, shown)],
    })
    if (moved.status !== 'posted') return moved
    await insertRow(tx, 'exchange_order', {
      ...{ id, user_id: caller.userId, wallet_id: wallet.id, transaction_id: reference, kind, state: 'open' },
      ...{ source_currency: source, target_currency: targetCurrency, rate_currency: rateCurrency },
      ...termColumns(amount, terms),
      ...{ expires_at: expiresAt, request_hash: hash, created_at: at },
    })
    await notifications.touch(tx, { userIds: [caller.userId], topic: 'orders' })
    return moved
  })
  const needed = { currency: source, minor: held }
  if (outcome) await acceptReserved(options, outcome, wallet, needed, needed)
  return id
}

async function checkRoom(tx: Tx, userId: bigint): Promise<void> {
  const { rowCount } = await tx.query(
    `select from exchange_order where user_id = $1 and ended_at is null limit ${String(mostOpen)}`,
    [userId],
  )
  if (rowCount === mostOpen) refuse('too_many_orders')
}

const ratesOf = ({ rate, worst_rate: worstRate }: ChangedOrder) => ({ rate, worstRate })

/** Refuses a change of an order that is not open, with its current state. */
export async function refuseEnded(options: OrderOptions, row: OrderRow): Promise<never> {
  const order = await createOrderViews(options).one(row.user_id, row.id)
  return refuse(row.state === 'filled' ? 'order_filled' : 'order_not_open', { extra: { order } })
}

/** Changes an open order atomically, once per key. Refuses what the contract's `editOrder` lists. */
export async function editOrder(
  options: OrderOptions,
  caller: Caller,
  id: string,
  wanted: ChangedOrder,
  idempotencyKey: string,
): Promise<void> {
  const { pool } = options
  const editId = derivedId('order edit', caller.userId, idempotencyKey)
  const hash = requestHash({ ...wanted, id })
  if (await isRepeated(pool, 'exchange_order_edit', editId, hash)) return
  await expireIfDue(options, caller.userId, id)
  const { rows } = await pool.query<OrderRow>('select * from exchange_order where id = $1 and user_id = $2', [
    id,
    caller.userId,
  ])
  const before = rows[0] ?? refuse('not_found')
  const { kind, source_currency: source, target_currency: targetCurrency, rate_currency: rateCurrency } = before
  const wallet = await walletFor(options, caller, before)
  const amount = parseAmount('amount', source, wanted.amount)
  const terms = termsOf({ kind, amount, targetCurrency, rateCurrency, ...ratesOf(wanted) })
  checkSize(options, amount, targetCurrency)
  const prepared = { wallet, accounts: await orderAccounts(options, wallet.id, source), amount, terms }
  const edit = { id: editId, hash, expiresAt: wanted.expires_at }
  const done = await retryOnConflict(pool, async (tx) => {
    const row = await lockOwnOrder(tx, caller.userId, id)
    if (await isRepeated(tx, 'exchange_order_edit', editId, hash)) return undefined
    return row.state === 'open' ? { row, outcome: await changeTerms(options, tx, row, prepared, edit) } : { row }
  })
  if (!done) return
  if (!done.outcome) await refuseEnded(options, done.row)
  else if (done.outcome !== 'unmoved') {
    const needed = { currency: source, minor: amount.minor + terms.fee.minor }
    await acceptReserved(options, done.outcome, wallet, needed, amount)
  }
}

interface Prepared {
  readonly wallet: Wallet
  readonly accounts: { readonly wallet: bigint; readonly hold: bigint }
  readonly amount: Money
  readonly terms: OrderTerms
}

interface Edit {
  readonly id: string
  readonly hash: Buffer
  readonly expiresAt: string | undefined
}

/** Reserves or releases the difference in money, and stores the new terms. */
async function changeTerms(
  { mover, notifications, now }: OrderOptions,
  tx: Tx,
  row: OrderRow,
  { wallet, accounts, amount, terms }: Prepared,
  edit: Edit,
): Promise<MoveOutcome | 'unmoved'> {
  const at = now()
  const expiresAt = expiryOf(edit.expiresAt, row.expires_at, at)
  const more = amount.minor + terms.fee.minor - heldOf(row).minor
  const legs: Leg[] =
    more > 0n ? [reserve({ ...accounts, amount: more })] : more < 0n ? [release({ ...accounts, amount: -more })] : []
  let outcome: MoveOutcome | 'unmoved' = 'unmoved'
  if (legs.length > 0) {
    const names = { id: edit.id, requestHash: edit.hash, kind: 'order_edit', reference: row.transaction_id }
    outcome = await mover.moveWithin(tx, { movement: { ...names, keepsRefusal: true, at, legs }, rows: [] })
    if (outcome.status !== 'posted') return outcome
  }
  await priceTransaction(tx, row, {
    ...{ source: amount, target: terms.minimum, stablecoin: null, fee: terms.fee, quoteId: null },
    rate: rateBetween(amount, terms.minimum),
  })
  await updateRow(tx, 'exchange_order', row.id, {
    ...termColumns(amount, terms),
    ...{ expires_at: expiresAt, version: row.version + 1, edited_at: at },
    ...{ waiting_reason: null, waiting_since: null, try_at: null },
  })
  await insertRow(tx, 'exchange_order_edit', {
    ...{ id: edit.id, order_id: row.id, request_hash: edit.hash, created_at: at },
  })
  await notifications.touch(tx, { userIds: [wallet.userId], topic: 'orders' })
  return outcome
}

/**
 * Cancels an order that is open or in review. A repeated call changes nothing. Refuses what the contract's
 * `cancelOrder` lists.
 */
export async function cancelOrder(options: OrderOptions, userId: bigint, id: string): Promise<void> {
  const { pool, cancelHeld } = options
  await expireIfDue(options, userId, id)
  const { rows } = await pool.query<OrderRow>('select * from exchange_order where id = $1 and user_id = $2', [
    id,
    userId,
  ])
  const before = rows[0] ?? refuse('not_found')
  const accounts = await orderAccounts(options, before.wallet_id, before.source_currency)
  const row = await retryOnConflict(pool, async (tx) => {
    const locked = await lockOwnOrder(tx, userId, id)
    if (locked.state !== 'open') return locked
    await endOrder(options, tx, locked, { state: 'cancelled', accounts })
    return { ...locked, state: 'cancelled' } as const
  })
  if (row.state === 'cancelled') return
  if (row.state !== 'in_review') await refuseEnded(options, row)
  // The first decision wins, cancellation or review.
  await cancelHeld({ userId, id: row.transaction_id }).catch(async (error: unknown) => {
    if (error instanceof Refusal && error.code === 'not_cancelable') await refuseEnded(options, await readOwn())
    throw error
  })

  async function readOwn(): Promise<OrderRow> {
    const found = await pool.query<OrderRow>('select * from exchange_order where id = $1', [id])
    return found.rows[0] ?? refuse('not_found')
  }
}
