// Generated from the schema by tools/row-types.ts, and compared with it by a test.

import type { CurrencyCode } from '@tern/money/currency'

export interface TreasuryOrderRow {
  readonly id: string
  readonly provider: string
  readonly currency: CurrencyCode
  readonly sell_currency: CurrencyCode
  readonly sell_minor: bigint
  readonly buy_currency: CurrencyCode
  readonly state: 'pending' | 'filled' | 'rejected'
  readonly reference: string | null
  readonly sold_minor: bigint | null
  readonly bought_minor: bigint | null
  readonly reason: string | null
  readonly ordered_by: string
  readonly created_at: Date
  readonly polled_at: Date
  readonly filled_at: Date | null
  readonly updated_at: Date
}
