import type { CurrencyCode } from '@tern/money/currency'
import type { Ratio } from '@tern/money/ratio'
import type { Unknown } from '../outcome.ts'

/** What one whole unit of `base` was worth in whole units of `quote` at `asOf`, exactly as the source published it. */
export interface RateFix {
  readonly base: CurrencyCode
  readonly quote: CurrencyCode
  readonly rate: Ratio
  readonly asOf: Date
}

/** The fixes a source gave, at most one per pair and moment. */
export interface KnownRates {
  readonly status: 'known'
  readonly fixes: readonly RateFix[]
  /** Why some are missing: a sentence for operators. */
  readonly missing?: string | undefined
}

/** `unknown` when there was no answer, or none that can be read or believed, such as one that is dated in the future. */
export type RatesResult = KnownRates | Unknown

/** A source of mid-market rates. All its fixes have one currency in common: the base or the quote. */
export interface RatesProvider {
  readonly name: string
  /** How often its newest fixes are worth asking for. */
  readonly pollEveryMs: number
  /** The newest fix of each pair. */
  latest(): Promise<RatesResult>
  /** The fixes from `from` on, in any order and as dense as the source keeps them: what charts show of the time before. */
  history(from: Date): Promise<RatesResult>
}
