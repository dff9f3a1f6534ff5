import type { Stripe } from 'stripe'
import type { KnownOutcome } from '../outcome.ts'
import { readBankToken } from '../stripe-bank-token.ts'
import {
  callStripe,
  fromStripeAmount,
  amountRefused,
  order,
  type StripeConnection,
  toStripe,
  unreadable,
} from '../stripe-connection.ts'
import { acknowledgePayee } from '../payee/stripe.ts'
import type { PayoutProvider, PayoutState } from './port.ts'
import { chooseSourceCurrency, findRefund, readCost } from './stripe-conversion.ts'

type OutboundPayment = Stripe.V2.MoneyManagement.OutboundPayment

/** Parses an outbound payment of one of our payouts; undefined if it is not ours or unreadable. */
export function readOutbound(payment: OutboundPayment): KnownOutcome<PayoutState> | undefined {
  const { id, status, status_details: details, metadata } = payment
  const payoutId = metadata?.payout_id
  if (payoutId === undefined) return undefined
  if (status === 'failed' || status === 'canceled') {
    return { status: 'failed', payoutId, reason: details?.failed?.reason ?? status }
  }
  if (status === 'processing') return { status: 'open', payoutId }
  const amount = fromStripeAmount(payment.amount.value, payment.amount.currency)
  if (!amount) return undefined
  const cost = readCost(payment)
  const paid = { payoutId, amount, paidId: id, ...(cost && { cost }) }
  if (status === 'posted') return { status: 'settled', ...paid }
  const reason = details?.returned?.reason ?? 'returned'
  return { status: 'returned', ...paid, returnId: deriveReturnId(payment), reason }
}

/** Builds an id for a payment's return, because Stripe assigns none. */
export const deriveReturnId = ({ id }: OutboundPayment): string => `${id}:returned`

/** Returns the statement text: 3 to 22 plain characters, or the default of our Stripe account if too few remain. */
function buildStatement(description: string): { statement_descriptor?: string } {
  const plain = description
    .normalize('NFKD')
    .replaceAll(/[^A-Za-z0-9 .-]/g, '')
    .trim()
    .slice(0, 22)
    .trim()
  return plain.length >= 3 ? { statement_descriptor: plain } : {}
}

/** Returns the state of a payout, by Stripe's id of it. */
export const lookupOutbound = (connection: StripeConnection, id: string): Promise<PayoutState> =>
  callStripe(connection, async () => {
    const payment = await connection.stripe.v2.moneyManagement.outboundPayments.retrieve(id)
    const state = readOutbound(payment) ?? unreadable('a payout')
    if (state.status !== 'returned' || !state.cost) return state
    const refund = await findRefund(connection, id)
    return refund ? { ...state, refund } : unreadable('the amount of a return')
  })

// Shorter than Stripe's promise of 30 days.
export const stripePayoutKeysKeptMs = 25 * 24 * 3_600_000

/** Finds the payment of a payout whose key was used with other parameters, such as another source currency. */
async function findOrdered(
  { stripe }: StripeConnection,
  { recipient, payoutId }: { readonly recipient: string; readonly payoutId: string },
): Promise<OutboundPayment | undefined> {
  for await (const payment of stripe.v2.moneyManagement.outboundPayments.list({ recipient, limit: 100 })) {
    if (payment.metadata?.payout_id === payoutId) return payment
  }
  return undefined
}

/** Payouts through Stripe's Global Payouts: from our financial account directly to a person's bank account. */
export function createStripePayoutProvider(connection: StripeConnection): PayoutProvider {
  const { stripe, financialAccount } = connection
  const { outboundPayments } = stripe.v2.moneyManagement
  return {
    keysKeptMs: stripePayoutKeysKeptMs,
    async pay({ payoutId, amount: payoutAmount, accountToken, description, idempotencyKey, payeeCheck }) {
      const amount = toStripe(payoutAmount)
      const to = readBankToken(accountToken)
      if (!amount) return amountRefused
      if (financialAccount === undefined || to?.payoutMethod === undefined) {
        return { status: 'refused', reason: 'The payment provider cannot pay out to this account.' }
      }
      const { holder: recipient, payoutMethod } = to
      const { currency } = amount
      return order(connection, async () => {
        if (payeeCheck?.isAcknowledged) await acknowledgePayee(connection, payeeCheck.reference)
        const source = await chooseSourceCurrency(connection, financialAccount, currency)
        const params: Stripe.V2.MoneyManagement.OutboundPaymentCreateParams = {
          amount,
          from: { financial_account: financialAccount, currency: source },
          to: { recipient, payout_method: payoutMethod, currency },
          description,
          metadata: { payout_id: payoutId },
          recipient_notification: { setting: 'none' },
          ...(payeeCheck && { recipient_verification: payeeCheck.reference }),
          ...buildStatement(description),
        }
        const payment = await outboundPayments.create(params, { idempotencyKey }).catch(async (error: unknown) => {
          if (!(error instanceof stripe.errors.StripeIdempotencyError)) throw error
          const ordered = await findOrdered(connection, { recipient, payoutId })
          if (!ordered) throw error
          return ordered
        })
        return { status: 'accepted', providerPayoutId: payment.id }
      })
    },
    lookup: (providerPayoutId) => lookupOutbound(connection, providerPayoutId),
  }
}
