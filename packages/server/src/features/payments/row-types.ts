// Generated from the schema by tools/row-types.ts, and compared with it by a test.

import type { CurrencyCode } from '@tern/money/currency'
import type { PayoutReason } from '../notifications/notifications.ts'
import type { PriceText } from '../exchange/exchange.ts'

export interface BankAccountRow {
  readonly id: string
  readonly user_id: bigint
  readonly provider: string
  readonly token: string
  readonly fingerprint: string
  readonly bank_name: string
  readonly last4: string
  readonly currency: CurrencyCode
  readonly country: string
  readonly is_default: boolean
  readonly linked_at: Date
  readonly removed_at: Date | null
  readonly holder_told: boolean | null
  readonly holder_asked_at: Date | null
}

export interface BankLinkRow {
  readonly id: string
  readonly user_id: bigint
  readonly provider: string
  readonly session_id: string | null
  readonly status: 'pending' | 'linked' | 'canceled' | 'failed'
  readonly bank_account_id: string | null
  readonly created_at: Date
  readonly updated_at: Date
  readonly last_polled_at: Date
  readonly login_session_id: string | null
  readonly returned_at: Date | null
  readonly failed_because: 'holder_differs' | 'linked_already' | null
  readonly withdrawal_minor: bigint | null
  readonly withdrawal_fee_minor: bigint | null
  readonly withdrawal_currency: CurrencyCode | null
  readonly withdrawal_confirmed_at: Date | null
  readonly withdrawal_id: string | null
}

export interface SavedCardRow {
  readonly id: string
  readonly user_id: bigint
  readonly provider: string
  readonly token: string
  readonly fingerprint: string
  readonly brand: string
  readonly last4: string
  readonly exp_month: number
  readonly exp_year: number
  readonly is_default: boolean
  readonly saved_at: Date
  readonly removed_at: Date | null
}

export interface DetachedInstrumentRow {
  readonly id: string
  readonly provider: string
  readonly kind: 'bank_account' | 'saved_card'
  readonly token: string
  readonly last_polled_at: Date
}

export interface PaymentRow {
  readonly id: string
  readonly user_id: bigint
  readonly purpose: 'deposit' | 'send' | 'request'
  readonly status: 'pending' | 'completed' | 'failed' | 'reversed' | 'needs_review'
  readonly amount_minor: bigint
  readonly currency: CurrencyCode
  readonly provider: string
  readonly session_id: string | null
  readonly redirect_url: string | null
  readonly capture_id: string | null
  readonly idempotency_key: string
  readonly request_hash: Buffer
  readonly transaction_id: string | null
  readonly created_at: Date
  readonly updated_at: Date
  readonly last_polled_at: Date
  readonly method: 'card' | 'bank' | 'wallet_partial'
  readonly recipient_id: bigint | null
  readonly wallet_part_minor: bigint
  readonly locked_price: PriceText | null
  readonly quote_id: string | null
  readonly description: string
  readonly bank_account_id: string | null
  readonly saved_card_id: string | null
  readonly save_card: boolean
  readonly reason: string | null
  readonly submitted_token: string | null
  readonly cancel_requested_at: Date | null
  readonly holds_transfer: boolean
  readonly counted_on: string | null
  readonly pulled_usd_minor: bigint | null
  readonly sent_usd_minor: bigint | null
  readonly is_listed: boolean
  readonly is_announced: boolean
  readonly payer_name: string | null
  readonly price_held_until: Date | null
  readonly minimum_target_minor: bigint | null
}

export interface RefusedPaymentRow {
  readonly user_id: bigint
  readonly idempotency_key: string
  readonly request_hash: Buffer
  readonly code: string
  readonly details: unknown
  readonly refused_at: Date
}

export interface LatePricePolicyRow {
  readonly only_one: boolean
  readonly max_adverse_parts_per_million: number
}

export interface WithdrawalCostPolicyRow {
  readonly version: number
  readonly basis_points: number
  readonly card_days: number
}

