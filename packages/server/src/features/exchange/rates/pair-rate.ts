import type { LastRate as LastRateView } from '@tern/contract/exchange/rates'
import type { CurrencyCode } from '@tern/money/currency'
import { inverse, multiply, type Ratio, ratio, toRateText } from '@tern/money/ratio'
import { findPolicy, type LatestFix, type RatePolicies, type UsdValue } from './rate-book.ts'
import { type ReferenceRate, findReferenceRate } from './reference-rate.ts'
import type { RatePolicy } from './usable-until.ts'

/** Rate of a pair with its evidence. */
export interface PairRate {
  /** Whole target units for one whole source unit, after the spread. */
  readonly rate: Ratio
  readonly midMarket: Ratio
  readonly spreadPartsPerMillion: bigint
  /** Names of the rate sources, that of the source currency first. */
  readonly sources: readonly string[]
  /** Earliest of the times at which the sources last confirmed the fixes; now if both currencies are the dollar. */
  readonly asOf: Date
  readonly fixIds: readonly string[]
  /** Undefined within one currency, or if the European Central Bank's rates do not cover the pair. */
  readonly reference: ReferenceRate | undefined
}

/** Last known rate of a pair, even if it is too old to use. */
export interface LastRate extends PairRate {
  /** Policy of the oldest fix of the value that expires first; undefined if both currencies are the dollar. */
  readonly policy: RatePolicy | undefined
}

interface RateFacts {
  readonly fixes: readonly LatestFix[]
  readonly policies: RatePolicies
  readonly spreadOf: (source: CurrencyCode, target: CurrencyCode) => bigint
  readonly now: Date
}

const millionth = 1_000_000n
const unitRatio = ratio(1n, 1n)

/** Returns a rate less a spread in millionths. */
export const subtractSpread = (rate: Ratio, partsPerMillion: bigint): Ratio =>
  partsPerMillion === 0n ? rate : multiply(rate, ratio(millionth - partsPerMillion, millionth))

/** Returns the rate of a pair from its currencies' values in US dollars; undefined if a value is unknown. */
export function findLastRate(
  [source, target]: readonly [CurrencyCode, CurrencyCode],
  values: readonly (UsdValue | undefined)[],
  { fixes, policies, spreadOf, now }: RateFacts,
): LastRate | undefined {
  if (!values.every((value) => value !== undefined)) return undefined
  const findUsdValue = (currency: CurrencyCode) =>
    values.find((value) => value.currency === currency)?.value ?? unitRatio
  const midMarket = multiply(findUsdValue(source), inverse(findUsdValue(target)))
  const spreadPartsPerMillion = source === target ? 0n : spreadOf(source, target)
  const [first] = values.toSorted((a, b) => a.usableUntil.getTime() - b.usableUntil.getTime())
  const oldest = fixes.find(
    ({ id, confirmedAt }) => first?.fixIds.includes(id) && confirmedAt.getTime() === first.asOf.getTime(),
  )
  return {
    rate: subtractSpread(midMarket, spreadPartsPerMillion),
    midMarket,
    spreadPartsPerMillion,
    sources: [...new Set(values.map((value) => value.source))],
    asOf: new Date(Math.min(now.getTime(), ...values.map(({ asOf }) => asOf.getTime()))),
    fixIds: values.flatMap(({ fixIds }) => fixIds),
    reference: findReferenceRate({ fixes, policies }, [source, target]),
    policy: oldest && findPolicy(oldest, policies),
  }
}

/** Returns the details of a refusal because the value of `currency` is too old. */
export function describeOutdatedRate(
  currency: CurrencyCode,
  [source, target]: readonly [CurrencyCode, CurrencyCode],
  last: LastRate,
) {
  const lastRateView: LastRateView = {
    source_currency: source,
    target_currency: target,
    rate: toRateText(last.rate),
    source: last.sources.join('+'),
    time: last.asOf.toISOString(),
    max_age_seconds: last.policy?.maxAgeSeconds ?? 0,
    skips_closing_days: last.policy?.skipsClosingDays ?? false,
  }
  return { reason: { code: 'rate_too_old' as const, params: { currency } }, extra: { last_rate: lastRateView } }
}
