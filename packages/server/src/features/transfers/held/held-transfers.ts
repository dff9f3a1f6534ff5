import type pg from 'pg'
import { retryOnConflict, type Tx } from '../../../platform/database/db.ts'
import { Refusal, refuse } from '../../../platform/refuse.ts'
import { acceptOutcome } from '../../../platform/outcome.ts'
import { reverseLimitUsage } from '../../limits/limits.ts'
import { isAccountStopped, requireAccountNotStopped, revokeMovement, whyStopped } from '../../risk/risk.ts'
import type { Mover } from '../../wallets/move.ts'
import type { Caller } from '../../../platform/http/serve.ts'
import type { Identity } from '../../identity/identity.ts'
import type { Notifications } from '../../notifications/notifications.ts'
import { usageOf } from '../decision/decide.ts'
import {
  type DecidedBy,
  decideRow,
  findHeld,
  type HeldTransfer,
  keepSecondProof,
  type HeldPayments,
} from './held-rows.ts'
import { extendWaits, readDecided } from './decided-cases.ts'
import { type MoneyOptions, releaseOf, settlementOf } from './held-money.ts'
import { type WaitOptions, waitsOn } from './waits.ts'
import { type MailOptions, mailReturn } from './return-mail.ts'
import { requireSecondProof } from './street/second-proof.ts'
import {
  type Effect,
  holdPolicies,
  type HoldReason,
  type ReleaseReason,
  releaseReasons,
  transitionOf,
} from '../decision/transitions.ts'

/** How a held transfer ends, for what it was for. */
export interface EndedPurpose {
  readonly transactionId: string
  readonly event: 'settle' | 'release'
  readonly at: Date
}

type Verdict = 'settle' | 'cancel' | 'reject' | 'expire' | 'send_back'

interface Options extends MailOptions, MoneyOptions, WaitOptions {
  readonly pool: pg.Pool
  readonly notifications: Pick<Notifications, 'mail' | 'readAbout'>
  readonly identity: MailOptions['identity'] & Pick<Identity, 'requireStepUp'>
  readonly mover: Mover
  readonly payments: HeldPayments
  /** Ends what a transfer was for, such as a payment request, before its money moves. */
  readonly endPurpose: (tx: Tx, ended: EndedPurpose) => Promise<unknown>
  readonly now: () => Date
  readonly log: { error(details: object, message: string): void }
}

const mostDue = 500
const atOnce = 4

/** What an operator decides about by itself; what is held for `compliance` follows from its cases. */
const ofOperators: readonly HoldReason[] = ['review']

const bySender: DecidedBy = { name: 'sender' }
const waiting = `select * from transfer where state = 'held'`

async function findOwn(pool: pg.Pool, userId: bigint, id: string): Promise<HeldTransfer> {
  const held = await findHeld(pool, id)
  return held?.sender_id === userId ? held : refuse('not_found')
}

/** Refuses `account_frozen`, `loss_open` of its sender. */
async function requireNotStopped(pool: pg.Pool, { sender_id: senderId }: HeldTransfer): Promise<void> {
  const stopped = await whyStopped(pool, senderId)
  if (stopped) refuse(stopped.code, stopped.details)
}

/** Marks the question to the sender as answered; a settled transfer keeps its second proof. */
async function endConfirmation(
  { notifications }: Pick<Options, 'notifications'>,
  tx: Tx,
  { held, verdict, at }: { held: HeldTransfer; verdict: Verdict; at: Date },
): Promise<void> {
  await notifications.readAbout(tx, { userId: held.sender_id, subjectId: held.id })
  if (verdict === 'settle') await keepSecondProof(tx, held, at)
}

