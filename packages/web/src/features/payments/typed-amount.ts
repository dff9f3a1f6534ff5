import type { FiatCode } from '@tern/money/currency'
import { isPositive, MoneyError, parseDecimal } from '@tern/money/money'
import { payments } from '#messages/payments.ts'

// What a payment call can carry in minor units.
const largestMinor = 1_000_000_000_000n

export type TypedAmount =
  | { readonly status: 'empty' }
  | { readonly status: 'wrong'; readonly message: string }
  /** `minor` counts the currency's smallest unit. */
  | { readonly status: 'right'; readonly minor: bigint }

/** Reads what stands in the amount field: digits with at most the currency's places, above zero, at most `largest` minor units. */
export function typedAmount(currency: FiatCode, text: string, largest: bigint = largestMinor): TypedAmount {
  if (text === '') return { status: 'empty' }
  try {
    const amount = parseDecimal(currency, text.replace(/\.$/, ''))
    if (!isPositive(amount)) return { status: 'wrong', message: payments.enterAmount }
    if (amount.minor > largest) return { status: 'wrong', message: payments.tooMuch }
    return { status: 'right', minor: amount.minor }
  } catch (error) {
    if (error instanceof MoneyError) return { status: 'wrong', message: payments.enterAmount }
    throw error
  }
}
