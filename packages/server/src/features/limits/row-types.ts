// Generated from the schema by tools/row-types.ts, and compared with it by a test.

export interface LimitUsageRow {
  readonly user_id: bigint
  readonly day: string
  readonly usd_minor: bigint
  readonly movements: number
  readonly free_usd_minor: bigint | null
  readonly free_movements: number | null
  readonly free_payment_usd_minor: bigint | null
  readonly free_version: bigint | null
}

export interface LimitUsageByMethodRow {
  readonly user_id: bigint
  readonly day: string
  readonly method: 'exchange' | 'payout' | 'card' | 'bank'
  readonly usd_minor: bigint
  readonly movements: number
}

export interface LimitPolicyRow {
  readonly verification_state: 'not_started' | 'pending' | 'in_review' | 'needs_information' | 'verified' | 'rejected'
  readonly country: string | null
  readonly direction: 'out' | 'in'
  readonly method: string | null
  readonly period: 'payment' | 'day' | '30_days'
  readonly max_usd_minor: bigint | null
  readonly max_movements: number | null
}

export interface LimitPolicyVersionRow {
  readonly only_one: boolean
  readonly version: bigint
}

export interface OwnLimitRow {
  readonly user_id: bigint
  readonly direction: 'out' | 'in'
  readonly period: 'day' | '30_days'
  readonly max_usd_minor: bigint | null
  readonly next_max_usd_minor: bigint | null
  readonly next_at: Date | null
}