/** Transfers that wait, and how each of them ends: once, whoever decides in whatever process. */
export function createHeldTransfers(options: Options) {
  const { pool, now, log, endPurpose } = options

  /** False when it has ended already. Throws AccountStopped where it would settle out of a stopped account. */
  async function end(held: HeldTransfer, verdict: Verdict, by: DecidedBy, isReturned = false): Promise<boolean> {
    const transition = transitionOf(held.kind, held.state, verdict)
    if (!transition || (verdict === 'cancel' && !holdPolicies[held.hold_reason].isCancelable)) return false
    const reason = verdict === 'settle' || verdict === 'send_back' ? null : releaseReasons[verdict]
    // What settles by itself at its deadline is final from then on, before anybody has carried that out.
    const onlyBefore = verdict === 'cancel' && holdPolicies[held.hold_reason].atDeadline === 'settle'
    return retryOnConflict(pool, async (tx) => {
      const at = now()
      if (verdict === 'settle' && (await waitsOn(options, tx, held, at))) return false
      if (!(await decideRow(tx, held, { event: verdict, reason, by, at, onlyBefore }))) return false
      if (held.hold_reason === 'street_mode') await endConfirmation(options, tx, { held, verdict, at })
      await endPurpose(tx, { transactionId: held.id, event: verdict === 'settle' ? 'settle' : 'release', at })
      for (const effect of transition.effects) await applyEffect(options, tx, { held, effect, reason, at })
      if (isReturned) await mailReturn(options, tx, held)
      if (verdict === 'settle' && held.kind !== 'deposit') await requireAccountNotStopped(tx, held.sender_id)
      return true
    })
  }

  const own = (userId: bigint, id: string) => findOwn(pool, userId, id)

  return {
    /** The sender wants it back. Refuses `not_found`, `not_cancelable`. */
    async cancel(userId: bigint, id: string): Promise<void> {
      const held = await own(userId, id)
      if (await end(held, 'cancel', bySender)) return
      await endIfDue(held)
      // Cancelled twice, or from two places at one moment, it is cancelled all the same.
      if ((await own(userId, id)).release_reason !== 'cancelled') refuse('not_cancelable')
    },

    /**
     * The sender wants it settled now. Refuses `not_found`, `transfer_not_held`, `recipient_not_found`, `account_frozen`, `loss_open`; of
     * street mode also `not_confirmable_yet`, `price_moved`, and `step_up_required` without a fresh confirmation of this transfer.
     */
    async settleNow(caller: Caller, id: string, confirmation?: string): Promise<void> {
      const held = await own(caller.userId, id)
      await requireNotStopped(pool, held)
      if (held.state === 'held' && held.hold_reason === 'street_mode')
        await requireSecondProof(options, held, caller, confirmation)
      const isSenders = holdPolicies[held.hold_reason].decidedBy === 'sender'
      if (!isSenders || !(await settle(options, end, held, bySender))) refuse('transfer_not_held')
    },

    /**
     * An operator settles or rejects it. Refuses `not_found`, `transfer_not_held`, `recipient_not_found`; to settle also
     * `account_frozen`, `loss_open`.
     */
    async decideAs(operator: Required<DecidedBy>, id: string, verdict: 'settle' | 'reject'): Promise<void> {
      const held = (await findHeld(pool, id)) ?? refuse('not_found')
      if (verdict === 'settle') await requireNotStopped(pool, held)
      const isOperators = ofOperators.includes(held.hold_reason)
      const decided =
        isOperators &&
        (await (verdict === 'settle' ? settle(options, end, held, operator) : end(held, verdict, operator)))
      if (!decided) refuse('transfer_not_held')
    },

    /** Those that wait now, the next deadline first. */
    list: async (): Promise<HeldTransfer[]> => (await pool.query<HeldTransfer>(`${waiting} order by held_until`)).rows,

    /** Those that an operator decides about, the next deadline first; only the one of this id, if given. */
    forOperators: async (id?: string): Promise<HeldTransfer[]> => {
      const sql = `${waiting} and hold_reason = any($1) and ($2::uuid is null or id = $2) order by held_until`
      return (await pool.query<HeldTransfer>(sql, [ofOperators, id ?? null])).rows
    },

    /**
     * Ends those whose deadline has passed, or came `since` then, as the reason of their hold says. What fails is logged and
     * tried again.
     */
    async endDue(since = new Date(0)): Promise<void> {
      const due = `${waiting} and hold_reason <> 'compliance' and held_until <= $1 and held_until >= $2 order by held_until limit $3`
      const { rows } = await pool.query<HeldTransfer>(due, [now(), since, mostDue])
      await eachOf(rows, endIfDue)
    },
    endIfDue,

    /**
     * Ends what is held for `compliance` once its cases are decided, all of it or what waits for one case: cleared, it settles, or
     * waits for the second proof that street mode would have asked for, or comes back where its sender has frozen the account or a
     * loss is open; where somebody else is confirmed, it goes back to its sender, and a deposit to its bank; where the sender is, it
     * stays. What fails is logged and tried again.
     */
    followCases: (caseId?: string): Promise<void> => endDecided(options, end, caseId),
  }

  /** Ends this one if its deadline has passed. What fails is logged and tried again. */
  async function endIfDue(held: HeldTransfer): Promise<void> {
    if (held.state !== 'held' || held.held_until > now()) return
    if (holdPolicies[held.hold_reason].atDeadline === 'escalate') return
    try {
      await endAtDeadline(options, end, held)
    } catch (error) {
      log.error({ err: error, transferId: held.id }, 'a held transfer could not be ended')
    }
  }
}

