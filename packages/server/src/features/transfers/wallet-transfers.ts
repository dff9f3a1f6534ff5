import type { Transaction } from '@tern/contract/transactions'
import { holdAccount, walletAccount } from '@tern/ledger/chart'
import { reserve } from '@tern/ledger/holds'
import type pg from 'pg'
import { type Db, retryOnConflict, type Tx } from '../../platform/database/db.ts'
import { requireTime } from '../../platform/http/deadline.ts'
import { isStoredRefusal, storeRefusal } from '../../platform/http/idempotency.ts'
import { derivedId, newId } from '../../platform/ids.ts'
import { acceptOutcome } from '../../platform/outcome.ts'
import { Refusal, refuse } from '../../platform/refuse.ts'
import { traced } from '../../platform/tracing/tracing.ts'
import { endReservation, type Price } from '../exchange/exchange.ts'
import type { Description } from '../wallets/description.ts'
import type { MoveOutcome, MoveRequest, SendGuard, NewTransaction } from '../wallets/move.ts'
import { findReplay, type Party, readRowView, type Wallet } from '../wallets/wallets.ts'
import type { TransfersContext } from './context.ts'
import {
  type Authorization,
  type AllowedDecision,
  authorize,
  type Candidate,
  decideAgain,
  isStopError,
  buildTransferUsage,
} from './decision/decide.ts'
import { guardByFacts, guardByRoom } from './decision/send-guards.ts'
import { proveByOwner, type StepUp } from './decision/step-up.ts'
import { recordHold } from './held/held-rows.ts'

/** Identity of a request, derived from its idempotency key. */
export interface OrderKey {
  /** Id of its ledger movement, the same when the request is repeated. */
  readonly id: string
  readonly userId: bigint
  readonly hash: Buffer
  readonly kind: 'transfer' | 'exchange'
}

interface OrderKeyInput extends Omit<OrderKey, 'id'> {
  readonly idempotencyKey: string
}

/** Derives the id of a request's ledger movement from its sender and key. */
export const keyRequest = ({ kind, userId, idempotencyKey, hash }: OrderKeyInput): OrderKey => ({
  id: derivedId(kind, userId, idempotencyKey),
  userId,
  hash,
  kind,
})

/** Transfer from a wallet, before it is authorized. */
export interface WalletOrder {
  readonly candidate: Candidate
  readonly from: Wallet
  readonly to: Wallet
  readonly price: Price
  readonly quoteId: string | undefined
  /** True if the quote was made for this order only. */
  readonly isOwnQuote?: boolean
  readonly description: Description
  /** Rows after settlement; the payer's first. */
  readonly rows: readonly [NewTransaction, ...NewTransaction[]]
  readonly counterparty?: Party
  readonly stepUp?: StepUp | undefined
}

/** Order with the request that made it. */
export interface KeyedOrder {
  readonly orderKey: OrderKey
  readonly order: WalletOrder
}

interface DecidedAttempt extends KeyedOrder {
  readonly decided: AllowedDecision
  readonly guard: SendGuard | undefined
  /** Authorization by the facts; undefined if the sender's room decides. */
  readonly authorization?: Authorization
  readonly isDecidedAgain?: boolean | undefined
  readonly isProven?: boolean
}

/** Decided order with the movement to make. */
export interface Attempt extends DecidedAttempt {
  readonly request: MoveRequest
}

/** The last attempt of an order, with its outcome. */
export interface AttemptResult {
  readonly attempt: Attempt
  readonly outcome: MoveOutcome
}

/** Posting of an order, which only reserves the money if `isHeld`. */
export interface OrderPosting {
  readonly postingId: string
  readonly transactionId: string
  readonly isHeld: boolean
  readonly at: Date
}

/** Runs `work`, or refuses `request_in_progress` if this process is already handling the request. */
export const runOrderOnce = <T>(ctx: TransfersContext, orderKey: OrderKey, work: () => Promise<T>): Promise<T> =>
  ctx.singleFlight(orderKey.id, work)

/** Executes an order in a transaction of its own. */
export async function makeOrder(ctx: TransfersContext, pool: pg.Pool, keyedOrder: KeyedOrder): Promise<AttemptResult> {
  let next: Attempt | AttemptResult = await traced('guard', () => beginOrder(ctx, pool, keyedOrder))
  while (!('outcome' in next)) {
    const attempt: Attempt = next
    next = await nextAttempt(ctx, pool, { attempt, pendingMove: moveInOwnTransaction(ctx, pool, attempt) })
  }
  return next
}

/** Moves the money of an attempt in a group commit, or reserves it in a transaction that also records the hold. */
const moveInOwnTransaction = (ctx: TransfersContext, pool: pg.Pool, attempt: Attempt): Promise<MoveOutcome> =>
  attempt.decided.outcome === 'settle'
    ? ctx.mover.move(attempt.request)
    : retryOnConflict(pool, (tx) => moveInTransaction(ctx, tx, attempt))

