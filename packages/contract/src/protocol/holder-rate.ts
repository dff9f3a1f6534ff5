import type { FiatCode } from '@tern/money/currency'
import { money, parseDecimal, toDecimal } from '@tern/money/money'
import { convert } from '@tern/money/rate'
import { parseRatio } from '@tern/money/ratio'

/** Currency, and the value of one US dollar in whole units of it. */
export interface HolderRate {
  readonly currency: FiatCode
  readonly rate: string
}

/** Number of significant figures; further digits become zeros. */
const significantFigures = 3

/** Converts US dollars to the rate's currency, rounded down to three significant figures; returns a decimal. */
export function convertDollars({ currency, rate }: HolderRate, dollars: string): string {
  const { minor } = convert(parseDecimal('USD', dollars), currency, parseRatio(rate), 'down')
  const unit = 10n ** BigInt(Math.max(0, minor.toString().length - significantFigures)) // not money: a number of figures
  return toDecimal(money(currency, minor - (minor % unit)))
}
