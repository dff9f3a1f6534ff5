import type { CollectionState, DeclineReason } from '@tern/providers/collect/port'
import { isSameSession, mergeSessions } from '@tern/providers/collect/session'
import type { Tx } from '../../../platform/database/db.ts'
import { updateRow } from '../../../platform/database/rows.ts'
import { amountText } from '../../../platform/http/amount.ts'
import { revokeMovement } from '../../risk/risk.ts'
import { deriveRiskMovementId } from '../../transfers/transfers.ts'
import type { PaymentContext } from '../context.ts'
import { findBankAccount } from '../instruments/instruments.ts'
import { priceArrival } from '../prices/arrival-prices.ts'
import { listProcessing, releaseFunding } from '../records/payment-postings.ts'
import { toAmount, findPaymentForUpdate, mayBeAnnounced } from '../records/payment-rows.ts'
import { reversePaymentUsage } from '../records/payment-usage.ts'
import { closeUnanswered } from '../records/reconciliation-exceptions.ts'
import { findPayer, settleArrival } from './settle-arrival.ts'
import { needsOperatorDecision, mailedPurpose } from './captures.ts'
import { readEndReason } from './checkout-time.ts'
import type { PaymentRow } from '../row-types.ts'

// Applies a provider's state of a card or bank payment: lists it as pending, charges, settles or fails it, each at most
// once.

export type CertainState = Exclude<CollectionState, { status: 'unknown' }>

/** Provider's decline reason; `refused` by the provider or before submission; or cancelled before any answer. */
export type FailureReason = DeclineReason | 'refused' | 'canceled_unanswered'

/** State of a payment at its provider. The session is null if the provider never answered the order. */
export interface ReportedState {
  readonly provider: string
  readonly sessionId: string | null
  readonly state: CertainState
}

/**
 * Locks a payment and applies its state at the provider. Returns the outcome; undefined if there is no effect. Refuses
 * `rates_unavailable` while arrived money cannot be priced.
 */
export async function applyPaymentState(
  ctx: PaymentContext,
  tx: Tx,
  { provider, sessionId, state }: ReportedState,
): Promise<string | undefined> {
  if (state.status === 'open' && !state.isProcessing) return undefined
  const storedPayment = await findPaymentForUpdate(tx, state.paymentId)
  if (storedPayment?.provider !== provider) return undefined
  const payment = await completeSession(tx, { payment: storedPayment, sessionId, state })
  switch (state.status) {
    case 'open':
      return markProcessing(ctx, tx, { payment, sessionId })
    case 'authorized':
      return authorize(ctx, tx, { payment, sessionId, state })
    case 'settled':
      return (
        (await settleArrival(ctx, tx, { payment, sessionId, state })) ?? markProcessing(ctx, tx, { payment, sessionId })
      )
    case 'declined':
      return failPayment(ctx, tx, { payment, sessionId, reason: state.reason })
  }
}

interface PaymentSession {
  /** Must be locked. */
  readonly payment: PaymentRow
  readonly sessionId: string | null
}

/**
 * Stores what a report adds to the id of an open payment's session, so that polling can go on where the report ends. A
 * report of another amount adds nothing, since a lookup may know only the ordered one.
 */
async function completeSession(
  tx: Tx,
  { payment, sessionId, state }: PaymentSession & { readonly state: CertainState },
): Promise<PaymentRow> {
  const { id, status, session_id: stored, currency, amount_minor: minor } = payment
  if (status !== 'pending' && status !== 'failed') return payment
  if (stored === null || sessionId === null || !isSameSession(stored, sessionId)) return payment
  if ('amount' in state && (state.amount.currency !== currency || state.amount.minor !== minor)) return payment
  const sessionIdNow = mergeSessions(stored, sessionId)
  if (sessionIdNow === stored) return payment
  await updateRow(tx, 'payment', id, { session_id: sessionIdNow })
  return { ...payment, session_id: sessionIdNow }
}

const isOtherSession = ({ payment, sessionId }: PaymentSession): boolean =>
  payment.session_id !== null && (sessionId === null || !isSameSession(payment.session_id, sessionId))

