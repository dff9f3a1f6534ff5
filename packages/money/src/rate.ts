import { type CurrencyCode, scaleOf } from './currency.ts'
import { type Money, money } from './money.ts'
import { divide, multiply, type Ratio, ratio, type Rounding, scaleBy } from './ratio.ts'

/** What one whole unit of each currency is worth in US dollars, as exact ratios. */
export type UsdValues = Readonly<Record<CurrencyCode, Ratio>>

/** How many whole units of `target` one whole unit of `source` is worth. */
export const crossRate = (values: UsdValues, source: CurrencyCode, target: CurrencyCode): Ratio =>
  divide(values[source], values[target])

/** `source` at `rate` (whole target units for one whole source unit) in minor units of `target`, rounded as named. */
export function convert(source: Money, target: CurrencyCode, rate: Ratio, rounding: Rounding): Money {
  const minorRate = multiply(rate, ratio(10n ** BigInt(scaleOf(target)), 10n ** BigInt(scaleOf(source.currency))))
  return money(target, scaleBy(source.minor, minorRate, rounding))
}
