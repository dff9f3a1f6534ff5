import type { CurrencyCode } from '@tern/money/currency'
import type { PriceText } from '../exchange/exchange.ts'

/** One payment from outside, as the database keeps it. Amounts are minor units of `currency`. */
export interface PaymentRow {
  id: string
  user_id: bigint
  purpose: 'deposit' | 'send'
  method: 'card' | 'bank' | 'wallet_partial'
  status: 'pending' | 'completed' | 'failed' | 'reversed' | 'needs_review'
  /** What the provider takes from the card or the bank account. */
  amount_minor: bigint
  currency: CurrencyCode
  provider: string
  session_id: string | null
  redirect_url: string | null
  capture_id: string | null
  idempotency_key: string
  request_hash: Buffer
  /** The user's transaction that it becomes; chosen when the payment is begun. */
  transaction_id: string | null
  created_at: Date
  recipient_id: bigint | null
  wallet_part_minor: bigint
  terms: PriceText | null
  quote_id: string | null
  description: string
  bank_account_id: string | null
  saved_card_id: string | null
  save_card: boolean
  reason: string | null
}

/** One withdrawal on its way to a bank account, as the database keeps it. */
export interface PayoutRow {
  id: string
  user_id: bigint
  bank_account_id: string
  amount_minor: bigint
  currency: CurrencyCode
  status: 'pending' | 'completed' | 'failed' | 'returned' | 'needs_review'
  provider: string
  provider_payout_id: string | null
  /** A calendar day in the country of the bank account. */
  expected_on: string
  reason: string | null
  transaction_id: string
  idempotency_key: string
  request_hash: Buffer
  created_at: Date
}
