// Generated from the schema by tools/row-types.ts, and compared with it by a test.

import type { CurrencyCode } from '@tern/money/currency'

export interface PaymentRequestRow {
  readonly id: string
  readonly requester_id: bigint
  readonly payer_id: bigint | null
  readonly amount_minor: bigint
  readonly currency: CurrencyCode
  readonly description: string | null
  readonly name: string | null
  readonly allows_parts: boolean
  readonly status: 'open' | 'paid' | 'expired' | 'cancelled' | 'declined'
  readonly paid_minor: bigint
  readonly reserved_minor: bigint
  readonly idempotency_key: string
  readonly request_hash: Buffer
  readonly created_at: Date
  readonly expires_at: Date
  readonly closed_at: Date | null
  readonly seen_at: Date | null
  readonly opened: number
  readonly accepted_for: string | null
  readonly accepted_reminder_at: Date | null
  readonly decline_reason: string | null
  readonly reminded_at: Date | null
}

export interface RequestPaymentRow {
  readonly posting_id: string
  readonly request_id: string
  readonly transaction_id: string
  readonly payer_id: bigint | null
  readonly amount_minor: bigint
  readonly paid_minor: bigint
  readonly paid_currency: CurrencyCode
  readonly status: 'processing' | 'settled' | 'released'
  readonly created_at: Date
  readonly updated_at: Date
  readonly payment_id: string | null
}

export interface SplitRow {
  readonly id: string
  readonly user_id: bigint
  readonly total_minor: bigint
  readonly currency: CurrencyCode
  readonly description: string | null
  readonly split_by: 'equal' | 'shares' | 'amounts'
  readonly own_minor: bigint | null
  readonly own_shares: number | null
  readonly people: number
  readonly idempotency_key: string
  readonly request_hash: Buffer
  readonly created_at: Date
}

export interface SplitPartRow {
  readonly split_id: string
  readonly position: number
  readonly request_id: string
  readonly shares: number | null
}

export interface GuestPaymentRow {
  readonly payment_id: string
  readonly request_id: string
  readonly amount_minor: bigint
  readonly email: string
  readonly usd_minor: bigint
  readonly card_fingerprint: string | null
  readonly refusal: 'request_closed' | 'limit_exceeded' | 'price_moved' | 'not_accepted' | null
  readonly created_at: Date
}
