import type { CurrencyCode } from '@tern/money/currency'
import { inverse, multiply, type Ratio, ratio } from '@tern/money/ratio'
import { type LatestFix, type RatePolicies, computeValue } from './rate-book.ts'

/** Ids of the fixes behind each currency's value in US dollars, in order; none for the dollar. */
export type FixIds = Readonly<Partial<Record<CurrencyCode, readonly string[]>>>

/** Rate of a pair by the European Central Bank's euro reference rates. */
export interface ReferenceRate {
  readonly rate: Ratio
  /** Earliest `confirmedAt` of its fixes. */
  readonly asOf: Date
  readonly fixIds: FixIds
}

const referenceSource = 'ecb'
const unitRatio = ratio(1n, 1n)

/**
 * Returns the rate of a pair by the euro reference rates in `fixes`; undefined within one currency, or if they do not
 * cover the pair.
 */
export function findReferenceRate(
  { fixes, policies }: { readonly fixes: readonly LatestFix[]; readonly policies: RatePolicies },
  [source, target]: readonly [CurrencyCode, CurrencyCode],
): ReferenceRate | undefined {
  if (source === target) return undefined
  const codes = [source, target].filter((code) => code !== 'USD')
  const values = codes
    .map((code) => computeValue(referenceSource, fixes, code, policies))
    .filter((value) => value !== undefined)
  if (values.length < codes.length) return undefined
  const valueIn = (code: CurrencyCode) => values.find(({ currency }) => currency === code)?.value ?? unitRatio
  return {
    rate: multiply(valueIn(source), inverse(valueIn(target))),
    asOf: new Date(Math.min(...values.map(({ asOf }) => asOf.getTime()))),
    fixIds: Object.fromEntries(values.map(({ currency, fixIds }) => [currency, fixIds])),
  }
}
