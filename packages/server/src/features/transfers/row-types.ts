// Generated from the schema by tools/row-types.ts, and compared with it by a test.

import type { CurrencyCode } from '@tern/money/currency'
import type { PriceText } from '../exchange/exchange.ts'
import type { ReleaseReason } from './decision/transitions.ts'

export interface TransferRow {
  readonly id: string
  readonly kind: 'wallet_send' | 'funded_send' | 'exchange' | 'payout' | 'deposit'
  readonly state: 'awaiting_funding' | 'held' | 'processing' | 'settled' | 'failed' | 'released'
  readonly sender_id: bigint
  readonly recipient_id: bigint | null
  readonly payment_id: string | null
  readonly amount_minor: bigint
  readonly currency: CurrencyCode
  readonly usd_minor: bigint
  readonly locked_price: PriceText | null
  readonly quote_id: string | null
  readonly description: string
  readonly request_hash: Buffer
  readonly hold_reason: 'undo' | 'scheduled' | 'review' | 'compliance' | 'street_mode'
  readonly held_until: Date
  readonly release_reason: ReleaseReason | null
  readonly decided_by: string | null
  readonly decision_note: string | null
  readonly created_at: Date
  readonly held_at: Date | null
  readonly decided_at: Date | null
  readonly updated_at: Date
}

export interface UndoWindowRow {
  readonly user_id: bigint
  readonly seconds: number
  readonly applies_to: 'new_payees' | 'everybody' | 'nobody'
  readonly updated_at: Date
}

export interface TrackingLinkRow {
  readonly id: string
  readonly transaction_id: string
  readonly user_id: bigint
  readonly shows_amounts: boolean
  readonly created_at: Date
  readonly ended_at: Date | null
}

export interface StreetHoldRow {
  readonly transfer_id: string
  readonly confirm_after_seconds: number
  readonly told_at: Date | null
  readonly confirmed_at: Date | null
}

export interface PayeeWarningPolicyRow {
  readonly version: number
  readonly known_days: number
  readonly new_account_days: number
  readonly strangers_days: number
  readonly strangers_from: number
  readonly strangers_times: number
  readonly reported_days: number
  readonly unknown_usd_minor: bigint
  readonly text_usd_minor: bigint
  readonly share_percent: number
  readonly share_usd_minor: bigint
  readonly refused_call_hours: number
  readonly valid_minutes: number
  readonly words: unknown
}

export interface PayeeWarningRow {
  readonly id: string
  readonly user_id: bigint
  readonly payee_id: bigint
  readonly amount_minor: bigint
  readonly currency: CurrencyCode
  readonly patterns: readonly string[]
  readonly policy_version: number
  readonly facts: unknown
  readonly shown_at: Date
  readonly expires_at: Date
  readonly superseded_at: Date | null
  readonly acknowledged_at: Date | null
  readonly used_by: string | null
}
