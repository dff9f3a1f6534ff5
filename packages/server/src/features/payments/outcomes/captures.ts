import { isSavableCard } from '@tern/providers/collect/savable-card'
import type { CollectionState } from '@tern/providers/collect/port'
import type { Tx } from '../../../platform/database/db.ts'
import { updateRow } from '../../../platform/database/rows.ts'
import { amountText } from '../../../platform/http/amount.ts'
import { areStopped } from '../../compliance/compliance.ts'
import { findAccountStop } from '../../risk/risk.ts'
import { complianceHold, recordHold, findTransition } from '../../transfers/transfers.ts'
import type { PaymentContext } from '../context.ts'
import { storeCard } from '../instruments/instruments.ts'
import { findPrice } from '../records/payment-postings.ts'
import { toAmount, sendStates, deriveTransactionId } from '../records/payment-rows.ts'
import { escalate, misattributedSubject } from '../records/reconciliation-exceptions.ts'
import type { PaymentRow } from '../row-types.ts'

// Decides what a provider's capture means for a payment. Contradictions are left to an operator.

export type SettledState = Extract<CollectionState, { status: 'settled' }>

/**
 * True if the provider has reported a capture of this payment that contradicts it, so that only an operator can decide.
 */
export const needsOperatorDecision = ({ status, capture_id: captureId }: PaymentRow): boolean =>
  status === 'needs_review' && captureId !== null

export type Discrepancy = 'amount_differs' | 'another_capture' | 'capture_of_another' | 'not_awaited'
export type Decision = 'completed' | 'late' | 'already_completed' | 'already_in_review' | Discrepancy

export const isForReview = (decision: Decision): decision is Discrepancy =>
  decision === 'amount_differs' ||
  decision === 'another_capture' ||
  decision === 'capture_of_another' ||
  decision === 'not_awaited'

/** Decides what a capture means for a payment. `owner`: id of the payment or payout for which it is already posted. */
export function decideCapture(
  payment: PaymentRow,
  { amount, captureId }: SettledState,
  owner: string | undefined,
): Decision {
  if (needsOperatorDecision(payment)) return 'already_in_review'
  if (owner !== undefined && owner !== payment.id) return 'capture_of_another'
  if (owner !== undefined || payment.capture_id === captureId) return 'already_completed'
  if (payment.capture_id !== null) return 'another_capture'
  if (amount.currency !== payment.currency || amount.minor !== payment.amount_minor) return 'amount_differs'
  return payment.status === 'failed' ? 'late' : 'completed'
}

/** Reason why arrived money cannot go to its destination. */
export type Stop = 'in_check' | 'account_stopped' | undefined

/**
 * Reason why a send is not made when its money arrives, if the sender's account is stopped. Sends to be held are
 * checked when their hold ends.
 */
export async function readSendStop(tx: Tx, payment: PaymentRow): Promise<Stop> {
  if (payment.holds_transfer || sendTransition(payment, undefined)?.next !== 'settled') return undefined
  return (await findAccountStop(tx, payment.user_id)) === undefined ? undefined : 'account_stopped'
}

/** Purpose of a payment in mails to its payer. */
export const mailedPurpose = ({ purpose }: PaymentRow): 'send' | 'deposit' => (purpose === 'send' ? purpose : 'deposit')

/** Variant of the mail about money that arrived late. */
export function findLatePurpose(
  payment: PaymentRow,
  stop: Stop,
): 'stopped_send' | `${'' | 'canceled_'}${'deposit' | 'send'}` {
  if (stop === 'account_stopped') return 'stopped_send'
  const { cancel_requested_at: canceledAt, reason } = payment
  const isCanceled = canceledAt !== null || reason === 'canceled'
  return isCanceled ? `canceled_${mailedPurpose(payment)}` : mailedPurpose(payment)
}

/** Transition of a send whose money has arrived; undefined for a deposit or a guest's payment. */
export function sendTransition(
  { purpose, status, cancel_requested_at: canceledAt, holds_transfer: isHeld }: PaymentRow,
  stop: Stop,
) {
  if (purpose !== 'send') return undefined
  const event = canceledAt !== null || stop !== undefined ? 'keep' : isHeld ? 'hold' : 'settle'
  return findTransition('funded_send', sendStates[status], event)
}