/** Moves or reserves the money of an attempt as decided. */
export async function moveInTransaction(ctx: TransfersContext, tx: Tx, attempt: Attempt): Promise<MoveOutcome> {
  requireTime()
  const { order, decided, request } = attempt
  const outcome = await ctx.mover.moveWithin(tx, request)
  if (outcome.status === 'posted' && decided.outcome === 'hold') {
    const { candidate, price, quoteId, description } = order
    const { reference: id, requestHash, at } = request.movement
    await recordHold(tx, { id, candidate, amount: price.total, price, quoteId, description, requestHash, at }, decided)
  }
  return outcome
}

/** Returns the posting that an attempt made. */
export const toOrderPosting = ({ decided, request: { movement } }: Attempt): OrderPosting => ({
  postingId: movement.id,
  transactionId: movement.reference,
  isHeld: decided.outcome === 'hold',
  at: movement.at,
})

/** Returns the first attempt of an order, decided by the sender's room if possible, otherwise by its facts. */
export async function beginOrder(ctx: TransfersContext, pool: pg.Pool, keyedOrder: KeyedOrder): Promise<Attempt> {
  const { order } = keyedOrder
  try {
    return (await attemptWithinRoom(ctx, pool, keyedOrder)) ?? (await decideWithFacts(ctx, pool, keyedOrder))
  } catch (error) {
    if (error instanceof Refusal) await releaseOwnQuote(pool, order)
    throw error
  }
}

/**
 * Returns the attempt of an exchange, or of a send that the sender's room (`SendRoom`) may decide. Undefined if the
 * facts must be read first.
 */
async function attemptWithinRoom(
  ctx: TransfersContext,
  pool: pg.Pool,
  { orderKey, order }: KeyedOrder,
): Promise<Attempt | undefined> {
  if (!ctx.usesRooms) return undefined
  const { candidate: transfer, stepUp } = order
  const guard = stepUp && (await guardByRoom(ctx, pool, { transfer, sessionId: stepUp.candidate.sessionId }))
  // An exchange needs no guard: the statement that moves its money checks cases and stops.
  if (!guard && transfer.kind !== 'exchange') return undefined
  return toAttempt(ctx, pool, { orderKey, order, guard, decided: { outcome: 'settle' } })
}

/**
 * Returns the next attempt if the money did not move and the order can be retried, otherwise this attempt with its
 * outcome. Throws errors of the attempt after which there is no retry.
 */
export async function nextAttempt(
  ctx: TransfersContext,
  pool: pg.Pool,
  { attempt, pendingMove }: { readonly attempt: Attempt; readonly pendingMove: Promise<MoveOutcome> },
): Promise<Attempt | AttemptResult> {
  try {
    const result = await pendingMove.catch((error: unknown) => retryStopped(ctx, pool, { attempt, error }))
    if ('order' in result) return result
    const attemptResult = { attempt, outcome: result }
    return isUnauthorized(result) ? ((await retryUnauthorized(ctx, pool, attempt)) ?? attemptResult) : attemptResult
  } catch (error) {
    if (error instanceof Refusal) await releaseOwnQuote(pool, attempt.order)
    throw error
  }
}

/** Decides an order again after a case, freeze or loss stopped it. Throws all other errors, and a second stop. */
async function retryStopped(
  ctx: TransfersContext,
  pool: pg.Pool,
  { attempt, error }: { readonly attempt: Attempt; readonly error: unknown },
): Promise<Attempt> {
  const { orderKey, order, authorization, isDecidedAgain = false } = attempt
  if (!isStopError(error) || isDecidedAgain) throw error
  if (!authorization) return decideWithFacts(ctx, pool, { orderKey, order })
  return attemptWithFacts(ctx, pool, {
    orderKey,
    order,
    authorization: await decideAgain(ctx, pool, { authorization, error }),
    isDecidedAgain: true,
  })
}

const isUnauthorized = (outcome: MoveOutcome): boolean =>
  outcome.status === 'refused' && outcome.reason === 'not_authorized'

/**
 * Retries an unauthorized order: by its facts if the sender's room had decided, otherwise with the sender's
 * confirmation. Undefined if both were tried. Refuses `step_up_required`.
 */
async function retryUnauthorized(ctx: TransfersContext, pool: pg.Pool, attempt: Attempt): Promise<Attempt | undefined> {
  const { orderKey, order, authorization, isDecidedAgain, isProven = false } = attempt
  if (!authorization) return decideWithFacts(ctx, pool, { orderKey, order })
  if (!order.stepUp || isProven) return undefined
  const provenAt = await proveByOwner(ctx, pool, order.stepUp)
  return attemptWithFacts(ctx, pool, { orderKey, order, authorization, isDecidedAgain, provenAt })
}

