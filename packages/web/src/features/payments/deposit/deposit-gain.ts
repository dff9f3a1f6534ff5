import type { DepositOrder } from './deposit-order.ts'

/** What a deposit charges, and what the wallet gets for it: by its price; without one both are the amount. */
export function gainOf(order: DepositOrder) {
  if (!order.priced) return { charged: typedOf(order), gained: typedOf(order) }
  const { total, source_currency: source, target_amount: gained, target_currency: target } = order.priced.quote
  return { charged: { amount: total, currency: source }, gained: { amount: gained, currency: target } }
}

/** What was typed for it. */
export const typedOf = ({ body }: DepositOrder) => ({ amount: String(body.amount), currency: body.currency })
