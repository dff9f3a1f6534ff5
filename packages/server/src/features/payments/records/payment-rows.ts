import { type Account, bankAccount, cardAccount } from '@tern/ledger/chart'
import type { CurrencyCode } from '@tern/money/currency'
import { only, type Queryable, type Tx } from '../../../platform/database/db.ts'
import { derivedId, isUuid } from '../../../platform/ids.ts'
import type { PayoutReason } from '../../notifications/notifications.ts'
import type { PriceText } from '../../exchange/exchange.ts'
import type { TransferState } from '../../transfers/transfers.ts'

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
  /** When the provider was last asked about it. */
  last_polled_at: Date
  recipient_id: bigint | null
  wallet_part_minor: bigint
  /** What it counts as pulled and as sent against limits, in US dollar cents, and on which day; null: nothing, as before. */
  counted_on: string | null
  pulled_usd_minor: bigint | null
  sent_usd_minor: bigint | null
  locked_price: PriceText | null
  quote_id: string | null
  description: string
  bank_account_id: string | null
  saved_card_id: string | null
  save_card: boolean
  /** A send that is held once its money has come: see the table `transfer`. */
  holds_transfer: boolean
  reason: string | null
  /** The token of the card or bank account that the provider was first asked with; null until it was asked with one. */
  submitted_token: string | null
  /** When the payer wanted it stopped although the provider had not answered yet: it is not asked for again. */
  cancel_requested_at: Date | null
}

/** The payment of this id, whoever it belongs to. */
export async function findPayment(db: Queryable, id: string): Promise<PaymentRow | undefined> {
  const { rows } = await db.query<PaymentRow>('select * from payment where id = $1', [id])
  return rows[0]
}

/** The payment of this id that this provider was asked for, whoever it belongs to; undefined for what is no id of ours. */
export async function findPaymentAt(
  { pool, provider }: { pool: Queryable; provider: { readonly name: string } },
  id: string | null,
): Promise<PaymentRow | undefined> {
  const payment = id !== null && isUuid(id) ? await findPayment(pool, id) : undefined
  return payment?.provider === provider.name ? payment : undefined
}

/** The payment as it stands now, which nobody else changes before the transaction has ended. */
export async function lockPayment(tx: Tx, id: string): Promise<PaymentRow> {
  const { rows } = await tx.query<PaymentRow>('select * from payment where id = $1 for update', [id])
  return only(rows)
}

/** The ids of what a payment may post, each of them once in its life. */
export const postingOf = {
  /** The wallet's part of a send is set aside. */
  reserve: (paymentId: string) => derivedId('payment reserve', paymentId),
  /** That part is given back, because nothing came of the payment. */
  release: (paymentId: string) => derivedId('payment release', paymentId),
  /** The money has come, and goes where it was meant for. */
  arrival: (paymentId: string) => derivedId('payment', paymentId),
  /** The money is a deposit of the payer: it came too late, or its transfer is held. */
  late: (paymentId: string) => derivedId('late payment', paymentId),
} as const

/** The user's transaction that a payment becomes. Those of earlier days were begun without one. */
export const transactionIdOf = ({ id, transaction_id: transactionId }: PaymentRow): string =>
  transactionId ?? derivedId('transaction of payment', id)

/** Whether its payer sees it from the beginning: a bank debit takes days, and the wallet's part of a send is set aside. */
export const isShownAtOnce = ({ method, wallet_part_minor: walletPart }: PaymentRow): boolean =>
  method === 'bank' || walletPart > 0n

/** Through which account a payment comes in. */
export const settlementAccountOf = ({ method, currency }: Pick<PaymentRow, 'method' | 'currency'>): Account =>
  method === 'bank' ? bankAccount(currency) : cardAccount(currency)

/** One withdrawal on its way to a bank account, as the database keeps it. */
export interface PayoutRow {
  id: string
  user_id: bigint
  bank_account_id: string
  amount_minor: bigint
  currency: CurrencyCode
  status: 'held' | 'pending' | 'completed' | 'failed' | 'returned' | 'needs_review'
  provider: string
  provider_payout_id: string | null
  /** A calendar day in the country of the bank account. */
  expected_on: string
  reason: PayoutReason | null
  transaction_id: string
  idempotency_key: string
  request_hash: Buffer
  created_at: Date
  /** What it counted against the limits of the day it was created on, in US dollar cents; 0 of those of earlier days. */
  usd_minor: bigint
}

/** How a send stands by the payment that pays for it. */
export const sendStates: Readonly<Record<PaymentRow['status'], TransferState>> = {
  pending: 'awaiting_funding',
  needs_review: 'awaiting_funding',
  completed: 'settled',
  reversed: 'settled',
  failed: 'failed',
}

/** How the transfer stands that a payout is of. */
export const payoutStates: Readonly<Record<PayoutRow['status'], TransferState>> = {
  held: 'held',
  pending: 'processing',
  needs_review: 'processing',
  completed: 'settled',
  failed: 'failed',
  returned: 'failed',
}
