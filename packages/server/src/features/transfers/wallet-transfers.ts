import type { Transaction } from '@tern/contract/transactions'
import { holdAccount, walletAccount } from '@tern/ledger/chart'
import { reserve } from '@tern/ledger/holds'
import type pg from 'pg'
import { type Db, retryOnConflict, type Tx } from '../../platform/database/db.ts'
import { requireTime } from '../../platform/http/deadline.ts'
import { isKept, storeRefusal } from '../../platform/http/idempotency.ts'
import { derivedId, newId } from '../../platform/ids.ts'
import { acceptOutcome } from '../../platform/outcome.ts'
import { Refusal, refuse } from '../../platform/refuse.ts'
import { endReservation, type Price } from '../exchange/exchange.ts'
import type { Description } from '../wallets/description.ts'
import type { MoveOutcome, MoveRequest, SendGuard, NewTransaction } from '../wallets/move.ts'
import { findReplay, type Party, readRowView, type Wallet } from '../wallets/wallets.ts'
import type { TransfersContext } from './context.ts'
import {
  type Authorization,
  type Authorized,
  authorize,
  type Candidate,
  decideAgain,
  isStoppedMeanwhile,
  usageOf,
} from './decision/decide.ts'
import { guardByFacts, guardByRoom } from './decision/room.ts'
import { proveByOwner, type StepUp } from './decision/step-up.ts'
import { recordHold } from './held/held-rows.ts'

/** Request with its idempotency key. */
export interface Keyed {
  readonly userId: bigint
  readonly idempotencyKey: string
  readonly hash: Buffer
  /** Kind of its ledger movement. */
  readonly kind: 'transfer' | 'exchange'
}

/** Keyed request with the id of its movement. */
type Numbered = Keyed & { readonly id: string }

/** Takes part in the transaction of a transfer for what it pays, such as a payment request. */
export interface Purpose {
  /** Runs before the money moves; throws if it must not. Writes nothing. `postingId` identifies a repeated order. */
  check(tx: Tx, postingId: string): Promise<void>
  /** Runs after the money was posted, or reserved if `isHeld`; not after a repeated order. */
  record(tx: Tx, moved: Moved): Promise<void>
}

interface Moved {
  readonly postingId: string
  readonly transactionId: string
  readonly isHeld: boolean
  readonly at: Date
}

/** Transfer from a wallet, before it is authorized. */
export interface WalletOrder {
  readonly candidate: Candidate
  readonly from: Wallet
  readonly to: Wallet
  readonly price: Price
  readonly quoteId: string | undefined
  /** The quote was made for this order only. */
  readonly isOwnQuote?: boolean
  readonly description: Description
  /** Rows after settlement; the payer's first. */
  readonly rows: readonly [NewTransaction, ...NewTransaction[]]
  readonly counterparty?: Party
  readonly stepUp?: StepUp | undefined
  readonly purpose?: Purpose | undefined
}

/** Result of making a transfer. */
interface Made {
  readonly outcome: MoveOutcome
  readonly request: MoveRequest
  readonly holdReason: Transaction['hold_reason']
}

/**
 * Pays an order from a wallet: each key moves or holds money once. Returns the payer's transaction. Refuses what `prepare`, the rules and
 * the ledger refuse; a repeated request gets the first decision.
 */
export function payFromWallet(
  ctx: TransfersContext,
  pool: pg.Pool,
  keyed: Keyed,
  prepare: () => Promise<WalletOrder>,
): Promise<Transaction> {
  const id = derivedId(keyed.kind, keyed.userId, keyed.idempotencyKey)
  return ctx.singleFlight(id, () => pay(ctx, pool, { ...keyed, id }, prepare))
}

async function pay(
  ctx: TransfersContext,
  pool: pg.Pool,
  keyed: Numbered,
  prepare: () => Promise<WalletOrder>,
): Promise<Transaction> {
  const { userId, id, hash, kind } = keyed
  let order: WalletOrder
  let made: Made
  try {
    order = await prepare()
    made = await makeOrder(ctx, pool, order, keyed)
  } catch (error) {
    if (isKept(error)) await storeRefusal(pool, { id, requestHash: hash, kind, at: ctx.now() }, error)
    // The quote of a repeated request may have expired, or its price moved: the first result counts.
    const earlier = error instanceof Refusal ? await findReplay(pool, { userId, postingId: id, hash }) : undefined
    if (earlier) return earlier
    throw error
  }
  if (made.outcome.status !== 'posted') await releaseOwnQuote(pool, order)
  if (acceptOutcome(made.outcome) === 'replayed') {
    return (await findReplay(pool, { userId, postingId: id, hash })) ?? refuse('not_found')
  }
  const { movement, rows } = made.request
  const view = await readRowView(pool, {
    row: rows[0] ?? order.rows[0],
    id: movement.reference,
    at: movement.at,
    counterparty: order.counterparty,
  })
  return { ...view, hold_reason: made.holdReason }
}

