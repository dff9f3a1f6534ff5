// Generated from the schema by tools/row-types.ts, and compared with it by a test.

import type { CurrencyCode } from '@tern/money/currency'
import type { Transaction } from '@tern/contract/transactions'

export interface WalletRow {
  readonly id: string
  readonly user_id: bigint
  readonly name: string
  readonly base_currency: CurrencyCode
  readonly created_at: Date
}

export interface TransactionRow {
  readonly user_id: bigint
  readonly id: string
  readonly posting_id: string
  readonly kind: Transaction['transaction_type']
  readonly status: 'COMPLETED' | 'PENDING' | 'FAILED'
  readonly created_at: Date
  readonly sender_id: bigint | null
  readonly recipient_id: bigint | null
  readonly wallet_id: string
  readonly from_wallet_id: string | null
  readonly to_wallet_id: string | null
  readonly description: string
  readonly source_amount: bigint
  readonly source_currency: CurrencyCode
  readonly target_amount: bigint
  readonly target_currency: CurrencyCode
  readonly stablecoin_amount: bigint | null
  readonly rate_numerator: bigint | null
  readonly rate_denominator: bigint | null
  readonly fee_amount: bigint
  readonly fee_currency: CurrencyCode
  readonly payment_source: 'wallet' | 'card' | 'bank' | 'wallet_partial' | null
  readonly payment_id: string | null
  readonly quote_id: string | null
  readonly xid: string
  readonly changed_at: Date | null
  readonly passed_by_room: boolean | null
}

export interface TransactionIndexPositionRow {
  readonly only_row: boolean
  readonly position: string
  readonly cluster: bigint
}

export interface TransactionIndexPersonRow {
  readonly user_id: bigint
  readonly is_ready: boolean
  readonly built_from: string | null
  readonly built_to: string | null
}

export interface TransactionFacetRow {
  readonly user_id: bigint
  readonly facet: number
  readonly kind: string
  readonly status: string
  readonly currency: CurrencyCode
  readonly second_currency: CurrencyCode
  readonly row_count: bigint
}

export interface TransactionSearchRow {
  readonly user_id: bigint
  readonly id: string
  readonly facet: number
  readonly amount: bigint
  readonly description: string
  readonly terms: string
}

export interface TransactionWordRow {
  readonly user_id: bigint
  readonly word: string
  readonly facet: number
  readonly row_count: bigint
  readonly first_id: string
  readonly last_id: string
  readonly first_description: string
  readonly last_description: string
}

export interface TransactionRenamedRow {
  readonly user_id: bigint
}

export interface BalanceDayRow {
  readonly account_id: bigint
  readonly day: string
  readonly last_version: bigint
  readonly money_in: bigint
  readonly money_out: bigint
}

export interface ToldPositionRow {
  readonly only_row: boolean
  readonly position: string
  readonly cluster: bigint
}

export interface MaturityPolicyRow {
  readonly method: 'card' | 'bank'
  readonly country: string | null
  readonly account_younger_than_days: number | null
  readonly hours: number
  readonly bank_younger_than_days: number | null
}

export interface RestrictedMoneyRow {
  readonly id: bigint
  readonly account_id: bigint
  readonly hold_reference: string | null
  readonly user_id: bigint
  readonly currency: CurrencyCode
  readonly minor: bigint
  readonly reason: 'card' | 'bank_debit' | 'provisional_credit'
  readonly origin: string
  readonly matures_at: Date
  readonly created_at: Date
}
