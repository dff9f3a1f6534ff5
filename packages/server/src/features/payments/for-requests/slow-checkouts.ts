import { apply, markPolled, type PaymentContext, pollEach } from '../context.ts'
import { isSlow } from '../pay-ins/checkout-time.ts'
import { paymentTransition, stateAtProvider } from '../pay-ins/settlement.ts'
import type { PaymentRow } from '../records/payment-rows.ts'

/**
 * Ends members' checkouts that have kept requests from other payers for long enough. The provider decides: a checkout paid
 * by then pays its request, any other cannot be paid any more and frees it. Nothing changes without an answer.
 */
export const endSlowCheckouts = (context: PaymentContext): Promise<void> =>
  pollEach<PaymentRow>(context, 'payment', isSlow, context.now(), (payment) => endCheckout(context, payment))

async function endCheckout(context: PaymentContext, payment: PaymentRow): Promise<void> {
  const { id, provider, session_id: sessionId } = payment
  if (sessionId === null) return
  await markPolled(context, 'payment', id)
  const state = await stateAtProvider(context, payment, sessionId, 'cancel')
  if (state.status === 'unknown') return
  await apply(context, await paymentTransition(context, provider, sessionId, state))
}
