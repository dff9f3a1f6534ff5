import { type CurrencyCode, currencyOf } from '@tern/money/currency'
import { divide, inverse, type Ratio, ratio } from '@tern/money/ratio'
import type { RateFix } from '@tern/providers/rates/port'
import { type RatePolicy, usableUntil } from './usable-until.ts'

export type CurrencyKind = 'fiat' | 'stablecoin' | 'crypto'

export type RatePolicies = Readonly<Record<CurrencyKind, RatePolicy>>

/** Accepted fix of one pair that is in use. */
export interface LatestFix extends RateFix {
  readonly id: string
  readonly source: string
  /** Time of the source's last report of this rate. */
  readonly confirmedAt: Date
  /** The source's own limit, if any. */
  readonly maxAgeSeconds?: number | undefined
}

/** Value of one unit of a currency in US dollars, with its evidence. */
export interface UsdValue {
  readonly currency: CurrencyCode
  readonly value: Ratio
  readonly source: string
  /** Earliest `confirmedAt` of its fixes. */
  readonly asOf: Date
  readonly usableUntil: Date
  readonly fixIds: readonly string[]
}

const unitRatio = ratio(1n, 1n)

/** Returns the kind of the pair's more volatile currency: `crypto` for BTC/USD. */
export function pairKind({ base, quote }: Pick<RateFix, 'base' | 'quote'>): CurrencyKind {
  const kinds = new Set([currencyOf(base).kind, currencyOf(quote).kind])
  return (['crypto', 'stablecoin'] as const).find((kind) => kinds.has(kind)) ?? 'fiat'
}

/** Returns the policy of a fix: that of its kind, with the shorter limit of its source. */
export function findPolicy(
  fix: Pick<LatestFix, 'base' | 'quote' | 'maxAgeSeconds'>,
  policies: RatePolicies,
): RatePolicy {
  const policy = policies[pairKind(fix)]
  if (fix.maxAgeSeconds === undefined) return policy
  return { ...policy, maxAgeSeconds: Math.min(fix.maxAgeSeconds, policy.maxAgeSeconds), skipsClosingDays: false }
}

/** Returns the value of a currency in US dollars by one source's fixes; undefined if they do not cover it. */
export function computeValue(
  source: string,
  allFixes: readonly LatestFix[],
  currency: CurrencyCode,
  policies: RatePolicies,
): UsdValue | undefined {
  const fixes = allFixes.filter((fix) => fix.source === source)
  const findLeg = (from: CurrencyCode, to: CurrencyCode) => {
    const directFix = fixes.find(({ base, quote }) => base === from && quote === to)
    if (directFix) return { fix: directFix, rate: directFix.rate }
    const inverseFix = fixes.find(({ base, quote }) => base === to && quote === from)
    return inverseFix && { fix: inverseFix, rate: inverse(inverseFix.rate) }
  }
  const directLeg = findLeg(currency, 'USD')
  const legs = directLeg ? [directLeg] : findIndirectLegs(fixes, currency, findLeg)
  if (!legs) return undefined
  const usedFixes = legs.map(({ fix }) => fix)
  const earliest = (dates: readonly Date[]) => new Date(Math.min(...dates.map((date) => date.getTime())))
  return {
    currency,
    value: legs.map(({ rate }) => rate).reduce((value, rate) => divide(value, inverse(rate)), unitRatio),
    source,
    asOf: earliest(usedFixes.map(({ confirmedAt }) => confirmedAt)),
    usableUntil: earliest(usedFixes.map((fix) => usableUntil(fix.confirmedAt, findPolicy(fix, policies)))),
    fixIds: usedFixes.map(({ id }) => id),
  }
}

/** Returns two legs to the dollar through a third currency, if the source has fixes for both. */
function findIndirectLegs<Leg>(
  fixes: readonly LatestFix[],
  currency: CurrencyCode,
  findLeg: (from: CurrencyCode, to: CurrencyCode) => Leg | undefined,
): Leg[] | undefined {
  for (const bridgeCode of new Set(fixes.flatMap(({ base, quote }) => [base, quote]))) {
    const [first, second] = [findLeg(currency, bridgeCode), findLeg(bridgeCode, 'USD')]
    if (first && second) return [first, second]
  }
  return undefined
}

/**
 * Returns the value of a currency by the first of `sources` that is usable at `now`, else by the one that was usable
 * longest. Undefined if no source covers it.
 */
export function usdValue(
  currency: CurrencyCode,
  { fixes, policies }: { readonly fixes: readonly LatestFix[]; readonly policies: RatePolicies },
  sources: readonly string[],
  now: Date,
): UsdValue | undefined {
  const candidates = sources
    .map((name) => computeValue(name, fixes, currency, policies))
    .filter((value) => value !== undefined)
  const usableValue = candidates.find((value) => value.usableUntil >= now)
  return usableValue ?? candidates.toSorted((a, b) => b.usableUntil.getTime() - a.usableUntil.getTime())[0]
}
