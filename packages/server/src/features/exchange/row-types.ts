// Generated from the schema by tools/row-types.ts, and compared with it by a test.

import type { CurrencyCode } from '@tern/money/currency'
import type { QuoteTerms } from './quote.ts'

export interface QuoteRow {
  readonly id: string
  readonly user_id: bigint
  readonly recipient_id: bigint | null
  readonly created_at: Date
  readonly expires_at: Date
  readonly locked_price: QuoteTerms
  readonly signature: Buffer
  readonly replaced_by: string | null
}

export interface RateFixRow {
  readonly id: string
  readonly source: string
  readonly base: CurrencyCode
  readonly quote: CurrencyCode
  readonly as_of: Date
  readonly numerator: bigint
  readonly denominator: bigint
  readonly received_at: Date
  readonly state: 'accepted' | 'held_back' | 'rejected'
  readonly decided_by: string | null
  readonly decided_at: Date | null
}

export interface RateLatestRow {
  readonly source: string
  readonly base: string
  readonly quote: string
  readonly fix_id: string
  readonly confirmed_at: Date
}

export interface RatePolicyRow {
  readonly kind: 'fiat' | 'stablecoin' | 'crypto'
  readonly max_age_seconds: number
  readonly skips_closing_days: boolean
  readonly max_jump_parts_per_million: number
}

export interface SpreadRow {
  readonly source_currency: CurrencyCode
  readonly target_currency: CurrencyCode
  readonly parts_per_million: number
}

export interface FeePolicyRow {
  readonly only_one: boolean
  readonly free_movements_per_day: number
  readonly smallest_fee_minor: number
}

export interface LiquidityLimitRow {
  readonly currency: CurrencyCode
  readonly long_minor: bigint | null
  readonly short_minor: bigint | null
  readonly flatten_above_minor: bigint | null
  readonly changed_by: string
  readonly changed_at: Date
}

export interface LiquidityDefaultRow {
  readonly name: 'long' | 'short' | 'flatten_above' | 'locked_by_person' | 'locked_in_all'
  readonly usd_minor: bigint
}

export interface LiquidityReservationRow {
  readonly id: string
  readonly currency: CurrencyCode
  readonly minor: bigint
  readonly usd_minor: bigint
  readonly user_id: bigint | null
  readonly until: Date
}

export interface LiquidityTotalRow {
  readonly currency: CurrencyCode
  readonly incoming: bigint
  readonly outgoing: bigint
  readonly usd_minor: bigint
}

export interface LiquidityChangeRow {
  readonly currency: CurrencyCode
  readonly incoming: bigint
  readonly outgoing: bigint
  readonly usd_minor: bigint
}
