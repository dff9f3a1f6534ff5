import type { Money } from '@tern/money/money'
import type { Tx } from '../../../platform/database/db.ts'
import type { Price } from '../../exchange/exchange.ts'
import { countForced, countLimitUsage, type LimitUsage, reverseLimitUsage } from '../../limits/limits.ts'
import type { PaymentContext } from '../context.ts'
import type { PaymentTerms } from './payment-rows.ts'

// What a payment from outside counts against its payer's limits, on the day it was begun: what is pulled from the card or
// the bank account, and what is sent on.

/** What an amount is worth in US dollar cents, rounded up. Refuses `rates_unavailable`. */
export function usdMinorOf({ exchange }: Pick<PaymentContext, 'exchange'>, amount: Money): bigint {
  return exchange.usdMinorOf(amount)
}

/** What is charged in US dollar cents, at the payment's price where it has one. Refuses `rates_unavailable`. */
export function pulledUsdMinor(context: Pick<PaymentContext, 'exchange'>, charged: Money, price?: Price): bigint {
  if (charged.currency === 'USD') return charged.minor
  if (price?.source.currency !== charged.currency) return usdMinorOf(context, charged)
  const { source, usdMinor } = price
  return (charged.minor * usdMinor + source.minor - 1n) / source.minor
}

const pullOf = ({ user_id: userId, method, counted_on: day, pulled_usd_minor: usdMinor }: PaymentTerms): LimitUsage[] =>
  usdMinor === null || day === null ? [] : [{ userId, day, method: method === 'bank' ? 'bank' : 'card', usdMinor }]

const sendOf = ({ user_id: userId, counted_on: day, sent_usd_minor: usdMinor }: PaymentTerms): LimitUsage[] =>
  usdMinor === null || day === null ? [] : [{ userId, day, method: 'transfer', usdMinor }]

/** Counts a payment that is begun. Refuses `limit_exceeded`. */
export const countPayment = (tx: Tx, payment: PaymentTerms, at: Date): Promise<void> =>
  countLimitUsage(tx, { usages: [...pullOf(payment), ...sendOf(payment)], at })

/** Takes back what a payment counted of which nothing came. */
export async function reversePaymentUsage(tx: Tx, payment: PaymentTerms): Promise<void> {
  for (const usage of [...pullOf(payment), ...sendOf(payment)]) await reverseLimitUsage(tx, usage)
}

/** Takes back what a payment counted as sent: its money came, and stays with the payer. */
export async function reverseSendUsage(tx: Tx, payment: PaymentTerms): Promise<void> {
  for (const usage of sendOf(payment)) await reverseLimitUsage(tx, usage)
}

/** Counts a pull again that was taken back, since its money came after all. */
export const countLatePull = (tx: Tx, payment: PaymentTerms, at: Date): Promise<void> =>
  countForced(tx, { usages: pullOf(payment), at })
