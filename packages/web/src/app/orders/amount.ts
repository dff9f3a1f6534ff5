import type { CurrencyCode } from '@tern/money/currency'
import { isPositive, type Money, MoneyError, parseDecimal } from '@tern/money/money'

/** The most a payment call can carry in minor units. */
export const largestPayment = 1_000_000_000_000n

/** The typed amount as the API takes it: without a point that no digit follows. */
export const plainAmount = (text: string): string => text.replace(/\.$/, '')

/** What was typed as money: above zero and exact in `currency`. Undefined otherwise. */
export function amountOf(currency: CurrencyCode, text: string): Money | undefined {
  try {
    const amount = parseDecimal(currency, plainAmount(text))
    return isPositive(amount) ? amount : undefined
  } catch (error) {
    if (error instanceof MoneyError) return undefined
    throw error
  }
}
