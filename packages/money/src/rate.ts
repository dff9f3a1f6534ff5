import { type CurrencyCode, scaleOf } from './currency.ts'
import { type Money, money } from './money.ts'
import { divide, multiply, type Ratio, ratio, type Rounding, scaleBy } from './ratio.ts'

/** Returns the exact US dollar value of one whole unit. */
export type UsdRateReader = (currency: CurrencyCode) => Ratio

/** Returns whole units of `target` per whole unit of `source`. */
export const crossRate = (usdValueOf: UsdRateReader, source: CurrencyCode, target: CurrencyCode): Ratio =>
  divide(usdValueOf(source), usdValueOf(target))

/** Converts at `rate` (whole target units per whole source unit) to minor units of `target`, rounded as specified. */
export function convert(source: Money, target: CurrencyCode, rate: Ratio, rounding: Rounding): Money {
  const minorRate = multiply(rate, ratio(10n ** BigInt(scaleOf(target)), 10n ** BigInt(scaleOf(source.currency))))
  return money(target, scaleBy(source.minor, minorRate, rounding))
}