/** Decides whether an authorized guest card is captured, voided, or waits for a case. Undefined without rates. */
async function authorize(
  ctx: PaymentContext,
  tx: Tx,
  { payment, sessionId, state }: PaymentSession & { readonly state: Extract<CertainState, { status: 'authorized' }> },
): Promise<string | undefined> {
  if (payment.purpose !== 'request') return undefined
  if (payment.capture_id !== null && !isOtherSession({ payment, sessionId })) return 'already_completed'
  const priced = await priceArrival(ctx, tx, payment)
  // The authorization stays open until rates are available.
  if (priced.status === 'unknown') return undefined
  const at = ctx.now()
  const { amount, cardFingerprint } = state
  const isWanted =
    payment.status === 'pending' &&
    payment.cancel_requested_at === null &&
    !isOtherSession({ payment, sessionId }) &&
    amount.currency === payment.currency &&
    amount.minor === payment.amount_minor
  const isPriceKept = priced.status === 'kept'
  const next = isWanted
    ? await ctx.requestPurpose.authorizeGuest(tx, { payment, cardFingerprint, isPriceKept, at })
    : 'let_go'
  if (next === 'let_go') return 'to_cancel'
  await updateRow(tx, 'payment', payment.id, {
    session_id: payment.session_id ?? sessionId,
    redirect_url: null,
    updated_at: at,
  })
  return next === 'charge' ? 'to_capture' : 'waits_for_case'
}

/** Marks a payment as processing: removes its checkout address, and lists it as pending. */
async function markProcessing(ctx: PaymentContext, tx: Tx, { payment, sessionId }: PaymentSession) {
  const isListed = payment.is_listed && (payment.is_announced || !mayBeAnnounced(payment))
  if (payment.status !== 'pending' || (isListed && payment.redirect_url === null)) return undefined
  if (payment.cancel_requested_at !== null) return 'already_decided'
  if (isOtherSession({ payment, sessionId })) return 'of_another_session'
  await updateRow(tx, 'payment', payment.id, { redirect_url: null, updated_at: ctx.now() })
  const { wallet } = await findPayer(ctx, tx, payment)
  await listProcessing(ctx, tx, { payment, wallet })
  return 'processing'
}

/** Reasons without a mail, because the payer already knows them. */
const shownReasons: ReadonlySet<FailureReason> = new Set(['canceled', 'canceled_unanswered', 'refused'])

/** Fails a payment whose money will not arrive, and releases its reservations. */
export async function failPayment(
  ctx: PaymentContext,
  tx: Tx,
  { payment, sessionId, reason }: PaymentSession & { readonly reason: FailureReason },
): Promise<string> {
  if (needsOperatorDecision(payment)) return 'already_in_review'
  if (payment.status === 'failed') return 'already_failed'
  if (payment.status !== 'pending' && payment.status !== 'needs_review') return 'already_completed'
  // The payment may still be paid in its stored session.
  if (isOtherSession({ payment, sessionId })) return 'of_another_session'
  const at = ctx.now()
  const storedReason = reason === 'canceled' ? await readEndReason(tx, payment, at) : reason
  await updateRow(tx, 'payment', payment.id, { status: 'failed', reason: storedReason, updated_at: at })
  await closeUnanswered(tx, payment, at)
  if (payment.purpose === 'request') await ctx.requestPurpose.failGuest(tx, { payment, at })
  if (payment.purpose === 'send') await ctx.requestPurpose.endMember(tx, { payment, event: 'release', at })
  const payer = await findPayer(ctx, tx, payment)
  const account =
    payment.method === 'bank' && !shownReasons.has(reason)
      ? await findBankAccount(tx, payment.bank_account_id)
      : undefined
  if (account) {
    const { bank_name: bankName, last4 } = account
    const link = `${ctx.publicUrl}/transactions`
    const mail = { purpose: mailedPurpose(payment), amount: amountText(toAmount(payment)), link, bankName, last4 }
    await ctx.notifications.mail(tx, { to: payer, template: 'debit_failed', data: mail })
  }
  await reversePaymentUsage(tx, payment)
  const movementId = deriveRiskMovementId(payment.method, payment.user_id, payment.idempotency_key)
  await revokeMovement(tx, { movementId, at })
  await releaseFunding(ctx, tx, { payment, wallet: payer.wallet, at })
  return 'failed'
}
