import type { CurrencyCode } from '@tern/money/currency'
import type { Ratio } from '@tern/money/ratio'
import type { UnknownOutcome } from '../outcome.ts'

/** Value of one whole unit of `base` in whole units of `quote` at `asOf`, derived from the source without rounding. */
export interface RateFix {
  readonly base: CurrencyCode
  readonly quote: CurrencyCode
  readonly rate: Ratio
  readonly asOf: Date
}

/** Fixes of a source, at most one per pair and moment. */
export interface KnownRates {
  readonly status: 'known'
  readonly fixes: readonly RateFix[]
  /** Reason for missing fixes: a sentence for operators. */
  readonly missing?: string | undefined
}

/** `unknown` without a reply, or if it is unreadable or implausible, such as one dated in the future. */
export type RatesResult = KnownRates | UnknownOutcome

/** Source of mid-market rates. All its fixes share one currency: the base or the quote. */
export interface RatesProvider {
  readonly name: string
  /** Useful polling interval for its latest fixes, in milliseconds. */
  readonly pollEveryMs: number
  /** Age at which its fixes expire, if earlier than other fixes of their kind. */
  readonly maxAgeSeconds?: number
  /** Source whose usable fixes its own must not contradict, and whose history precedes its own. */
  readonly anchor?: string
  latest(): Promise<RatesResult>
  /** Returns the fixes from `from` on, in any order and at the source's own density, for charts of the past. */
  history(from: Date): Promise<RatesResult>
}
