import type { CurrencyCode } from '@tern/money/currency'
import { inverse, multiply, type Ratio, ratio } from '@tern/money/ratio'
import { type LatestFix, type RatePolicies, valueFrom } from './rate-book.ts'

/** The fixes that each currency's value in dollars is made of, in order; the dollar has none. */
export type FixIds = Readonly<Partial<Record<CurrencyCode, readonly string[]>>>

/** A rate by the euro reference rates of the European Central Bank. */
export interface ReferenceRate {
  readonly rate: Ratio
  /** Of its older part. */
  readonly asOf: Date
  readonly fixIds: FixIds
}

/** The source of the euro reference rates. */
const referenceSource = 'ecb'
const one = ratio(1n, 1n)

/** The pair by the newest euro reference rates that are stored; undefined where they do not know it. */
export function referenceRateOf(
  { fixes, policies }: { readonly fixes: readonly LatestFix[]; readonly policies: RatePolicies },
  [source, target]: readonly [CurrencyCode, CurrencyCode],
): ReferenceRate | undefined {
  if (source === target) return undefined
  const codes = [source, target].filter((code) => code !== 'USD')
  const values = codes
    .map((code) => valueFrom(referenceSource, fixes, code, policies))
    .filter((value) => value !== undefined)
  if (values.length < codes.length) return undefined
  const valueIn = (code: CurrencyCode) => values.find(({ currency }) => currency === code)?.value ?? one
  return {
    rate: multiply(valueIn(source), inverse(valueIn(target))),
    asOf: new Date(Math.min(...values.map(({ asOf }) => asOf.getTime()))),
    fixIds: Object.fromEntries(values.map(({ currency, fixIds }) => [currency, fixIds])),
  }
}
