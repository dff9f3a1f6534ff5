import type { Transaction } from '@tern/contract/transactions'
import { holdAccount, walletAccount } from '@tern/ledger/chart'
import { reserve } from '@tern/ledger/holds'
import type pg from 'pg'
import { retryOnConflict, type Tx } from '../../platform/database/db.ts'
import { requireTime } from '../../platform/http/deadline.ts'
import { newId } from '../../platform/ids.ts'
import { isStoppedByCase } from '../compliance/compliance.ts'
import type { Exchange, Price } from '../exchange/exchange.ts'
import { isAccountStopped } from '../risk/risk.ts'
import type { Description } from '../wallets/description.ts'
import type { MoveOutcome, Mover, MoveRequest, SendGuard, TransactionRow } from '../wallets/move.ts'
import type { Party, Wallet, Wallets } from '../wallets/wallets.ts'
import { type Authorized, type Candidate, type Decide, usageOf, type WalletStepUp } from './decision/decide.ts'
import type { Facts } from './decision/facts.ts'
import type { Rooms } from './decision/room.ts'
import { recordHold } from './held/held-rows.ts'

/** Dependencies of transfers paid from a wallet. */
export interface WalletTransferOptions {
  readonly pool: pg.Pool
  readonly mover: Mover
  readonly wallets: Wallets
  readonly exchange: Exchange
  readonly now: () => Date
  readonly decide: Decide
  readonly rooms: Rooms
  /** Otherwise every transfer is decided by its facts. */
  readonly usesRooms: boolean
}

/** A request under its key. */
export interface Keyed {
  readonly userId: bigint
  readonly idempotencyKey: string
  readonly hash: Buffer
  /** Of its movement. */
  readonly kind: 'transfer' | 'exchange'
}

/** What a transfer is for, and is decided in its transaction, such as a payment request. */
export interface Purpose {
  /** Comes before the money; throws when it must not move. Writes nothing. `postingId` tells a repeated order. */
  check(tx: Tx, postingId: string): Promise<void>
  /** Comes after the money was posted, or set aside when it `isHeld`; not after a repeated order. */
  record(tx: Tx, moved: Moved): Promise<void>
}

interface Moved {
  readonly postingId: string
  readonly transactionId: string
  readonly isHeld: boolean
  readonly at: Date
}

/** A transfer that a wallet pays, before it is authorised. */
export interface WalletOrder {
  readonly candidate: Candidate
  readonly from: Wallet
  readonly to: Wallet
  readonly price: Price
  readonly quoteId: string | undefined
  /** The quote was made for this order alone, which the payer may give again. */
  readonly isOwnQuote?: boolean
  readonly description: Description
  /** Once it has settled; the payer's first. */
  readonly rows: readonly [TransactionRow, ...TransactionRow[]]
  readonly counterparty?: Party
  readonly stepUp?: WalletStepUp | undefined
  readonly purpose?: Purpose
}

/** Result of making a transfer. */
export interface Made {
  readonly outcome: MoveOutcome
  readonly request: MoveRequest
  readonly holdReason: Transaction['hold_reason']
}

/** A request under its key, with the id of its movement. */
export type Numbered = Keyed & { readonly id: string }

/** Moves or reserves the money of an order as decided: in the group commit if nothing else is written with it. */
async function make(
  options: WalletTransferOptions,
  order: WalletOrder,
  keyed: Numbered,
  { decided, guard }: { readonly decided: Authorized; readonly guard: SendGuard | undefined },
): Promise<Made> {
  const { pool, mover } = options
  const request = { ...(await requestOf(options, order, keyed, decided.outcome)), guard }
  const { purpose } = order
  const holdReason = decided.outcome === 'hold' ? decided.reason : null
  if (decided.outcome === 'settle' && !purpose) return { outcome: await mover.move(request), request, holdReason }
  const outcome = await retryOnConflict(pool, async (tx) => {
    await purpose?.check(tx, keyed.id)
    requireTime()
    const moved = await mover.moveWithin(tx, request)
    if (moved.status !== 'posted') return moved
    const { reference: id, requestHash, at } = request.movement
    const isHeld = decided.outcome === 'hold'
    if (isHeld) {
      const { candidate, price, quoteId, description } = order
      const held = { id, candidate, amount: price.total, price, quoteId, description, requestHash, at }
      await recordHold(tx, held, decided)
    }
    await purpose?.record(tx, { postingId: keyed.id, transactionId: id, isHeld, at })
    return moved
  })
  return { outcome, request, holdReason }
}

/** Makes sends that pass by the room of their sender, and exchanges. Returns undefined, with nothing moved, if the facts have to be read. */
export async function makeByRoom(
  options: WalletTransferOptions,
  order: WalletOrder,
  keyed: Numbered,
): Promise<Made | undefined> {
  const { rooms, usesRooms } = options
  const { candidate, stepUp } = order
  if (!usesRooms) return undefined
  const guard = stepUp && (await rooms.guardByRoom(candidate, stepUp.candidate))
  // An exchange is stopped by what every movement asks for, and by nothing else.
  if (!guard && candidate.kind !== 'exchange') return undefined
  try {
    const made = await make(options, order, keyed, { decided: { outcome: 'settle' }, guard })
    return isUnauthorized(made) ? undefined : made
  } catch (error) {
    // No money has moved: what stops it decides whether it is refused or held.
    if (isStoppedByCase(error) || isAccountStopped(error)) return undefined
    throw error
  }
}

/** Makes a transfer decided by its facts, after the sender's confirmation if it does not pass without one. */
export async function makeByFacts(
  options: WalletTransferOptions,
  order: WalletOrder,
  keyed: Numbered,
  { decided, facts }: { readonly decided: Authorized; readonly facts: Facts },
): Promise<Made> {
  const { rooms } = options
  const { candidate, stepUp } = order
  if (!stepUp) return make(options, order, keyed, { decided, guard: undefined })
  const guard = rooms.guardByFacts(candidate, stepUp.candidate, facts)
  const made = await make(options, order, keyed, { decided, guard })
  if (!isUnauthorized(made)) return made
  const proven = rooms.guardByFacts(candidate, stepUp.candidate, facts, await stepUp.prove())
  return make(options, order, keyed, { decided, guard: proven })
}

const isUnauthorized = ({ outcome }: Made): boolean =>
  outcome.status === 'refused' && outcome.reason === 'not_authorized'

/** What moves now and is shown of it: all of it, or what is set aside. */
async function requestOf(
  { pool, wallets, exchange, now }: WalletTransferOptions,
  { candidate, from, to, price, quoteId, rows }: WalletOrder,
  { id, hash, kind }: Numbered,
  outcome: Authorized['outcome'],
): Promise<MoveRequest> {
  const at = now()
  const { total } = price
  const isHeld = outcome === 'hold'
  const legs = isHeld
    ? [
        reserve({
          wallet: await wallets.accountId(pool, walletAccount(from.id, total.currency)),
          hold: await wallets.accountId(pool, holdAccount(from.id, total.currency)),
          amount: total.minor,
        }),
      ]
    : await exchange.legs(price, from, to)
  return {
    movement: {
      id,
      requestHash: hash,
      kind,
      reference: newId(at),
      ...(quoteId === undefined ? {} : { once: quoteId }),
      keepsRefusal: true,
      at,
      legs,
    },
    rows: isHeld ? [{ ...rows[0], status: 'PENDING' }] : rows,
    ...usageOf(candidate, at),
  }
}
