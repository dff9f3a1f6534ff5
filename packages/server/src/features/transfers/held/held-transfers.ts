import { holdAccount, walletAccount } from '@tern/ledger/chart'
import { release } from '@tern/ledger/holds'
import type pg from 'pg'
import { retryOnConflict, type Tx } from '../../../platform/database/db.ts'
import { Refusal, refuse } from '../../../platform/refuse.ts'
import { derivedId } from '../../../platform/ids.ts'
import { acceptOutcome } from '../../../platform/outcome.ts'
import { type Exchange, priceFrom } from '../../exchange/exchange.ts'
import { reverseLimitUsage } from '../../limits/limits.ts'
import type { Mover, MoveRequest } from '../../wallets/move.ts'
import type { Party, Wallets } from '../../wallets/wallets.ts'
import { usageOf } from '../decision/decide.ts'
import { type DecidedBy, decideRow, findHeld, type HeldTransfer, type PayoutSteps } from './held-rows.ts'
import type { Sends } from '../sends/sends.ts'
import { type Effect, holdPolicies, type ReleaseReason, releaseReasons, transitionOf } from '../decision/transitions.ts'

/** Does what follows from the end of a held transfer for what it was for. */
export type PurposeStep = (tx: Tx, event: 'settle' | 'release', at: Date) => Promise<void>

type Verdict = 'settle' | 'cancel' | 'reject' | 'expire'

interface Options {
  readonly pool: pg.Pool
  readonly mover: Mover
  readonly wallets: Wallets
  readonly exchange: Exchange
  readonly rowsOf: Sends['rowsOf']
  readonly payouts: PayoutSteps
  /** What follows for what a transfer was for, such as a payment request; looked up before, and done before its money moves. */
  readonly purposeStep: (transactionId: string) => Promise<PurposeStep | undefined>
  readonly now: () => Date
  readonly log: { error(details: object, message: string): void }
}

const mostAtOnce = 500
const waiting = `select * from transfer where state = 'held'`

/** Transfers that wait, and how each of them ends: once, whoever decides in whatever process. */
export function createHeldTransfers(options: Options) {
  const { pool, now, log, purposeStep } = options

  /** False when it has ended already. */
  async function end(held: HeldTransfer, verdict: Verdict, by: DecidedBy): Promise<boolean> {
    const transition = transitionOf(held.kind, held.state, verdict)
    if (!transition) return false
    const reason = verdict === 'settle' ? null : releaseReasons[verdict]
    const steps = await Promise.all(transition.effects.map((effect) => stepFor(options, held, { effect, reason })))
    const endPurpose = await purposeStep(held.id)
    return retryOnConflict(pool, async (tx) => {
      const at = now()
      if (!(await decideRow(tx, held, { event: verdict, reason, by, at }))) return false
      await endPurpose?.(tx, verdict === 'settle' ? 'settle' : 'release', at)
      for (const step of steps) await step(tx, at)
      return true
    })
  }

  async function own(userId: bigint, id: string): Promise<HeldTransfer> {
    const held = await findHeld(pool, id)
    return held?.sender_id === userId ? held : refuse('not_found')
  }

  const bySender: DecidedBy = { name: 'sender' }

  return {
    /** The sender wants it back. Refuses `not_found`, `not_cancelable`. */
    async cancel(userId: bigint, id: string): Promise<void> {
      const held = await own(userId, id)
      // Cancelled twice it is cancelled all the same.
      if (held.release_reason !== 'cancelled' && !(await end(held, 'cancel', bySender))) refuse('not_cancelable')
    },

    /** The sender wants it settled now. Refuses `not_found`, `transfer_not_held`, `recipient_not_found`. */
    async settleNow(userId: bigint, id: string): Promise<void> {
      const held = await own(userId, id)
      const isSenders = holdPolicies[held.hold_reason].decidedBy === 'sender'
      if (!isSenders || !(await end(held, 'settle', bySender))) refuse('transfer_not_held')
    },

    /** An operator settles or rejects it. Refuses `not_found`, `transfer_not_held`, `recipient_not_found`. */
    async decideAs(operator: Required<DecidedBy>, id: string, verdict: 'settle' | 'reject'): Promise<void> {
      const held = (await findHeld(pool, id)) ?? refuse('not_found')
      const isOperators = holdPolicies[held.hold_reason].decidedBy === 'operator'
      if (!isOperators || !(await end(held, verdict, operator))) refuse('transfer_not_held')
    },

    /** Those that wait now, the next deadline first. */
    async list(): Promise<HeldTransfer[]> {
      return (await pool.query<HeldTransfer>(`${waiting} order by held_until`)).rows
    },

    /** Ends those whose deadline has passed, as the reason of their hold says. What fails is logged and tried again. */
    async endDue(): Promise<void> {
      const { rows } = await pool.query<HeldTransfer>(`${waiting} and held_until <= $1 order by held_until limit $2`, [
        now(),
        mostAtOnce,
      ])
      for (const held of rows) {
        try {
          await endAtDeadline(held)
        } catch (error) {
          log.error({ err: error, transferId: held.id }, 'a held transfer could not be ended')
        }
      }
    },
  }

  async function endAtDeadline(held: HeldTransfer): Promise<void> {
    const by = { name: 'deadline' }
    if (holdPolicies[held.hold_reason].atDeadline === 'settle') {
      try {
        await end(held, 'settle', by)
        return
      } catch (error) {
        // Its recipient is not there any more.
        if (!(error instanceof Refusal)) throw error
      }
    }
    await end(held, 'expire', by)
  }
}

