// Generated from the schema by tools/row-types.ts, and compared with it by a test.

import type { CurrencyCode } from '@tern/money/currency'

export interface RiskPolicyRow {
  readonly version: number
  readonly allowance_usd_minor: bigint
  readonly allowance_payments: number
  readonly new_payees_per_day: number
  readonly trusted_after_hours: number
  readonly trusted_payee_usd_minor: bigint
  readonly new_device_hours: number
  readonly new_factor_hours: number
}

export interface RiskProfileRow {
  readonly user_id: bigint
  readonly proven_at: Date | null
  readonly counted_since: Date | null
  readonly unproven_usd_minor: bigint
  readonly unproven_payments: number
}

export interface RiskPayeeDayRow {
  readonly user_id: bigint
  readonly day: string
  readonly payee: string
  readonly is_trusted: boolean
  readonly usd_minor: bigint
}

export interface RiskDecisionRow {
  readonly id: string
  readonly movement: string
  readonly user_id: bigint
  readonly decided_at: Date
  readonly policy_version: number
  readonly kind: 'transfer' | 'payout' | 'pull'
  readonly payee: string | null
  readonly usd_minor: bigint
  readonly rule: 'trusted_payee' | 'allowance' | 'proven' | 'allowance_amount' | 'allowance_payments' | 'new_payees'
  readonly passed: boolean
  readonly inputs: unknown
  readonly taken_back_at: Date | null
  readonly request_digest: Buffer | null
  readonly requests: number
  readonly closed_at: Date | null
}

export interface StreetPolicyRow {
  readonly version: number
  readonly hold_minutes: number
  readonly confirm_hours: number
  readonly weaken_after_hours: number
  readonly counted_hours: number
  readonly most_places: number
  readonly price_tolerance_basis_points: number
}

export interface StreetSettingRow {
  readonly user_id: bigint
  readonly valid_from: Date
  readonly is_on: boolean
  readonly limit_minor: bigint
  readonly currency: CurrencyCode
  readonly limit_usd_minor: bigint
  readonly night_from: number
  readonly night_until: number
  readonly time_zone: string
}

export interface StreetPlaceRow {
  readonly id: string
  readonly user_id: bigint
  readonly name: string
  readonly country: string | null
  readonly network: string
  readonly trusted_from: Date
  readonly created_at: Date
}

export interface StreetPassedRow {
  readonly movement: string
  readonly user_id: bigint
  readonly passed_at: Date
  readonly usd_minor: bigint
  readonly request_digest: Buffer
}

export interface SendGuardRow {
  readonly user_id: bigint
  readonly generation: bigint
  readonly free_until: Date | null
  readonly free_payment_usd_minor: bigint | null
  readonly free_version: bigint | null
}
