// Generated from the schema by tools/row-types.ts, and compared with it by a test.

import type { CurrencyCode, FiatCode } from '@tern/money/currency'

export interface ExchangeOrderRow {
  readonly id: string
  readonly user_id: bigint
  readonly wallet_id: string
  readonly transaction_id: string
  readonly kind: 'limit' | 'stop'
  readonly state: 'open' | 'in_review' | 'filled' | 'cancelled' | 'rejected' | 'expired'
  readonly source_currency: CurrencyCode
  readonly target_currency: CurrencyCode
  readonly source_minor: bigint
  readonly fee_minor: bigint
  readonly fee_basis_points: number
  readonly rate_currency: CurrencyCode
  readonly rate: string
  readonly worst_rate: string
  readonly minimum_minor: bigint
  readonly trigger_numerator: bigint
  readonly trigger_denominator: bigint
  readonly version: number
  readonly expires_at: Date
  readonly waiting_reason: string | null
  readonly waiting_since: Date | null
  readonly try_at: Date | null
  readonly quote_id: string | null
  readonly request_hash: Buffer
  readonly created_at: Date
  readonly edited_at: Date | null
  readonly ended_at: Date | null
}

export interface ExchangeOrderEditRow {
  readonly id: string
  readonly order_id: string
  readonly request_hash: Buffer
  readonly created_at: Date
}

export interface ProtectionRuleRow {
  readonly id: string
  readonly user_id: bigint
  readonly kind: 'keep_share' | 'convert_incoming'
  readonly is_on: boolean
  readonly currency: CurrencyCode
  readonly base_currency: FiatCode
  readonly share_percent: number | null
  readonly threshold_minor: bigint | null
  readonly check_at: Date | null
  readonly acts_from: Date | null
  readonly on_since: Date
  readonly waiting_reason: string | null
  readonly waiting_since: Date | null
  readonly request_hash: Buffer
  readonly created_at: Date
  readonly updated_at: Date
}

export interface ProtectionActionRow {
  readonly id: string
  readonly rule_id: string
  readonly incoming_id: string | null
  readonly state: 'waiting' | 'done' | 'not_needed' | 'refused'
  readonly reason: string | null
  readonly tries: number
  readonly try_at: Date | null
  readonly transaction_id: string | null
  readonly created_at: Date
  readonly closed_at: Date | null
}

export interface ProtectionPositionRow {
  readonly only_row: boolean
  readonly position: string
  readonly cluster: bigint
}

export interface RateAlertRow {
  readonly id: string
  readonly user_id: bigint
  readonly source_currency: CurrencyCode
  readonly target_currency: CurrencyCode
  readonly rate_side: 'at_least' | 'at_most'
  readonly rate: string
  readonly trigger_numerator: bigint
  readonly trigger_denominator: bigint
  readonly told_at: Date | null
  readonly told_rate: string | null
  readonly told_source: string | null
  readonly told_as_of: Date | null
  readonly request_hash: Buffer
  readonly created_at: Date
  readonly updated_at: Date
}

export interface RateReturnAlertRow {
  readonly user_id: bigint
  readonly source_currency: CurrencyCode
  readonly target_currency: CurrencyCode
  readonly created_at: Date
}
