import type pg from 'pg'
import type { ChargeResult, DebitResult } from '@tern/providers/collect/port'
import { type Db, transact } from '../../../platform/database/db.ts'
import { currentRequestMessages } from '../../../platform/messages.ts'
import { type Reason, refuse, refuseField } from '../../../platform/refuse.ts'
import { areStopped } from '../../compliance/compliance.ts'
import { isFrozen, findAccountStop } from '../../risk/risk.ts'
import { requireCards, requireCollector, requireDebits, markPolled, type PaymentContext } from '../context.ts'
import { openUnansweredCase } from '../records/reconciliation-exceptions.ts'
import { toAmount, findPayment, isKeptForPayer, type KeptInWalletReason, lockPayment } from '../records/payment-rows.ts'
import type { FailureReason } from '../outcomes/payment-states.ts'
import { checkPayment, failIntent, settleByCall } from './settlement.ts'
import type { PaymentRow } from '../row-types.ts'

// Payments are submitted to the provider under their own id, so retries do not charge again.

// Time for a running request to receive the provider's answer. Then an unanswered payment fails if its card was to be
// entered on the provider's page, or if it was cancelled.
const submissionTimeoutMs = 15 * 60_000

/**
 * Submits a payment without a session and returns it. Refuses `provider_unavailable`, `payment_refused`,
 * `account_frozen`.
 */
export async function submit(ctx: PaymentContext, pool: pg.Pool, payment: PaymentRow): Promise<PaymentRow> {
  const { now, log } = ctx
  const current = async () => (await findPayment(pool, payment.id)) ?? refuse('not_found')
  if (payment.status !== 'pending' || payment.session_id !== null) return current()
  if (!mayBeRepeated(ctx, payment)) return refuse('provider_unavailable')
  if (await failIfStopped(ctx, pool, payment)) return current()
  const claimed = await claim(pool, payment)
  if (claimed === 'account_frozen') {
    await failIntent(ctx, pool, { id: payment.id, reason: 'refused' })
    return refuse('account_frozen')
  }
  if (!claimed) {
    const storedPayment = await current()
    return storedPayment.status === 'pending' && storedPayment.session_id === null ? refuseUnanswered() : storedPayment
  }
  const answer = await placeOrder(ctx, pool, claimed)
  if (answer.status === 'unknown') return refuse('provider_unavailable')
  if (answer.status === 'refused') {
    await failIntent(ctx, pool, { id: payment.id, reason: 'refused' })
    log.warn({ paymentId: payment.id, reason: answer.reason }, 'the provider refused a payment')
    return refuseField('payment_refused', 'amount', failureReason('refused'))
  }
  const url = 'url' in answer ? answer.url : null
  await pool.query(
    `update payment set session_id = $2, redirect_url = case when cancel_requested_at is null then $3 end, updated_at = $4
      where id = $1 and (session_id is null or session_id = $2) and status in ('pending', 'completed')`,
    [payment.id, answer.sessionId, url, now()],
  )
  const storedPayment = await current()
  // Cancelled meanwhile: withhold the address, and cancel the charge if the provider still can.
  const isCanceled = storedPayment.status === 'failed' || storedPayment.cancel_requested_at !== null
  if (isCanceled) await settleByCall(ctx, pool, { payment: storedPayment, sessionId: answer.sessionId, call: 'cancel' })
  // A charge without a confirmation page is already final.
  else if (payment.saved_card_id !== null && url === null) await checkPayment(ctx, pool, payment.id)
  return current()
}

/**
 * Submits a payment that an earlier request began. If its provider was never called and its payer is stopped by now,
 * the payment fails instead.
 */
export async function resubmitPayment(ctx: PaymentContext, pool: pg.Pool, payment: PaymentRow): Promise<PaymentRow> {
  const isSubmitted = payment.submitted_token !== null || isCheckout(payment)
  const isOver =
    !isSubmitted &&
    (await isStopped(pool, payment)) &&
    (await failIntent(ctx, pool, { id: payment.id, reason: 'refused' }))
  return isOver ? ((await findPayment(pool, payment.id)) ?? refuse('not_found')) : submit(ctx, pool, payment)
}

/** True if a freeze, a case, or for a send an open loss stops the payer. Deposits are allowed, to repay the loss. */
async function isStopped(db: Db, { user_id: userId, purpose }: PaymentRow): Promise<boolean> {
  const stop = await findAccountStop(db, userId)
  const isAccountStopped = stop !== undefined && (stop.code === 'account_frozen' || purpose === 'send')
  return isAccountStopped || areStopped(db, [userId])
}

/** Fails an unsubmitted payment if a case stops its bank account's holder. True if it is failed now. */
async function failIfStopped(
  ctx: PaymentContext,
  pool: pg.Pool,
  { id, bank_account_id: accountId, submitted_token: submittedToken }: PaymentRow,
) {
  if (accountId === null || submittedToken !== null) return false
  const isHolderStopped = await transact(pool, (tx) => ctx.counterparties.areStopped(tx, accountId))
  return isHolderStopped && failIntent(ctx, pool, { id, reason: 'refused' })
}

