import type { UsdValues } from '@tern/money/rate'
import type { Unknown } from '../outcome.ts'

/** Mid-market values of all currencies in US dollars as of one moment, or `unknown` when no whole feed came. */
export type RatesResult = { status: 'known'; asOf: Date; values: UsdValues } | Unknown

export interface RatesProvider {
  readonly name: string
  latest(): Promise<RatesResult>
}
