import type { Money } from '@tern/money/money'
import type { Tx } from '../../../platform/database/db.ts'
import type { Price } from '../../exchange/exchange.ts'
import { countUnchecked, countLimitUsage, type LimitUsage, reverseLimitUsage } from '../../limits/limits.ts'
import type { PaymentContext } from '../context.ts'
import type { PaymentTerms } from './payment-rows.ts'

// Usage of the payer's limits by a card or bank payment, on the day it was begun: the amount pulled from the card or
// bank account, and the amount of its send, if any.

/** Value of an amount in US dollar cents, rounded up. Refuses `rates_unavailable`. */
export function computeUsdMinor({ exchange }: Pick<PaymentContext, 'exchange'>, amount: Money): bigint {
  return exchange.usdMinorOf(amount)
}

/** Charged amount in US dollar cents, at the payment's price if it has one. Refuses `rates_unavailable`. */
export function computePulledUsdMinor(
  context: Pick<PaymentContext, 'exchange'>,
  charged: Money,
  price?: Price,
): bigint {
  if (charged.currency === 'USD') return charged.minor
  if (price?.source.currency !== charged.currency) return computeUsdMinor(context, charged)
  const { source, usdMinor } = price
  return (charged.minor * usdMinor + source.minor - 1n) / source.minor
}

const pullUsage = ({
  user_id: userId,
  method,
  counted_on: day,
  pulled_usd_minor: usdMinor,
}: PaymentTerms): LimitUsage[] =>
  usdMinor === null || day === null ? [] : [{ userId, day, method: method === 'bank' ? 'bank' : 'card', usdMinor }]

const sendUsage = ({ user_id: userId, counted_on: day, sent_usd_minor: usdMinor }: PaymentTerms): LimitUsage[] =>
  usdMinor === null || day === null ? [] : [{ userId, day, method: 'transfer', usdMinor }]

/** Counts a payment that begins. Refuses `limit_exceeded`. */
export const countPayment = (tx: Tx, payment: PaymentTerms, at: Date): Promise<void> =>
  countLimitUsage(tx, { usages: [...pullUsage(payment), ...sendUsage(payment)], at })

/** Reverses the usage of a payment that failed before its money arrived. */
export async function reversePaymentUsage(tx: Tx, payment: PaymentTerms): Promise<void> {
  for (const usage of [...pullUsage(payment), ...sendUsage(payment)]) await reverseLimitUsage(tx, usage)
}

/** Reverses only the usage of a payment's send, whose money has arrived but stays with the payer. */
export async function reverseSendUsage(tx: Tx, payment: PaymentTerms): Promise<void> {
  for (const usage of sendUsage(payment)) await reverseLimitUsage(tx, usage)
}

/** Counts a pull again whose usage was reversed before its money arrived. */
export const recordLatePull = (tx: Tx, payment: PaymentTerms, at: Date): Promise<void> =>
  countUnchecked(tx, { usages: pullUsage(payment), at })