async function decideWithFacts(
  ctx: TransfersContext,
  pool: pg.Pool,
  { orderKey, order }: KeyedOrder,
): Promise<Attempt> {
  const sessionId = order.stepUp?.candidate.sessionId
  const transfer = { ...order.candidate, movementId: orderKey.id, sessionId }
  return attemptWithFacts(ctx, pool, { orderKey, order, authorization: await authorize(ctx, pool, transfer) })
}

interface AuthorizedOrder extends KeyedOrder {
  readonly authorization: Authorization
  readonly isDecidedAgain?: boolean | undefined
  /** Time of the sender's confirmation. */
  readonly provenAt?: Date
}

function attemptWithFacts(
  ctx: TransfersContext,
  pool: pg.Pool,
  { provenAt, ...attempt }: AuthorizedOrder,
): Promise<Attempt> {
  const { order, authorization } = attempt
  const { candidate } = order.stepUp ?? {}
  const guard = candidate && guardByFacts(ctx, authorization, provenAt ? { candidate, provenAt } : { candidate })
  return toAttempt(ctx, pool, { ...attempt, guard, decided: authorization.decided, isProven: provenAt !== undefined })
}

/** Adds the movement of a decided order: the whole transfer, or the reservation of its total if it is held. */
async function toAttempt(
  { wallets, exchange, now }: TransfersContext,
  db: Db,
  decidedAttempt: DecidedAttempt,
): Promise<Attempt> {
  const { orderKey, order, decided, guard } = decidedAttempt
  const at = now()
  const { candidate, from, to, price, quoteId, rows } = order
  const { total } = price
  const isHeld = decided.outcome === 'hold'
  const legs = isHeld
    ? [
        reserve({
          wallet: await wallets.accountId(db, walletAccount(from.id, total.currency)),
          hold: await wallets.accountId(db, holdAccount(from.id, total.currency)),
          amount: total.minor,
        }),
      ]
    : await exchange.legs(db, { price, from, to })
  const request = {
    movement: {
      id: orderKey.id,
      requestHash: orderKey.hash,
      kind: orderKey.kind,
      reference: newId(at),
      ...(quoteId === undefined ? {} : { once: quoteId }),
      keepsRefusal: true,
      at,
      legs,
    },
    rows: isHeld ? [{ ...rows[0], status: 'PENDING' as const }] : rows,
    guard,
    ...buildTransferUsage(candidate, at),
  }
  return { ...decidedAttempt, request }
}

/** Ends the liquidity reservation of a quote that was made for this order only. */
async function releaseOwnQuote(db: Db, { isOwnQuote = false, quoteId }: WalletOrder): Promise<void> {
  if (isOwnQuote && quoteId !== undefined) await endReservation(db, quoteId)
}

/**
 * Awaits the result of an order and returns the payer's transaction, or refuses if the order was refused. A repeated
 * request gets the first result.
 */
export const readResult = (
  ctx: TransfersContext,
  pool: pg.Pool,
  { orderKey, pendingResult }: { readonly orderKey: OrderKey; readonly pendingResult: Promise<AttemptResult> },
): Promise<Transaction> =>
  pendingResult.then(
    (result) => readAttemptTransaction(pool, result),
    (error: unknown) => findEarlierTransaction(ctx, pool, { orderKey, error }),
  )

/**
 * Returns the payer's transaction of an earlier request with the same key: a repeated request may fail only because its
 * quote has expired since. Stores a refusal about the movement itself. Rethrows the error without an earlier request.
 */
async function findEarlierTransaction(
  ctx: TransfersContext,
  pool: pg.Pool,
  { orderKey, error }: { readonly orderKey: OrderKey; readonly error: unknown },
): Promise<Transaction> {
  const { id, userId, hash, kind } = orderKey
  if (isStoredRefusal(error)) await storeRefusal(pool, { id, requestHash: hash, kind, at: ctx.now() }, error)
  const earlierTransaction =
    error instanceof Refusal ? await findReplay(pool, { userId, postingId: id, hash }) : undefined
  if (earlierTransaction) return earlierTransaction
  throw error
}

/** Returns the payer's transaction of an order; for a repeated request, the first one. Refuses if the ledger did. */
async function readAttemptTransaction(pool: pg.Pool, { attempt, outcome }: AttemptResult): Promise<Transaction> {
  const { orderKey, order, decided, request } = attempt
  if (outcome.status !== 'posted') await releaseOwnQuote(pool, order)
  if (acceptOutcome(outcome) === 'replayed') {
    const { id, userId, hash } = orderKey
    return (await findReplay(pool, { userId, postingId: id, hash })) ?? refuse('not_found')
  }
  const { movement, rows } = request
  const view = await readRowView(pool, {
    row: rows[0] ?? order.rows[0],
    id: movement.reference,
    at: movement.at,
    counterparty: order.counterparty,
  })
  return { ...view, hold_reason: decided.outcome === 'hold' ? decided.reason : null }
}