/** Submits an unanswered payment again or fails it; opens a case once the provider may have forgotten its key. */
export async function resume(ctx: PaymentContext, pool: pg.Pool, payment: PaymentRow): Promise<void> {
  const { id, created_at: createdAt, cancel_requested_at: canceledAt } = payment
  await markPolled(ctx, pool, { table: 'payment', id })
  const isOld = (at: Date) => ctx.now().getTime() - at.getTime() > submissionTimeoutMs
  if (isCheckout(payment)) {
    if (isOld(createdAt)) await failIntent(ctx, pool, { id, reason: 'expired' })
  } else if (canceledAt !== null) {
    if (isOld(canceledAt)) await failIntent(ctx, pool, { id, reason: 'canceled_unanswered' })
  } else if (mayBeRepeated(ctx, payment)) await resubmitPayment(ctx, pool, payment)
  else await openUnansweredCase(ctx, pool, payment)
}

/** True while a repeat cannot charge twice: as long as the provider keeps the key, and always for a checkout. */
const mayBeRepeated = (ctx: PaymentContext, payment: PaymentRow): boolean =>
  isCheckout(payment) || ctx.now().getTime() - payment.created_at.getTime() < requireCollector(ctx, payment).keysKeptMs

/** True for a card entered on the provider's page: without a session, no payer can have reached that page. */
const isCheckout = ({ method, saved_card_id: savedCardId }: PaymentRow): boolean =>
  method !== 'bank' && savedCardId === null

/** Refuses while it is unknown whether a cancelled payment was made. */
export const refuseUnanswered = (): never => refuse('provider_unavailable', { reason: 'payment_unanswered' })

/**
 * Stores the token of the bank account or saved card before it is submitted, so that repeated requests are identical;
 * cards entered on the provider's page have none. Before the first request it checks for a freeze, under the row lock
 * that a freeze waits for. Undefined if the payment must not be submitted.
 */
const claim = (pool: pg.Pool, { id }: PaymentRow) =>
  transact(pool, async (tx): Promise<PaymentRow | 'account_frozen' | undefined> => {
    const payment = await lockPayment(tx, id)
    const isFirst = payment.submitted_token === null && !isCheckout(payment)
    if (isFirst && (await isFrozen(tx, payment.user_id))) return 'account_frozen'
    const { rows } = await tx.query<PaymentRow>(
      `update payment set submitted_token = coalesce(submitted_token,
           (select token from bank_account where bank_account.id = payment.bank_account_id),
           (select token from saved_card where saved_card.id = payment.saved_card_id))
        where id = $1 and status = 'pending' and session_id is null and cancel_requested_at is null returning *`,
      [id],
    )
    return rows[0]
  })

async function placeOrder(ctx: PaymentContext, db: Db, payment: PaymentRow): Promise<ChargeResult | DebitResult> {
  const { id, submitted_token: token } = payment
  const request = { paymentId: id, amount: toAmount(payment), idempotencyKey: id }
  const isSend = payment.purpose === 'send'
  const { statements } = currentRequestMessages().activity
  const requestUrl = payment.purpose === 'deposit' ? undefined : await ctx.requestPurpose.findReturnUrl(db, payment)
  if (payment.purpose === 'request') {
    if (requestUrl === undefined) throw new Error(`the payment ${payment.id} is of no guest`)
    const page = { description: statements.request_by_card, saveCard: false, capturesLater: true }
    return requireCards(ctx, payment).createCheckout({ ...request, ...page, returnUrl: requestUrl })
  }
  if (payment.bank_account_id !== null && token !== null) {
    const description = isSend ? statements.send_by_bank : statements.deposit_by_bank
    return requireDebits(ctx, payment).debit({ ...request, accountToken: token, description })
  }
  const page = {
    description: isSend ? statements.send_by_card : statements.deposit_by_card,
    returnUrl: requestUrl ?? `${ctx.publicUrl}/${isSend ? 'send' : 'deposit'}`,
  }
  const cards = requireCards(ctx, payment)
  return token === null
    ? cards.createCheckout({ ...request, ...page, saveCard: payment.save_card })
    : cards.charge({ ...request, ...page, cardToken: token })
}

const reasons = {
  canceled: 'payment_canceled',
  canceled_unanswered: 'payment_canceled_unanswered',
  expired: 'payment_expired',
  declined: 'payment_declined',
  insufficient_funds: 'payment_insufficient_funds',
  failed: 'payment_not_made',
  refused: 'payment_not_accepted',
  late: 'payment_late',
  price_moved: 'payment_price_moved',
  below_minimum: 'payment_below_minimum',
  account_stopped: 'payment_account_stopped',
  in_check: 'payment_in_check',
} as const satisfies Readonly<Record<FailureReason | KeptInWalletReason, Reason>>

/** Reason why a payment failed, as a code of the message catalogue. */
export const failureReason = (reason: string | null) =>
  Object.hasOwn(reasons, reason ?? '') ? reasons[reason as keyof typeof reasons] : reasons.failed

/** Progress of a payment, for its payer. */
export const toProgress = ({ status, reason, redirect_url: redirectUrl }: PaymentRow) => ({
  /** True once the money is in the books: used as ordered, or credited to its payer's wallet instead. */
  captured: status === 'completed' || status === 'reversed' || isKeptForPayer({ status, reason }),
  reason: status === 'failed' ? currentRequestMessages().reasons[failureReason(reason)] : null,
  redirectUrl: status === 'pending' ? redirectUrl : null,
})

/** Status shown to the owner: a payment in review is shown as pending. */
export const toOwnerStatus = ({ status }: PaymentRow): Exclude<PaymentRow['status'], 'needs_review'> =>
  status === 'needs_review' ? 'pending' : status
