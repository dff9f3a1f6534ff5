import { type CurrencyCode, scaleOf } from '@tern/money/currency'
import { type Money, MoneyError, parseDecimal, toDecimal } from '@tern/money/money'
import { refuse, refuseField } from '../refuse.ts'

/**
 * Parses `field` as exact money of `currency`. Refuses `invalid_request` naming it: malformed, not above zero, too many
 * decimals or too large.
 */
export function parseAmount(field: string, currency: CurrencyCode, text: string): Money {
  try {
    const amount = parseDecimal(currency, text)
    return amount.minor > 0n ? amount : refuseField('invalid_request', field, 'Please enter a valid amount')
  } catch (error) {
    if (!(error instanceof MoneyError)) throw error
    const message =
      error.problem === 'too_many_decimals'
        ? `${currency} amounts have at most ${String(scaleOf(currency))} decimals`
        : 'Please enter a valid amount'
    return refuse('invalid_request', { detail: message, errors: [{ field, message }] })
  }
}

/** An amount for sentences: `12.50 USD`. */
export const amountText = (amount: Money): string => `${toDecimal(amount)} ${amount.currency}`
