import type { CurrencyCode } from '@tern/money/currency'
import { inverse, parseRatio, ratio, toRateText } from '@tern/money/ratio'
import { toUnits } from '../../app/rates/rate-scale.ts'

/** Currency pair; rates are in `otherCurrency` per unit of `rateCurrency`. */
export interface RatePair {
  readonly rateCurrency: CurrencyCode
  readonly otherCurrency: CurrencyCode
}

/** Value of one unit in dollars as a power of ten, for currencies far from one dollar. */
const magnitudes: Partial<Record<CurrencyCode, number>> = { BTC: 5, ETH: 3, JPY: -2, INR: -2 }

/** Pair in which the rate of an exchange is written: per source unit, or per target unit if that is worth far more. */
export function chooseRatePair(source: CurrencyCode, target: CurrencyCode): RatePair {
  const isTargetLarger = (magnitudes[target] ?? 0) > (magnitudes[source] ?? 0)
  return isTargetLarger
    ? { rateCurrency: target, otherCurrency: source }
    : { rateCurrency: source, otherCurrency: target }
}

export const invertRate = (rate: string): string => toRateText(inverse(parseRatio(rate)))

/** Converts a rate per unit of `quotedCurrency` to one per unit of `rateCurrency`. */
export const convertRate = (rateCurrency: CurrencyCode, quotedCurrency: CurrencyCode, rate: string): string =>
  rateCurrency === quotedCurrency ? rate : invertRate(rate)

/**
 * Change of a rate per arrow key, in rate units: 1 or 5 of a decimal place, about a twentieth of a percent, so 0.0005
 * for rates around one.
 */
export function chooseStep(units: bigint): bigint {
  // Largest such step up to 0.07 % of the rate.
  const maxStep = (units * 7n) / 10_000n
  let step = 1n
  while (step * 10n <= maxStep) step *= 10n
  return step * 5n <= maxStep ? step * 5n : step
}

/** Number of arrow-key steps per Page Up or Page Down. */
export const pageSteps = 10n

/** Rate after a number of steps, on a multiple of the step; at least one step. */
export function moveRate(units: bigint, steps: bigint, step: bigint): bigint {
  const next = findNearest(units, step) + steps * step
  return next < step ? step : next
}

/** Multiple of a step closest to a rate; at least one step. */
export function findNearest(units: bigint, step: bigint): bigint {
  const count = (units + step / 2n) / step
  return (count < 1n ? 1n : count) * step
}

/**
 * Distance of a rate from the current one, in hundredths of a percent of the latter, rounded half up; undefined without
 * a current rate.
 */
export function computeDistance(rate: string, now: string | undefined): bigint | undefined {
  if (now === undefined || toUnits(now) === 0n) return undefined
  const [rateUnits, nowUnits] = [toUnits(rate), toUnits(now)]
  const size = rateUnits > nowUnits ? rateUnits - nowUnits : nowUnits - rateUnits
  if (size === 0n) return 0n
  const { numerator, denominator } = ratio(size * 10_000n, nowUnits)
  const hundredths = (2n * numerator + denominator) / (2n * denominator)
  return rateUnits > nowUnits ? hundredths : -hundredths
}
