import type { CurrencyCode } from '@tern/money/currency'
import { isPositive, type Money, MoneyError, parseDecimal } from '@tern/money/money'

/** Largest amount of a payment call, in minor units. */
export const largestPayment = 1_000_000_000_000n

/** Typed amount in the form that the API takes: without a trailing decimal point. */
export const plainAmount = (text: string): string => text.replace(/\.$/, '')

/** Typed amount as money: above zero and exact in `currency`; undefined otherwise. */
export function parseAmount(currency: CurrencyCode, text: string): Money | undefined {
  try {
    const amount = parseDecimal(currency, plainAmount(text))
    return isPositive(amount) ? amount : undefined
  } catch (error) {
    if (error instanceof MoneyError) return undefined
    throw error
  }
}
