import type { FiatCode } from '@tern/money/currency'
import { money, parseDecimal, toDecimal } from '@tern/money/money'
import { convert } from '@tern/money/rate'
import { parseRatio } from '@tern/money/ratio'

/** Currency, and the value of one US dollar in whole units of it. */
export interface OwnRate {
  readonly currency: FiatCode
  readonly rate: string
}

/** Number of significant figures; the rest become zeros. */
const statedFigures = 3

/** Converts US dollars at a rate, rounded down to three figures; returns a decimal of the rate's currency. */
export function worthIn({ currency, rate }: OwnRate, dollars: string): string {
  const { minor } = convert(parseDecimal('USD', dollars), currency, parseRatio(rate), 'down')
  const unit = 10n ** BigInt(Math.max(0, minor.toString().length - statedFigures)) // not money: a number of figures
  return toDecimal(money(currency, minor - (minor % unit)))
}
