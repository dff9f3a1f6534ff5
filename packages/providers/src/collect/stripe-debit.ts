import type { Stripe } from 'stripe'
import { isAccount, readBankToken } from '../stripe-bank-token.ts'
import { amountRefused, order, type StripeConnection, toStripe } from '../stripe-connection.ts'
import { findSchemeByCurrency } from '../stripe-debit-schemes.ts'
import type { DebitProvider, DebitRequest, DebitResult } from './port.ts'
import { cancelCollection, lookupCollection } from './stripe-card.ts'

/** Debits a linked account under the consent given at linking. */
async function debit(connection: StripeConnection, request: DebitRequest): Promise<DebitResult> {
  const { paymentId, description, idempotencyKey } = request
  const { paymentIntents, errors } = connection.stripe
  const amount = toStripe(request.amount)
  const token = readBankToken(request.accountToken)
  const scheme = findSchemeByCurrency(request.amount.currency)
  if (!amount || !token?.paymentMethod || !scheme) return amountRefused
  const params: Stripe.PaymentIntentCreateParams = {
    amount: amount.value,
    currency: amount.currency,
    ...(isAccount(token.holder) ? { customer_account: token.holder } : { customer: token.holder }),
    payment_method: token.paymentMethod,
    allowed_payment_method_types: [scheme.type],
    confirm: true,
    off_session: true,
    description,
    metadata: { payment_id: paymentId, method: 'bank' },
  }
  return order(connection, async () => {
    try {
      const intent = await paymentIntents.create(params, { idempotencyKey })
      return { status: 'created', sessionId: intent.id }
    } catch (error) {
      // Declined immediately: the payment exists, and a lookup reports the failure.
      if (!(error instanceof errors.StripeCardError && error.payment_intent)) throw error
      return { status: 'created', sessionId: error.payment_intent.id }
    }
  })
}

export const createStripeDebitProvider = (connection: StripeConnection): DebitProvider => ({
  debit: (request) => debit(connection, request),
  lookupDebit: (sessionId) => lookupCollection(connection, sessionId),
  cancelDebit: (sessionId) => cancelCollection(connection, sessionId),
})
