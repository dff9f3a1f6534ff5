// Generated from the schema by tools/row-types.ts, and compared with it by a test.

import type { CurrencyCode } from '@tern/money/currency'
import type { DisputeEvent } from '@tern/contract/disputes/disputes'

export interface DisputePolicyRow {
  readonly country: string
  readonly kind: 'unauthorized' | 'not_received' | 'wrong_amount'
  readonly version: number
  readonly valid_from: Date
  readonly open_within_months: number
  readonly decide_within_days: number
  readonly credit_within_days: number | null
  readonly extended_days: number
  readonly answer_within_days: number
  readonly object_within_days: number
  readonly objection_within_days: number
  readonly source: string
  readonly new_account_days: number | null
  readonly new_account_within_days: number | null
  readonly new_account_extended_days: number | null
}

export interface DisputeCreditPolicyRow {
  readonly version: number
  readonly person_usd_minor: bigint
  readonly total_usd_minor: bigint
}

export interface DisputeRow {
  readonly id: string
  readonly user_id: bigint
  readonly transaction_id: string
  readonly kind: 'unauthorized' | 'not_received' | 'wrong_amount'
  readonly state: 'open' | 'upheld' | 'dismissed' | 'withdrawn'
  readonly statement: string
  readonly claimed_minor: bigint
  readonly currency: CurrencyCode
  readonly facts: unknown
  readonly hash: Buffer
  readonly policy_country: string
  readonly policy_version: number
  readonly opened_at: Date
  readonly decide_by: Date
  readonly credit_by: Date | null
  readonly escalated_at: Date | null
  readonly need: 'explanation' | 'document' | null
  readonly need_by: Date | null
  readonly outcome: 'credited' | 'already_back' | 'arrived' | 'not_founded' | 'withdrawn' | null
  readonly decided_at: Date | null
  readonly claimed_fee_minor: bigint
  readonly is_new_account: boolean
  readonly suspected_at: Date | null
  readonly credit_usd_minor: bigint | null
  readonly credit_waits_at: Date | null
}

export interface DisputeEventRow {
  readonly id: string
  readonly dispute_id: string
  readonly code: DisputeEvent['code']
  readonly text: string | null
  readonly at: Date
}

export interface DisputeFileRow {
  readonly id: string
  readonly dispute_id: string
  readonly content_type: 'image/jpeg' | 'application/pdf'
  readonly size_bytes: number
  readonly sha256: Buffer
  readonly content: Buffer | null
  readonly created_at: Date
}

export interface DisputePostingRow {
  readonly posting_id: string
  readonly dispute_id: string
  readonly kind: 'provisional' | 'final' | 'taken_back' | 'recovered' | 'repaid'
  readonly transaction_id: string | null
  readonly amount_minor: bigint
  readonly currency: CurrencyCode
  readonly at: Date
  readonly fee_minor: bigint
}

export interface DisputeObjectionRow {
  readonly id: string
  readonly dispute_id: string
  readonly text: string
  readonly state: 'open' | 'upheld' | 'dismissed'
  readonly made_at: Date
  readonly decide_by: Date
  readonly escalated_at: Date | null
  readonly decided_at: Date | null
}

export interface DisputeReviewRow {
  readonly id: string
  readonly dispute_id: string
  readonly cause: 'opened' | 'answered' | 'not_answered' | 'objected' | 'suspected' | 'credit_waits' | 'credited'
  readonly opened_at: Date
  readonly closed_at: Date | null
}
