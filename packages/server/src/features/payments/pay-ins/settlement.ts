import type pg from 'pg'
import { requireCards, requireDebits, type PaymentContext, transactWithRetry } from '../context.ts'
import { lookUpUnknownHolder } from '../instruments/holders.ts'
import { lockPayment } from '../records/payment-rows.ts'
import { applyPaymentState, failPayment, type FailureReason, type ReportedState } from '../outcomes/payment-states.ts'
import type { PaymentRow } from '../row-types.ts'

// Providers are called outside of transactions; each answer is applied in a transaction of its own.

/**
 * Looks up a pending or failed payment at its provider, or cancels it there if that was requested, and applies the
 * answer. Skips captured payments and those without a session.
 */
export async function checkPayment(ctx: PaymentContext, pool: pg.Pool, paymentId: string): Promise<void> {
  const { rows } = await pool.query<PaymentRow>(
    `update payment set last_polled_at = $2
      where id = $1 and status in ('pending', 'failed') and capture_id is null and session_id is not null returning *`,
    [paymentId, ctx.now()],
  )
  const [payment] = rows
  if (!payment?.session_id) return
  const isCancelDue = payment.status === 'pending' && payment.cancel_requested_at !== null
  await settleByCall(ctx, pool, { payment, sessionId: payment.session_id, call: isCancelDue ? 'cancel' : 'lookup' })
}

interface ProviderCall {
  readonly payment: PaymentRow
  readonly sessionId: string
  readonly call: 'lookup' | 'cancel' | 'capture'
}

/** Looks up, cancels or captures a payment at its provider, and applies the answer. Returns its status there. */
export async function settleByCall(ctx: PaymentContext, pool: pg.Pool, providerCall: ProviderCall): Promise<string> {
  const state = await stateAtProvider(ctx, providerCall)
  if (state.status === 'unknown') return state.status
  const report = { provider: providerCall.payment.provider, sessionId: providerCall.sessionId, state }
  const outcome = await settlePayment(ctx, pool, report)
  await completePayment(ctx, pool, { ...report, outcome })
  return state.status
}

/** Applies the state of a payment in a transaction of its own. Returns the outcome; undefined if there is no effect. */
export async function settlePayment(ctx: PaymentContext, pool: pg.Pool, report: ReportedState) {
  await lookUpUnknownHolder(ctx, pool, report.state)
  return transactWithRetry(pool, (tx) => applyPaymentState(ctx, tx, report))
}

/**
 * Captures or voids an authorized card after the decision was committed. Without an answer, polling the payment
 * repeats the call.
 */
export async function completePayment(
  ctx: PaymentContext,
  pool: pg.Pool,
  { provider, sessionId, state: { paymentId }, outcome }: ReportedState & { readonly outcome: string | undefined },
): Promise<void> {
  if ((outcome !== 'to_capture' && outcome !== 'to_cancel') || sessionId === null) return
  const cards = requireCards(ctx, { id: paymentId, provider })
  const state = await (outcome === 'to_capture' ? cards.capture(sessionId) : cards.cancel(sessionId))
  if (state.status !== 'unknown') await settlePayment(ctx, pool, { provider, sessionId, state })
}

/** State of a payment at its provider, after cancelling or capturing it there if requested. */
export function stateAtProvider(ctx: PaymentContext, { payment, sessionId, call }: ProviderCall) {
  if (payment.method !== 'bank') return requireCards(ctx, payment)[call](sessionId)
  const debits = requireDebits(ctx, payment)
  return call === 'cancel' ? debits.cancelDebit(sessionId) : debits.lookupDebit(sessionId)
}

/** Fails a payment that has no session at the provider. True if it is failed now. */
export async function failIntent(
  ctx: PaymentContext,
  pool: pg.Pool,
  { id, reason }: { readonly id: string; readonly reason: FailureReason },
): Promise<boolean> {
  const outcome = await transactWithRetry(pool, async (tx) =>
    failPayment(ctx, tx, { payment: await lockPayment(tx, id), sessionId: null, reason }),
  )
  return outcome === 'failed' || outcome === 'already_failed'
}
