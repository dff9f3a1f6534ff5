import type { FiatCode } from '@tern/money/currency'
import { money, parseDecimal, toDecimal } from '@tern/money/money'
import { convert } from '@tern/money/rate'
import { parseRatio } from '@tern/money/ratio'

/** A currency and what a US dollar is worth in it, in whole units. */
export interface OwnRate {
  readonly currency: FiatCode
  readonly rate: string
}

/** Figures of an amount that are stated; those behind become zeros. */
const statedFigures = 3

/** The approximate worth of an amount of US dollars at a rate: rounded down to three figures, as a decimal of the rate's currency. */
export function worthIn({ currency, rate }: OwnRate, dollars: string): string {
  const { minor } = convert(parseDecimal('USD', dollars), currency, parseRatio(rate), 'down')
  const unit = 10n ** BigInt(Math.max(0, minor.toString().length - statedFigures)) // not money: a number of figures
  return toDecimal(money(currency, minor - (minor % unit)))
}
