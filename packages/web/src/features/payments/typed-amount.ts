import type { FiatCode } from '@tern/money/currency'
import { isPositive, MoneyError, parseDecimal } from '@tern/money/money'
import { payments } from '#messages/payments.ts'

const largestMinor = 1_000_000_000_000n

export type DepositAmount =
  | { readonly status: 'empty' }
  | { readonly status: 'wrong'; readonly message: string }
  /** `minor` counts the currency's smallest unit. */
  | { readonly status: 'right'; readonly minor: bigint }

/** Reads what stands in the amount field: digits with at most the currency's places, above zero. */
export function depositAmount(currency: FiatCode, text: string): DepositAmount {
  if (text === '') return { status: 'empty' }
  try {
    const amount = parseDecimal(currency, text.replace(/\.$/, ''))
    if (!isPositive(amount)) return { status: 'wrong', message: payments.enterAmount }
    if (amount.minor > largestMinor) return { status: 'wrong', message: payments.tooMuch }
    return { status: 'right', minor: amount.minor }
  } catch (error) {
    if (error instanceof MoneyError) return { status: 'wrong', message: payments.enterAmount }
    throw error
  }
}
