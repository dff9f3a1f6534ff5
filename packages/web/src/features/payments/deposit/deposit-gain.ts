import type { DepositOrder } from './deposit-order.ts'

/** Amount charged and amount credited by a deposit; without a conversion price, both equal the typed amount. */
export function computeCredit(order: DepositOrder) {
  if (!order.priced) return { charged: enteredAmount(order), credited: enteredAmount(order) }
  const { total, source_currency: source, target_amount: credited, target_currency: target } = order.priced.quote
  return { charged: { amount: total, currency: source }, credited: { amount: credited, currency: target } }
}

export const enteredAmount = ({ body }: DepositOrder) => ({ amount: String(body.amount), currency: body.currency })
