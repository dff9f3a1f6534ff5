// Generated from the schema by tools/row-types.ts, and compared with it by a test.

import type { FiatCode } from '@tern/money/currency'

export interface FeeIndexMonthRow {
  readonly month: string
  readonly source_currency: FiatCode
  readonly target_currency: FiatCode
  readonly payments: bigint
  readonly payers: bigint
  readonly cost_sum: bigint
  readonly median_cost: bigint
  readonly low_cost: bigint
  readonly high_cost: bigint
  readonly fee_sum: bigint
  readonly counted_at: Date
}