export interface PayoutRow {
  readonly id: string
  readonly user_id: bigint
  readonly bank_account_id: string
  readonly amount_minor: bigint
  readonly currency: CurrencyCode
  readonly status: 'held' | 'pending' | 'completed' | 'failed' | 'returned' | 'needs_review'
  readonly provider: string
  readonly provider_payout_id: string | null
  readonly expected_on: string
  readonly reason: PayoutReason | null
  readonly transaction_id: string
  readonly idempotency_key: string
  readonly request_hash: Buffer
  readonly created_at: Date
  readonly updated_at: Date
  readonly last_polled_at: Date
  readonly submitted_token: string | null
  readonly usd_minor: bigint
  readonly fee_minor: bigint
  readonly card_minor: bigint
  readonly cost_version: number | null
  readonly returns_payment_id: string | null
  readonly payee_check_id: string | null
  readonly payee_result: 'match' | 'close_match' | 'no_match' | 'not_possible' | null
  readonly payee_answer: 'not_needed' | 'accepted' | 'proven' | null
  readonly payee_answered_at: Date | null
}

export interface ProviderEventRow {
  readonly provider: string
  readonly id: string
  readonly subject_id: string | null
  readonly received_at: Date
  readonly outcome: string
}

export interface SettlementLineRow {
  readonly provider: string
  readonly id: string
  readonly kind:
    | 'capture'
    | 'debit'
    | 'refund'
    | 'chargeback'
    | 'chargeback_reversal'
    | 'debit_return'
    | 'payout'
    | 'payout_return'
  readonly amount_minor: bigint
  readonly currency: CurrencyCode
  readonly reference: string
  readonly posting_id: string
  readonly occurred_at: Date
  readonly undoes: string | null
  readonly undone_kind: 'refund' | 'chargeback' | 'debit_return' | null
}

export interface ReconciliationExceptionRow {
  readonly id: string
  readonly kind:
    | 'missing_internal'
    | 'missing_external'
    | 'amount_differs'
    | 'unmatched'
    | 'loss'
    | 'ledger_differs'
    | 'issuer_warning'
    | 'safeguarding'
  readonly provider: string
  readonly subject: string
  readonly reference: string | null
  readonly amount_minor: bigint | null
  readonly currency: CurrencyCode | null
  readonly detail: string
  readonly opened_at: Date
  readonly closed_at: Date | null
  readonly resolution: string | null
  readonly happened_at: Date | null
  readonly resolved_manually: boolean
  readonly reported_at: Date | null
  readonly taken_up_at: Date | null
  readonly taken_up_by: string | null
  readonly taken_up_because: string | null
  readonly taken_up_until: Date | null
  readonly params: unknown
  readonly resolution_note: string | null
  readonly owner_id: bigint | null
}

export interface ReconciliationRunRow {
  readonly id: string
  readonly provider: string
  readonly from_at: Date
  readonly until_at: Date
  readonly finished_at: Date
  readonly compared: number
  readonly taken_in: number
  readonly unresolved: number
  readonly cases_opened: number
  readonly cases_closed: number
  readonly includes_own: boolean
}

export interface PayeeCheckRow {
  readonly id: string
  readonly user_id: bigint
  readonly bank_account_id: string
  readonly provider: string
  readonly scheme: 'confirmation_of_payee' | 'verification_of_payee' | 'bank_lookup' | 'none'
  readonly result: 'match' | 'close_match' | 'no_match' | 'not_possible'
  readonly subject_hash: Buffer
  readonly known_name: Buffer | null
  readonly reference: string | null
  readonly checked_at: Date
  readonly valid_until: Date
  readonly told_at: Date | null
}

export interface PayoutConversionRow {
  readonly payout_id: string
  readonly kind: 'payout' | 'payout_return'
  readonly amount_minor: bigint
  readonly currency: CurrencyCode
  readonly cost_minor: bigint
  readonly cost_currency: CurrencyCode
  readonly posting_id: string
  readonly converted_at: Date
}

export interface OperatorLineRow {
  readonly provider: string
  readonly id: string
  readonly kind: 'fee' | 'bank_transfer' | 'reserve' | 'conversion' | 'adjustment' | 'unknown'
  readonly balance: 'payments' | 'payouts'
  readonly amount_minor: bigint
  readonly currency: CurrencyCode
  readonly posting_id: string
  readonly occurred_at: Date
}

export interface IssuerWarningRow {
  readonly provider: string
  readonly id: string
  readonly kind: 'early_fraud_warning' | 'inquiry' | 'dispute'
  readonly payment_id: string
  readonly amount_minor: bigint
  readonly currency: CurrencyCode
  readonly reason: string
  readonly is_open: boolean
  readonly respond_by: Date | null
  readonly warned_at: Date
  readonly updated_at: Date
  readonly held_until: Date | null
  readonly released_at: Date | null
}
