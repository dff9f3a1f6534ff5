import type { CurrencyCode } from '@tern/money/currency'
import { inverse, parseRatio, ratio, toRateText } from '@tern/money/ratio'
import { unitsOf } from '../../app/rates/rate-scale.ts'

/** Two currencies; rates are of whole units of `of` in `other`. */
export interface RatePair {
  readonly of: CurrencyCode
  readonly other: CurrencyCode
}

/** The power of ten of a dollar that one unit is worth, for currencies of which that is not about one. */
const magnitudes: Partial<Record<CurrencyCode, number>> = { BTC: 5, ETH: 3, JPY: -2, INR: -2 }

/** How the rate of an exchange is written: of the source currency, or of the other one where a unit of that is worth far more. */
export function ratePairOf(source: CurrencyCode, target: CurrencyCode): RatePair {
  const isTargetLarger = (magnitudes[target] ?? 0) > (magnitudes[source] ?? 0)
  return isTargetLarger ? { of: target, other: source } : { of: source, other: target }
}

/** A rate of the one currency in the other, as one of the other in the one. */
export const inverted = (rate: string): string => toRateText(inverse(parseRatio(rate)))

/** A rate that is of `rateOf`, as one of `of`. */
export const rateIn = (of: CurrencyCode, rateOf: CurrencyCode, rate: string): string =>
  of === rateOf ? rate : inverted(rate)

/**
 * By how much the arrow keys move a rate, in its last decimal places: 1 or 5 of a decimal place, about a twentieth of a
 * percent, so 0.0005 for rates around one.
 */
export function stepOf(units: bigint): bigint {
  // The largest round step that is at most 0.07 % of the rate.
  const most = (units * 7n) / 10_000n
  let step = 1n
  while (step * 10n <= most) step *= 10n
  return step * 5n <= most ? step * 5n : step
}

/** Ten arrow keys in one. */
export const pageSteps = 10n

/** The rate so many steps away, on a multiple of a step; never below one step. */
export function moved(units: bigint, steps: bigint, step: bigint): bigint {
  const next = nearest(units, step) + steps * step
  return next < step ? step : next
}

/** The multiple of a step next to a rate; at least one. */
export function nearest(units: bigint, step: bigint): bigint {
  const count = (units + step / 2n) / step
  return (count < 1n ? 1n : count) * step
}

/** How far a rate is from the rate of now, in hundredths of a percent of that, rounded half up; undefined without a rate of now. */
export function distanceOf(rate: string, now: string | undefined): bigint | undefined {
  if (now === undefined || unitsOf(now) === 0n) return undefined
  const [asked, known] = [unitsOf(rate), unitsOf(now)]
  const size = asked > known ? asked - known : known - asked
  if (size === 0n) return 0n
  const { numerator, denominator } = ratio(size * 10_000n, known)
  const hundredths = (2n * numerator + denominator) / (2n * denominator)
  return asked > known ? hundredths : -hundredths
}