/**
 * Holds a funded send if a case stops one of its parties, or while they wait for newer sanctions lists. The payment is
 * locked; returns its new state.
 */
export async function holdForCases(
  { lists }: Pick<PaymentContext, 'lists'>,
  tx: Tx,
  payment: PaymentRow,
): Promise<PaymentRow> {
  const { user_id: senderId, recipient_id: recipientId, holds_transfer: isHeld, sent_usd_minor: usdMinor } = payment
  const price = findPrice(payment)
  if (isHeld || recipientId === null || !price) return payment
  const people = [senderId, recipientId]
  if (!(await areStopped(tx, people)) && !(await lists.hold(tx, people))) return payment
  const { source, target, total: amount } = price
  const candidate = {
    kind: 'funded_send',
    senderId,
    recipientId,
    source,
    target,
    usdMinor: usdMinor ?? price.usdMinor,
  } as const
  const { id: paymentId, description, request_hash: requestHash, created_at: at } = payment
  const newHold = {
    id: deriveTransactionId(payment),
    candidate,
    amount,
    price,
    paymentId,
    description,
    requestHash,
    at,
  }
  await recordHold(tx, { ...newHold, quoteId: payment.quote_id ?? undefined }, complianceHold)
  await updateRow(tx, 'payment', payment.id, { holds_transfer: true })
  return { ...payment, holds_transfer: true }
}

interface DeferredPayment {
  readonly payment: PaymentRow
  readonly sessionId: string | null
  readonly at: Date
}

/** Leaves a guest's money at the provider while a case or stale lists stop it. The payment is polled again. */
export async function deferAtProvider(tx: Tx, { payment, sessionId, at }: DeferredPayment): Promise<string> {
  const { id, session_id: storedSessionId } = payment
  await updateRow(tx, 'payment', id, { session_id: storedSessionId ?? sessionId, redirect_url: null, updated_at: at })
  return 'waits_for_case'
}

interface CaptureDiscrepancy {
  readonly payment: PaymentRow
  readonly state: SettledState
  readonly decision: Discrepancy
  readonly owner?: string | undefined
}

/** Opens a case for a contradictory capture, such as a different amount or a second capture. Nothing moves. */
export async function escalateToReview(
  ctx: PaymentContext,
  tx: Tx,
  { payment, state, decision, owner }: CaptureDiscrepancy,
): Promise<Discrepancy> {
  const { amount, captureId } = state
  const [captured, asked] = [amountText(amount), amountText(toAmount(payment))]
  const detailByDecision = {
    amount_differs: { code: 'capture_differs', params: { captured, asked } },
    another_capture: { code: 'captured_again', params: { captured, capture: String(payment.capture_id) } },
    capture_of_another: { code: 'capture_of_another', params: { line: captureId, owner: String(owner) } },
    not_awaited: { code: 'capture_not_awaited', params: { captured } },
  } as const
  const isOwn = decision !== 'capture_of_another'
  if (decision !== 'another_capture') {
    await tx.query(
      `update payment set status = case status when 'pending' then 'needs_review' else status end,
         capture_id = coalesce($2, capture_id), updated_at = $3 where id = $1`,
      [payment.id, isOwn ? captureId : null, ctx.now()],
    )
  }
  const subject = isOwn ? captureId : misattributedSubject(captureId, payment.id)
  const happenedAt = payment.created_at
  await escalate(ctx, tx, { row: payment, subject, amount, detail: detailByDecision[decision], happenedAt })
  return decision
}

/** Saves the card of a payment whose payer requested it. A card with incomplete details is only logged. */
export async function saveCard(
  { log }: Pick<PaymentContext, 'log'>,
  tx: Tx,
  { payment, card, at }: { readonly payment: PaymentRow; readonly card: SettledState['card']; readonly at: Date },
): Promise<void> {
  const { id: paymentId, user_id: userId, provider, save_card: shouldSaveCard } = payment
  if (!card || !shouldSaveCard) return
  if (isSavableCard(card)) await storeCard(tx, { userId, provider }, card, at)
  else log.warn({ paymentId }, 'a card was not saved: it is not described as cards are')
}