/** Settles it for its sender or an operator. False when it has ended already. Refuses `account_frozen`, `loss_open`. */
async function settle({ pool }: Options, end: End, held: HeldTransfer, by: DecidedBy): Promise<boolean> {
  try {
    return await end(held, 'settle', by)
  } catch (error) {
    if (isAccountStopped(error)) await requireNotStopped(pool, held)
    throw error
  }
}

type End = (held: HeldTransfer, verdict: Verdict, by: DecidedBy, isReturned?: boolean) => Promise<boolean>

/** Ends one whose deadline has come as the reason of its hold says. */
async function endAtDeadline(options: Options, end: End, held: HeldTransfer): Promise<void> {
  const by = { name: 'deadline' }
  if (holdPolicies[held.hold_reason].atDeadline === 'release') {
    await end(held, 'expire', by)
    return
  }
  // Its owner has stopped everything that had not left, or it is stopped for them.
  if (await whyStopped(options.pool, held.sender_id)) {
    await end(held, 'expire', by)
    return
  }
  try {
    await end(held, 'settle', by)
  } catch (error) {
    // Its recipient is not there any more, and its sender believes that it has been sent.
    if (error instanceof Refusal) await end(held, 'expire', by, true)
    // Frozen while it settled.
    else if (isAccountStopped(error)) await end(held, 'expire', by)
    else throw error
  }
}

/** Ends what its cases have decided about. */
async function endDecided(options: Options, end: End, caseId: string | undefined): Promise<void> {
  const areListsTooOld = await options.lists.areTooOld()
  if (areListsTooOld) await extendWaits(options.pool, { at: options.now(), until: options.lists.expectedBy() })
  const decided = await readDecided(options.pool, { caseId, areListsTooOld })
  await eachOf(decided, async ({ fate, by, note, ...held }) => {
    try {
      // Its owner has stopped everything that had not left, or it is stopped for them.
      const leaves = fate === 'settle' && held.kind !== 'deposit'
      const isStopped = leaves && (await whyStopped(options.pool, held.sender_id)) !== undefined
      await end(held, isStopped ? 'expire' : fate, { name: by, note })
    } catch (error) {
      // Its recipient is not there any more.
      if (error instanceof Refusal) await end(held, 'reject', { name: by, note }, true)
      // Frozen while it settled.
      else if (isAccountStopped(error)) await end(held, 'expire', { name: by, note })
      else options.log.error({ err: error, transferId: held.id }, 'a transfer was not ended with its cases')
    }
  })
}

/** Some at once, so that one that waits for a lock holds up no other. */
async function eachOf<Item>(items: readonly Item[], work: (item: Item) => Promise<void>): Promise<void> {
  const left = items.values()
  const some = async () => {
    for (const item of left) await work(item)
  }
  await Promise.all(Array.from({ length: atOnce }, some))
}

export type HeldTransfers = ReturnType<typeof createHeldTransfers>

interface AppliedEffect {
  readonly held: HeldTransfer
  readonly effect: Effect
  readonly reason: ReleaseReason | null
  readonly at: Date
}

/** Applies one effect of a decision about a held transfer. */
async function applyEffect(ctx: Options, tx: Tx, { held, effect, reason, at }: AppliedEffect): Promise<void> {
  const { mover, payments } = ctx
  const { payment_id: payoutId } = held
  if (effect === 'credit_deposit') return payments.creditHeldDeposit(tx, { held, at })
  if (effect === 'order_return') return payments.returnHeldDeposit(tx, { held, at })
  if (effect === 'order_payout' && payoutId !== null) return payments.orderHeldPayout(tx, { payoutId, at })
  if (effect === 'fail_payout' && payoutId !== null) return payments.failHeldPayout(tx, { payoutId, reason, at })
  const request = await (effect === 'release' ? releaseOf(ctx, tx, { held, at }) : settlementOf(ctx, tx, { held, at }))
  // Days are locked before accounts.
  const usage = effect === 'release' ? usageOfHeld(held) : undefined
  if (usage) await reverseLimitUsage(tx, usage)
  if (effect === 'release') await takeBackOfHeld(tx, held, at)
  const { id, kind } = request.movement
  if (acceptOutcome(await mover.moveWithin(tx, request)) !== 'posted') throw new Error(`${kind} ${id} happened twice`)
}

/**
 * Takes back what it counted of what may pass without a proof, by the movement that set its money aside. What was pulled for a send
 * stays pulled, and counts.
 */
async function takeBackOfHeld(tx: Tx, { id, kind }: HeldTransfer, at: Date) {
  if (kind === 'funded_send') return
  const { rows } = await tx.query<{ id: string }>(
    'select id from ledger.posting where reference = $1 order by created_at limit 1',
    [id],
  )
  if (rows[0]) await revokeMovement(tx, { movementId: rows[0].id, at })
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
