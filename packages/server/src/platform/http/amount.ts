import { type CurrencyCode, scaleOf } from '@tern/money/currency'
import { type Money, MoneyError, parseDecimal, toDecimal } from '@tern/money/money'
import { refuseField } from '../refuse.ts'

/**
 * Parses `field` as exact money of `currency`. Refuses `invalid_request` for the field if it is malformed, not above
 * zero, too large or has too many decimals.
 */
export function parseAmount(field: string, currency: CurrencyCode, text: string): Money {
  try {
    const amount = parseDecimal(currency, text)
    return amount.minor > 0n ? amount : refuseField('invalid_request', field, 'invalid_amount')
  } catch (error) {
    if (!(error instanceof MoneyError)) throw error
    if (error.problem !== 'too_many_decimals') return refuseField('invalid_request', field, 'invalid_amount')
    return refuseField('invalid_request', field, {
      code: 'too_many_decimals',
      params: { currency, max: scaleOf(currency) },
    })
  }
}

/** Formats an amount for sentences: `12.50 USD`. */
export const amountText = (amount: Money): string => `${toDecimal(amount)} ${amount.currency}`
