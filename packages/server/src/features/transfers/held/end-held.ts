// The transaction that ends a held transfer.

import { money } from '@tern/money/money'
import type pg from 'pg'
import { retryOnConflict, type Tx } from '../../../platform/database/db.ts'
import { amountText } from '../../../platform/http/amount.ts'
import { acceptOutcome } from '../../../platform/outcome.ts'
import { reverseLimitUsage } from '../../limits/limits.ts'
import { requireAccountNotStopped, revokeMovement } from '../../risk/risk.ts'
import type { MoveRequest } from '../../wallets/move.ts'
import { buildTransferUsage } from '../decision/decide.ts'
import { type Effect, holdPolicies, releaseReasons, findTransition } from '../decision/transitions.ts'
import type { HeldContext } from './context.ts'
import { prepareRelease, prepareSettlement } from './held-money.ts'
import { type HoldDecider, decideRow, type HeldTransfer, recordSecondProof } from './held-rows.ts'
import { mustStayHeld } from './stay-held.ts'
import type { PostingRow } from '@tern/ledger/row-types'

interface HoldEnd {
  readonly held: HeldTransfer
  readonly verdict: 'settle' | 'cancel' | 'reject' | 'expire' | 'send_back'
  readonly by: HoldDecider
  /** If true, mails the sender that the transfer could not be delivered. */
  readonly isUndeliverable?: boolean
}

/**
 * Ends a held transfer, at most once across processes. False if it has ended already, must stay held, or does not allow
 * the verdict. Refuses like `prepareSettlement`; throws AccountStopped if it would settle out of a stopped account.
 */
export async function endHeld(ctx: HeldContext, pool: pg.Pool, holdEnd: HoldEnd): Promise<boolean> {
  const { held, verdict, by, isUndeliverable = false } = holdEnd
  const { hold_reason: holdReason } = held
  const transition = findTransition(held.kind, held.state, verdict)
  if (!transition || (verdict === 'cancel' && !holdPolicies[holdReason].isCancelable)) return false
  const { effects } = transition
  const reason = verdict === 'settle' || verdict === 'send_back' ? null : releaseReasons[verdict]
  // A transfer that settles automatically is final from its deadline on, even if no process has settled it yet.
  const onlyBefore = verdict === 'cancel' && holdPolicies[holdReason].atDeadline === 'settle'
  return retryOnConflict(pool, async (tx) => {
    const at = ctx.now()
    // First, since it may open accounts, which must not happen while other locks are held.
    const request = await prepareMovement(ctx, tx, { held, effects, at })
    if (verdict === 'settle' && (await mustStayHeld(ctx, tx, { held, at }))) return false
    if (!(await decideRow(tx, held, { event: verdict, reason, by, at, onlyBefore }))) return false
    if (holdReason === 'street_mode')
      await ctx.notifications.markSubjectRead(tx, { userId: held.sender_id, subjectId: held.id })
    if (holdReason === 'street_mode' && verdict === 'settle') await recordSecondProof(tx, held, at)
    const event = verdict === 'settle' ? 'settle' : 'release'
    for (const purpose of ctx.purposes) {
      if (await purpose.endHeld(tx, { transactionId: held.id, event, at })) break
    }
    await endAtPayments(ctx, tx, { held, effects, reason, at })
    if (request) await move(ctx, tx, { held, request, isRelease: effects.includes('release'), at })
    if (isUndeliverable) await mailUndeliverable(ctx, tx, held)
    if (verdict === 'settle' && held.kind !== 'deposit') await requireAccountNotStopped(tx, held.sender_id)
    return true
  })
}

interface HoldStepInput {
  readonly held: HeldTransfer
  readonly effects: readonly Effect[]
  readonly at: Date
}

/** Movement of the held money that these effects require, if any. */
async function prepareMovement(
  ctx: HeldContext,
  tx: Tx,
  { held, effects, at }: HoldStepInput,
): Promise<MoveRequest | undefined> {
  if (effects.includes('release')) return prepareRelease(ctx, tx, { held, at })
  return effects.includes('post_reserved') ? prepareSettlement(ctx, tx, { held, at }) : undefined
}

/** Applies effects to the payout or deposit of a held transfer. */
async function endAtPayments(
  { payments }: HeldContext,
  tx: Tx,
  { held, effects, reason, at }: HoldStepInput & { readonly reason: Parameters<typeof decideRow>[2]['reason'] },
): Promise<void> {
  const { payment_id: payoutId } = held
  if (effects.includes('credit_deposit')) await payments.creditHeldDeposit(tx, { held, at })
  if (effects.includes('order_return')) await payments.returnHeldDeposit(tx, { held, at })
  if (payoutId === null) return
  if (effects.includes('order_payout')) await payments.orderHeldPayout(tx, { payoutId, at })
  if (effects.includes('fail_payout')) await payments.failHeldPayout(tx, { payoutId, reason, at })
}

interface HeldRelease {
  readonly held: HeldTransfer
  readonly request: MoveRequest
  readonly isRelease: boolean
  readonly at: Date
}

async function move({ mover }: HeldContext, tx: Tx, { held, request, isRelease, at }: HeldRelease): Promise<void> {
  // Lock order: limit days before accounts.
  const usage = isRelease ? buildHeldUsage(held) : undefined
  if (usage) await reverseLimitUsage(tx, usage)
  if (isRelease) await revokeHeld(tx, held, at)
  const { id, kind } = request.movement
  if (acceptOutcome(await mover.moveWithin(tx, request)) !== 'posted') throw new Error(`${kind} ${id} happened twice`)
}

/**
 * Revokes the transfer's risk decision, found by the movement that reserved its money. Keeps that of a funded send,
 * because the card or bank account was charged.
 */
async function revokeHeld(tx: Tx, { id, kind }: HeldTransfer, at: Date): Promise<void> {
  if (kind === 'funded_send') return
  const { rows } = await tx.query<Pick<PostingRow, 'id'>>(
    'select id from ledger.posting where reference = $1 order by created_at limit 1',
    [id],
  )
  if (rows[0]) await revokeMovement(tx, { movementId: rows[0].id, at })
}

/** Limit usage of the transfer, on the day of its order. */
function buildHeldUsage(heldTransfer: HeldTransfer) {
  const target = { currency: heldTransfer.locked_price?.targetCurrency ?? heldTransfer.currency }
  const { kind, sender_id: senderId, usd_minor: usdMinor, created_at: orderedAt } = heldTransfer
  return buildTransferUsage({ kind, senderId, usdMinor, target }, orderedAt).usage
}

/** Mails the sender that a transfer could not be delivered and that its money is back. */
async function mailUndeliverable(
  { identity, notifications, publicUrl }: HeldContext,
  tx: Tx,
  heldTransfer: HeldTransfer,
) {
  const { sender_id: userId, currency, amount_minor: minor } = heldTransfer
  const sender = (await identity.usersById(tx, [userId])).get(userId)
  if (!sender) throw new Error(`user ${userId} is unknown`)
  const data = { amount: amountText(money(currency, minor)), link: `${publicUrl}/transactions` }
  await notifications.mail(tx, { to: { userId, email: sender.email }, template: 'transfer_undeliverable', data })
}
