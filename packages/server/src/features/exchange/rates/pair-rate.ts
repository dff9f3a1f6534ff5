import type { LastRate as LastRateView } from '@tern/contract/exchange/rates'
import type { CurrencyCode } from '@tern/money/currency'
import { inverse, multiply, type Ratio, ratio, toRateText } from '@tern/money/ratio'
import { pairKind, type LatestFix, type RatePolicies, type UsdValue } from './rate-book.ts'
import { type ReferenceRate, findReferenceRate } from './reference-rate.ts'
import type { RatePolicy } from './usable-until.ts'

/** Rate of a pair with its evidence. */
export interface PairRate {
  /** Whole target units for one whole source unit, after the spread. */
  readonly rate: Ratio
  readonly midMarket: Ratio
  readonly spreadPartsPerMillion: bigint
  /** Names of its sources, the source currency's first. */
  readonly sources: readonly string[]
  /** Time of its oldest part. */
  readonly asOf: Date
  readonly fixIds: readonly string[]
  /** Undefined if the European Central Bank's rates do not cover the pair. */
  readonly reference: ReferenceRate | undefined
}

/** Last rate of a pair, usable or not. */
export interface LastRate extends PairRate {
  /** Validity of the part that ends first; undefined if both sides are the dollar. */
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

/** `rate` less a spread in millionths. */
export const subtractSpread = (rate: Ratio, partsPerMillion: bigint): Ratio =>
  partsPerMillion === 0n ? rate : multiply(rate, ratio(millionth - partsPerMillion, millionth))

/** Rate of a pair by the values of its currencies in US dollars; undefined if one is unknown. */
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
    policy: oldest && policies[pairKind(oldest)],
  }
}

/** Refusal details for a rate that is too old because of `currency`. */
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
