import { type Account, bankAccount, cardAccount } from '@tern/ledger/chart'
import type { CurrencyCode } from '@tern/money/currency'
import { type Money, money } from '@tern/money/money'
import { only, type Queryable, type Tx } from '../../../platform/database/db.ts'
import { derivedId, isUuid } from '../../../platform/ids.ts'
import type { PayoutReason } from '../../notifications/notifications.ts'
import type { PriceText } from '../../exchange/exchange.ts'
import type { TransferState } from '../../transfers/transfers.ts'

/** One payment from outside, as stored. Amounts are minor units of `currency`. */
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
  /** The user's transaction that it becomes, chosen at the start. */
  transaction_id: string | null
  created_at: Date
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
  /** The token of the card or bank account that the provider was first asked with; null before that. */
  submitted_token: string | null
  /** When the payer cancelled while the provider had not answered yet: it is never submitted again. */
  cancel_requested_at: Date | null
}

/** One withdrawal to a bank account, as stored. */
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
  /** What it counted against the limits of the day it was created on, in US dollar cents. */
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

interface Rows {
  payment: PaymentRow
  payout: PayoutRow
}

async function rowsById<T extends keyof Rows>(db: Queryable, table: T, id: string, lock = ''): Promise<Rows[T][]> {
  if (!isUuid(id)) return []
  return (await db.query<Rows[T]>(`select * from ${table} where id = $1 ${lock}`, [id])).rows
}

/** The payment of this id, whoever it belongs to. */
export const findPayment = async (db: Queryable, id: string): Promise<PaymentRow | undefined> =>
  (await rowsById(db, 'payment', id))[0]

/** The payout of this id, whoever it belongs to. */
export const findPayout = async (db: Queryable, id: string): Promise<PayoutRow | undefined> =>
  (await rowsById(db, 'payout', id))[0]

/** The payment as it stands, locked until the transaction ends. */
export const lockPayment = async (tx: Tx, id: string): Promise<PaymentRow> =>
  only(await rowsById(tx, 'payment', id, 'for update'))

/** The payout as it stands, locked until the transaction ends. */
export const lockPayout = async (tx: Tx, id: string): Promise<PayoutRow> =>
  only(await rowsById(tx, 'payout', id, 'for update'))

/** What a payment takes, or a payout pays. */
export const amountOf = ({ currency, amount_minor: minor }: Pick<PaymentRow, 'currency' | 'amount_minor'>): Money =>
  money(currency, minor)

/** The ids of what a payment may post, each at most once. */
export const postingOf = {
  reserve: (paymentId: string) => derivedId('payment reserve', paymentId),
  release: (paymentId: string) => derivedId('payment release', paymentId),
  arrival: (paymentId: string) => derivedId('payment', paymentId),
  /** The money is a deposit of the payer: it came after the payment had failed, or its transfer is held. */
  late: (paymentId: string) => derivedId('late payment', paymentId),
} as const

/** The user's transaction that a payment becomes. Old payments were begun without one. */
export const transactionIdOf = ({
  id,
  transaction_id: transactionId,
}: Pick<PaymentRow, 'id' | 'transaction_id'>): string => transactionId ?? derivedId('transaction of payment', id)

/** Whether its payer sees it from the start: a bank debit takes days, and the wallet's part of a send is set aside. */
export const isShownAtOnce = ({ method, wallet_part_minor: walletPart }: PaymentRow): boolean =>
  method === 'bank' || walletPart > 0n

/** The account through which a payment comes in. */
export const settlementAccountOf = ({ method, currency }: Pick<PaymentRow, 'method' | 'currency'>): Account =>
  method === 'bank' ? bankAccount(currency) : cardAccount(currency)