export type HeldTransfers = ReturnType<typeof createHeldTransfers>

type Step = (tx: Tx, at: Date) => Promise<void>

/** What carries out one effect on a held transfer; all that needs another connection is looked up before. */
async function stepFor(
  options: Options,
  held: HeldTransfer,
  { effect, reason }: { effect: Effect; reason: ReleaseReason | null },
): Promise<Step> {
  const { mover, payouts } = options
  const { payment_id: payoutId } = held
  if (effect === 'order_payout' && payoutId !== null) return (tx, at) => payouts.order(tx, payoutId, at)
  if (effect === 'fail_payout' && payoutId !== null) return (tx, at) => payouts.fail(tx, payoutId, reason, at)
  const requestAt = await (effect === 'release' ? releaseOf(options, held) : settlementOf(options, held))
  return async (tx, at) => {
    // Days are locked before accounts.
    const usage = effect === 'release' ? usageOfHeld(held) : undefined
    if (usage) await reverseLimitUsage(tx, usage)
    const request = requestAt(at)
    const { id, kind } = request.movement
    if (acceptOutcome(await mover.moveWithin(tx, request)) !== 'posted') throw new Error(`${kind} ${id} happened twice`)
  }
}

/** What it counted on the day on which it was ordered. */
function usageOfHeld({
  kind,
  sender_id: senderId,
  usd_minor: usdMinor,
  currency,
  locked_price,
  created_at,
}: HeldTransfer) {
  const target = { currency: locked_price?.targetCurrency ?? currency }
  return usageOf({ kind, senderId, usdMinor, target }, created_at).usage
}

type RequestAt = (at: Date) => MoveRequest

async function senderOf({ wallets }: Options, { sender_id: senderId }: HeldTransfer): Promise<Party> {
  const sender = await wallets.partyOf(senderId)
  if (!sender) throw new Error(`user ${senderId} has no wallet`)
  return sender
}

/** Gives back to the sender's wallet what is held. */
async function backLegs({ wallets }: Options, { currency, amount_minor: amount }: HeldTransfer, { wallet }: Party) {
  return release({
    hold: await wallets.accountId(holdAccount(wallet.id, currency)),
    wallet: await wallets.accountId(walletAccount(wallet.id, currency)),
    amount,
  })
}

async function releaseOf(options: Options, held: HeldTransfer): Promise<RequestAt> {
  const legs = [await backLegs(options, held, await senderOf(options, held))]
  const { id: reference, request_hash: requestHash } = held
  return (at) => ({
    movement: {
      id: derivedId('transfer release', reference),
      requestHash,
      kind: 'transfer_release',
      reference,
      at,
      legs,
    },
    rows: [],
    settles: [{ id: reference, status: 'FAILED' }],
  })
}

/** What is held goes through the sender's wallet, and leaves it at the promised price. Refuses `recipient_not_found`. */
async function settlementOf(options: Options, held: HeldTransfer): Promise<RequestAt> {
  const { wallets, exchange, rowsOf } = options
  const { id: reference, recipient_id: recipientId, request_hash: requestHash, description } = held
  if (held.locked_price === null) throw new Error(`transfer ${reference} has no price`)
  const price = priceFrom(held.locked_price)
  const sender = await senderOf(options, held)
  const recipient = recipientId === null ? undefined : await wallets.partyOf(recipientId)
  if (recipientId !== null && !recipient?.verified) refuse('recipient_not_found')
  const legs = [
    await backLegs(options, held, sender),
    ...(await exchange.legs(price, sender.wallet, (recipient ?? sender).wallet)),
  ]
  const send = recipient && { sender, recipient, price, quoteId: held.quote_id ?? undefined, description }
  const rows = send ? [rowsOf(send, { source: 'wallet' })[1]] : []
  return (at) => ({
    movement: {
      id: derivedId('transfer settle', reference),
      requestHash,
      kind: send ? 'transfer' : 'exchange',
      reference,
      at,
      legs,
    },
    rows,
    settles: [{ id: reference, status: 'COMPLETED' }],
  })
}
