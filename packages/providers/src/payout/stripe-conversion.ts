import type { Money } from '@tern/money/money'
import type { Stripe } from 'stripe'
import { fromStripeAmount, type StripeConnection } from '../stripe-connection.ts'

// Stripe holds few currencies. A payout in another one is paid from a held currency: Stripe converts, and the recipient
// gets exactly the ordered amount.

/** Held currency that pays for a payout in `currency`: that currency itself, the configured one, or the first one. */
export async function chooseSourceCurrency(
  { stripe, convertFrom }: Pick<StripeConnection, 'stripe' | 'convertFrom'>,
  financialAccount: string,
  currency: string,
): Promise<string> {
  const { storage } = await stripe.v2.moneyManagement.financialAccounts.retrieve(financialAccount)
  const held = storage?.holds_currencies ?? []
  if (held.includes(currency)) return currency
  return convertFrom?.toLowerCase() ?? held[0] ?? currency
}

/** Amount debited from our account for a payment; undefined unless Stripe converted it. */
export function readCost({ amount, from }: Stripe.V2.MoneyManagement.OutboundPayment): Money | undefined {
  const { value, currency } = from.debited
  return currency === amount.currency ? undefined : fromStripeAmount(value, currency)
}

/** Amount credited to our account for the return of a payment; undefined if it is not credited yet. */
export async function findRefund({ stripe }: StripeConnection, paymentId: string): Promise<Money | undefined> {
  for await (const entry of stripe.v2.moneyManagement.transactions.list({ flow: paymentId, limit: 20 })) {
    if (entry.category !== 'outbound_payment_reversal') continue
    const { value, currency } = entry.balance_impact.available
    return fromStripeAmount(value, currency)
  }
  return undefined
}
