import type { Transaction } from '@tern/contract/transactions'
import { holdAccount, walletAccount } from '@tern/ledger/chart'
import { reserve } from '@tern/ledger/holds'
import type pg from 'pg'
import { retryOnConflict, type Tx } from '../../platform/database/db.ts'
import { requireTime } from '../../platform/http/deadline.ts'
import { createSingleFlight, isKept } from '../../platform/http/idempotency.ts'
import { Refusal, refuse } from '../../platform/refuse.ts'
import { derivedId, newId } from '../../platform/ids.ts'
import { acceptOutcome } from '../../platform/outcome.ts'
import { isStoppedByCase } from '../compliance/compliance.ts'
import type { Exchange, Price } from '../exchange/exchange.ts'
import type { Description } from '../wallets/description.ts'
import type { MoveOutcome, Mover, MoveRequest, SendGuard, TransactionRow } from '../wallets/move.ts'
import type { Party, Wallet, Wallets } from '../wallets/wallets.ts'
import { isAccountStopped } from '../risk/risk.ts'
import { type Authorized, type Candidate, type Decide, usageOf, type WalletStepUp } from './decision/decide.ts'
import type { Facts } from './decision/facts.ts'
import type { Rooms } from './decision/room.ts'
import { recordHold } from './held/held-rows.ts'

interface Options {
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
interface Keyed {
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
interface WalletOrder {
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

interface Made {
  readonly outcome: MoveOutcome
  readonly request: MoveRequest
  readonly holdReason: Transaction['hold_reason']
}

/** Sends and exchanges that a wallet pays: each key moves or holds money once. */
export function createWalletTransfers(options: Options) {
  const { pool, mover, wallets, exchange, now, decide, rooms, usesRooms } = options
  const singleFlight = createSingleFlight()

  async function make(
    order: WalletOrder,
    keyed: Keyed & { readonly id: string },
    decided: Authorized,
    guard: SendGuard | undefined,
  ): Promise<Made> {
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

  /** What needs no facts of its sender to be read. Undefined where they do. */
  async function makeByRoom(order: WalletOrder, keyed: Keyed & { readonly id: string }): Promise<Made | undefined> {
    const { candidate, stepUp } = order
    const guard = usesRooms && stepUp && (await rooms.guardByRoom(candidate, stepUp.candidate))
    if (!guard) return undefined
    try {
      const made = await make(order, keyed, { outcome: 'settle' }, guard)
      return isUnauthorized(made) ? undefined : made
    } catch (error) {
      // No money has moved: what stops it decides whether it is refused or held.
      if (isStoppedByCase(error) || isAccountStopped(error)) return undefined
      throw error
    }
  }

  /** What is decided by its facts, and confirmed by its sender where it does not pass without. */
  async function makeByFacts(
    order: WalletOrder,
    keyed: Keyed & { readonly id: string },
    decided: Authorized,
    facts: Facts,
  ): Promise<Made> {
    const { candidate, stepUp } = order
    if (!stepUp) return make(order, keyed, decided, undefined)
    const made = await make(order, keyed, decided, rooms.guardByFacts(candidate, stepUp.candidate, facts))
    if (!isUnauthorized(made)) return made
    return make(order, keyed, decided, rooms.guardByFacts(candidate, stepUp.candidate, facts, await stepUp.prove()))
  }

  async function run(
    keyed: Keyed & { readonly id: string },
    prepare: () => Promise<WalletOrder>,
  ): Promise<Transaction> {
    const { userId, id, hash, kind } = keyed
    const replay = () => wallets.replayOf(userId, id, hash)
    let order: WalletOrder
    let made: Made
    let ownQuote: string | undefined
    // Only where it is certain that nothing moves at it.
    const letGo = async () => {
      if (ownQuote !== undefined) await exchange.letGo(ownQuote)
    }
    try {
      const prepared = await prepare()
      order = prepared
      if (prepared.isOwnQuote) ownQuote = prepared.quoteId
      const { sessionId } = prepared.stepUp?.candidate ?? {}
      made =
        (await makeByRoom(prepared, keyed)) ??
        (await decide.authorize({ ...prepared.candidate, movementId: id, sessionId }, undefined, (decided, facts) =>
          makeByFacts(prepared, keyed, decided, facts),
        ))
    } catch (error) {
      if (error instanceof Refusal) await letGo()
      if (isKept(error)) await wallets.keepRefusal({ id, requestHash: hash, kind, at: now() }, error)
      // The quote of a repeated request may have expired, or its price moved: what is done stays done.
      const earlier = error instanceof Refusal ? await replay() : undefined
      if (earlier) return earlier
      throw error
    }
    if (made.outcome.status !== 'posted') await letGo()
    if (acceptOutcome(made.outcome) === 'replayed') return (await replay()) ?? refuse('not_found')
    const { movement, rows } = made.request
    const view = await wallets.viewOfRow(rows[0] ?? order.rows[0], movement.reference, movement.at, order.counterparty)
    return { ...view, hold_reason: made.holdReason }
  }

  return {
    /** The payer's transaction. Refuses what `prepare`, `decide` and the ledger refuse, as decided first. */
    run(keyed: Keyed, prepare: () => Promise<WalletOrder>): Promise<Transaction> {
      const id = derivedId(keyed.kind, keyed.userId, keyed.idempotencyKey)
      return singleFlight(id, () => run({ ...keyed, id }, prepare))
    },
  }
}

export type WalletTransfers = ReturnType<typeof createWalletTransfers>

const isUnauthorized = ({ outcome }: Made): boolean =>
  outcome.status === 'refused' && outcome.reason === 'not_authorized'

/** What moves now and is shown of it: all of it, or what is set aside. */
async function requestOf(
  { wallets, exchange, now }: Options,
  { candidate, from, to, price, quoteId, rows }: WalletOrder,
  { id, hash, kind }: Keyed & { readonly id: string },
  outcome: Authorized['outcome'],
): Promise<MoveRequest> {
  const at = now()
  const { total } = price
  const isHeld = outcome === 'hold'
  const legs = isHeld
    ? [
        reserve({
          wallet: await wallets.accountId(walletAccount(from.id, total.currency)),
          hold: await wallets.accountId(holdAccount(from.id, total.currency)),
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
