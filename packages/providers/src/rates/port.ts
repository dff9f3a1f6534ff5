import type { UsdValues } from '@tern/money/rate'

/** Mid-market values of all currencies in US dollars as of one moment, or `unknown` when no whole feed came. */
export type RatesResult = { status: 'known'; asOf: Date; values: UsdValues } | { status: 'unknown'; reason: string }

export interface RatesProvider {
  readonly name: string
  latest(): Promise<RatesResult>
}