/** Makes an order: by the sender's room if possible, otherwise by its facts. */
async function makeOrder(ctx: TransfersContext, pool: pg.Pool, order: WalletOrder, keyed: Numbered): Promise<Made> {
  try {
    const made = await makeByRoom(ctx, pool, order, keyed)
    if (made) return made
    const sessionId = order.stepUp?.candidate.sessionId
    const transfer = { ...order.candidate, movementId: keyed.id, sessionId }
    const authorization = await authorize(ctx, pool, transfer)
    return await makeByFacts(ctx, pool, { order, keyed, authorization }).catch(async (error: unknown) =>
      makeByFacts(ctx, pool, { order, keyed, authorization: await decideAgain(ctx, pool, { authorization, error }) }),
    )
  } catch (error) {
    if (error instanceof Refusal) await releaseOwnQuote(pool, order)
    throw error
  }
}

/** Releases the reservation of a quote made for this order only, once no movement can use it. */
async function releaseOwnQuote(db: Db, { isOwnQuote = false, quoteId }: WalletOrder): Promise<void> {
  if (isOwnQuote && quoteId !== undefined) await endReservation(db, quoteId)
}

/** Makes exchanges, and sends that pass by the sender's room. Undefined, with nothing moved, if the facts have to be read. */
async function makeByRoom(
  ctx: TransfersContext,
  pool: pg.Pool,
  order: WalletOrder,
  keyed: Numbered,
): Promise<Made | undefined> {
  if (!ctx.usesRooms) return undefined
  const { candidate: transfer, stepUp } = order
  const guard = stepUp && (await guardByRoom(ctx, pool, { transfer, sessionId: stepUp.candidate.sessionId }))
  // Only what stops every movement stops an exchange.
  if (!guard && transfer.kind !== 'exchange') return undefined
  try {
    const made = await make(ctx, pool, { order, keyed, guard, decided: { outcome: 'settle' } })
    return isUnauthorized(made) ? undefined : made
  } catch (error) {
    // No money has moved: facts decide whether it is refused or held.
    if (isStoppedMeanwhile(error)) return undefined
    throw error
  }
}

/** Makes a transfer decided by its facts, with the sender's confirmation if it needs one. */
async function makeByFacts(
  ctx: TransfersContext,
  pool: pg.Pool,
  { order, keyed, authorization }: Pick<Making, 'order' | 'keyed'> & { readonly authorization: Authorization },
): Promise<Made> {
  const { stepUp } = order
  const { decided } = authorization
  if (!stepUp) return make(ctx, pool, { order, keyed, decided, guard: undefined })
  const { candidate } = stepUp
  const guard = guardByFacts(ctx, authorization, { candidate })
  const made = await make(ctx, pool, { order, keyed, decided, guard })
  if (!isUnauthorized(made)) return made
  const provenAt = await proveByOwner(ctx, pool, stepUp)
  return make(ctx, pool, {
    order,
    keyed,
    decided,
    guard: guardByFacts(ctx, authorization, { candidate, provenAt }),
  })
}

const isUnauthorized = ({ outcome }: Made): boolean =>
  outcome.status === 'refused' && outcome.reason === 'not_authorized'

interface Making {
  readonly order: WalletOrder
  readonly keyed: Numbered
  readonly decided: Authorized
  readonly guard: SendGuard | undefined
}

/** Moves or reserves the money of an order as decided; in the group commit if nothing else is written with it. */
async function make(ctx: TransfersContext, pool: pg.Pool, making: Making): Promise<Made> {
  const { mover } = ctx
  const { order, keyed, decided } = making
  const { purpose } = order
  const request = await requestOf(ctx, pool, making)
  const holdReason = decided.outcome === 'hold' ? decided.reason : null
  if (decided.outcome === 'settle' && !purpose) return { outcome: await mover.move(request), request, holdReason }
  const outcome = await retryOnConflict(pool, async (tx) => {
    await purpose?.check(tx, keyed.id)
    requireTime()
    const moved = await mover.moveWithin(tx, request)
    if (moved.status !== 'posted') return moved
    const { reference: id, requestHash, at } = request.movement
    if (decided.outcome === 'hold') {
      const { candidate, price, quoteId, description } = order
      const held = { id, candidate, amount: price.total, price, quoteId, description, requestHash, at }
      await recordHold(tx, held, decided)
    }
    await purpose?.record(tx, { postingId: keyed.id, transactionId: id, isHeld: decided.outcome === 'hold', at })
    return moved
  })
  return { outcome, request, holdReason }
}

/** Movement of an order, in full or as a reservation, with its rows. */
async function requestOf(
  { wallets, exchange, now }: TransfersContext,
  db: Db,
  { order, keyed, decided, guard }: Making,
): Promise<MoveRequest> {
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
  return {
    movement: {
      id: keyed.id,
      requestHash: keyed.hash,
      kind: keyed.kind,
      reference: newId(at),
      ...(quoteId === undefined ? {} : { once: quoteId }),
      keepsRefusal: true,
      at,
      legs,
    },
    rows: isHeld ? [{ ...rows[0], status: 'PENDING' }] : rows,
    guard,
    ...usageOf(candidate, at),
  }
}
