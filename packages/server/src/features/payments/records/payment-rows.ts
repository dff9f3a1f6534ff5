import { type Account, bankAccount, cardAccount } from '@tern/ledger/chart'
import type { CurrencyCode } from '@tern/money/currency'
import { type Money, money } from '@tern/money/money'
import { isIncoming, type LineKind } from '@tern/providers/report/port'
import { only, type Db, type Tx } from '../../../platform/database/db.ts'
import { insertRow } from '../../../platform/database/rows.ts'
import { derivedId, isUuid } from '../../../platform/ids.ts'
import type { PayoutReason } from '../../notifications/notifications.ts'
import type { PriceText } from '../../exchange/exchange.ts'
import type { TransferState } from '../../transfers/transfers.ts'

/** The part of a payment from outside that never changes once it is begun. Amounts are minor units of `currency`. */
export interface PaymentTerms {
  id: string
  user_id: bigint
  /** `request`: somebody without an account pays a payment request of the user. */
  purpose: 'deposit' | 'send' | 'request'
  method: 'card' | 'bank' | 'wallet_partial'
  /** What the provider takes from the card or the bank account. */
  amount_minor: bigint
  currency: CurrencyCode
  provider: string
  idempotency_key: string
  request_hash: Buffer
  /** The user's transaction that it becomes, chosen at the start. */
  transaction_id: string | null
  created_at: Date
  recipient_id: bigint | null
  wallet_part_minor: bigint
  /** What it counts as pulled and as sent against limits, in US dollar cents, and on which day; null: nothing, as before. */
  counted_on: string | null
  pulled_usd_minor: bigint | null
  sent_usd_minor: bigint | null
  locked_price: PriceText | null
  quote_id: string | null
  description: string
  /** Of a guest, who pays a request of the user. */
  payer_name: string | null
  bank_account_id: string | null
  saved_card_id: string | null
  save_card: boolean
  /** A send that is held once its money has come: see the table `transfer`. */
  holds_transfer: boolean
  /** Until when the price holds whatever the market does; null: until the money comes. */
  price_held_until: Date | null
  /** Of a send that is priced when its money comes: the least that its recipient may get, in minor units. */
  minimum_target_minor: bigint | null
}

/** One payment from outside, as stored. */
export interface PaymentRow extends PaymentTerms {
  status: 'pending' | 'completed' | 'failed' | 'reversed' | 'needs_review'
  reason: string | null
  session_id: string | null
  redirect_url: string | null
  capture_id: string | null
  last_polled_at: Date
  /** The token of the card or bank account that the provider was first asked with; null before that. */
  submitted_token: string | null
  /** Its payer has a transaction of it; until its end, a pending one. */
  is_listed: boolean
  /** So has the recipient of its send. */
  is_announced: boolean
  /** When the payer cancelled while the provider had not answered yet: it is never submitted again. */
  cancel_requested_at: Date | null
}

/** One withdrawal to a bank account, as stored. */
export interface PayoutRow {
  id: string
  user_id: bigint
  bank_account_id: string
  amount_minor: bigint
  /** Taken on top of the amount, for what of it is card money. */
  fee_minor: bigint
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
  /** While the provider has not taken it on: when it was ordered, or let go after it was held. */
  updated_at: Date
  /** What it counted against the limits of the day it was created on, in US dollar cents. */
  usd_minor: bigint
  /** Of one that gives a held deposit back to the bank account that paid it: its payment. */
  returns_payment_id: string | null
}

/**
 * Why the money of a send is in its sender's wallet, and the send was not made: it came after the send had failed, or for
 * nobody; after the market had moved too far; to less than the sender wants the recipient to get; from a bank account whose
 * holder is being checked, for which it is held first; or while nothing could leave the sender's account.
 */
export const keptReasons = ['late', 'price_moved', 'below_minimum', 'in_check', 'account_stopped'] as const
export type KeptReason = (typeof keptReasons)[number]

/** Whether a failed payment's money is in its payer's wallet. */
export const isKept = ({ status, reason }: Pick<PaymentRow, 'status' | 'reason'>): boolean =>
  status === 'failed' && keptReasons.some((kept) => kept === reason)

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

async function rowsById<R extends PaymentRow | PayoutRow>(db: Db, table: string, id: string, lock = '') {
  if (!isUuid(id)) return []
  return (await db.query<R>(`select * from ${table} where id = $1 ${lock}`, [id])).rows
}

/** The payment of this id, whoever it belongs to. */
export const findPayment = async (db: Db, id: string): Promise<PaymentRow | undefined> =>
  (await rowsById<PaymentRow>(db, 'payment', id))[0]

/** The payout of this id, whoever it belongs to. */
export const findPayout = async (db: Db, id: string): Promise<PayoutRow | undefined> =>
  (await rowsById<PayoutRow>(db, 'payout', id))[0]

/** The payment of this id, locked until the transaction ends. */
export const findPaymentForUpdate = async (tx: Tx, id: string): Promise<PaymentRow | undefined> =>
  (await rowsById<PaymentRow>(tx, 'payment', id, 'for update'))[0]

/** The payout of this id, locked until the transaction ends. */
export const findPayoutForUpdate = async (tx: Tx, id: string): Promise<PayoutRow | undefined> =>
  (await rowsById<PayoutRow>(tx, 'payout', id, 'for update'))[0]

/** The payment as it stands, locked until the transaction ends. */
export const lockPayment = async (tx: Tx, id: string): Promise<PaymentRow> =>
  only(await rowsById<PaymentRow>(tx, 'payment', id, 'for update'))

/** The payout as it stands, locked until the transaction ends. */
export const lockPayout = async (tx: Tx, id: string): Promise<PayoutRow> =>
  only(await rowsById<PayoutRow>(tx, 'payout', id, 'for update'))

/** What a payment takes, or a payout pays. */
export const amountOf = ({ currency, amount_minor: minor }: Pick<PaymentRow, 'currency' | 'amount_minor'>): Money =>
  money(currency, minor)

/** What a withdrawal cost, on top of its amount. */
export const feeOfPayout = ({ currency, fee_minor: minor }: Pick<PayoutRow, 'currency' | 'fee_minor'>): Money =>
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
export const transactionIdOf = (payment: Pick<PaymentRow, 'id' | 'transaction_id'>): string =>
  payment.transaction_id ?? derivedId('transaction of payment', payment.id)

/**
 * Who sees it from the start: its payer when it takes days or the wallet's part is set aside; the recipient when the bank was
 * told to pay. A card is entered first. Whoever receives what will be held learns nothing of it before it settles.
 */
export const listedAtOnce = (payment: PaymentTerms): Listing => ({
  is_listed: payment.method === 'bank' || payment.wallet_part_minor > 0n,
  is_announced: payment.method === 'bank' && mayBeAnnounced(payment),
})

/** Whether the recipient may see it before it settles. */
export const mayBeAnnounced = ({ purpose, holds_transfer: isHeld }: PaymentTerms): boolean =>
  purpose === 'send' && !isHeld

/** Who sees a payment as a transaction of theirs. */
export type Listing = Pick<PaymentRow, 'is_listed' | 'is_announced'>

/** Who sees it now. Its row is locked: this cannot change before the transaction ends. */
export async function listingOf(tx: Tx, { id }: PaymentTerms): Promise<Listing> {
  return only((await tx.query<Listing>('select is_listed, is_announced from payment where id = $1', [id])).rows)
}

/** From now on its payer sees it, and with `isAnnounced` the recipient too. Gives who saw it before. */
export async function noteListed(tx: Tx, { id }: PaymentTerms, isAnnounced: boolean): Promise<Listing> {
  const { rows } = await tx.query<Listing>(
    `update payment set is_listed = true, is_announced = payment.is_announced or $2
       from (select is_listed, is_announced from payment where id = $1) as before
      where id = $1 returning before.is_listed, before.is_announced`,
    [id, isAnnounced],
  )
  return only(rows)
}

/** The account through which a payment comes in. */
export const settlementAccountOf = ({ method, currency }: Pick<PaymentRow, 'method' | 'currency'>): Account =>
  method === 'bank' ? bankAccount(currency) : cardAccount(currency)

/** One movement between the provider and us, by the provider's own id. */
export interface SettlementLine {
  readonly provider: string
  readonly id: string
  readonly kind: LineKind
  /** Above zero; the direction follows from the kind. */
  readonly amount: Money
  /** The payment or payout it belongs to. */
  readonly reference: string
  readonly postingId: string
  /** Returned money: the provider's id of the report that had taken it, if named. */
  readonly undoes?: string | null
  /** Returned money: kind of that report. */
  readonly undoneKind?: LineKind | null
  readonly at: Date
}

/** Records a movement in the transaction that posts it. False if it was recorded before: then nothing is posted. */
export function noteLine(
  tx: Tx,
  { amount, postingId, undoneKind = null, at, ...line }: SettlementLine,
): Promise<boolean> {
  const signed = isIncoming[line.kind] ? amount.minor : -amount.minor
  const moved = { amount_minor: signed, currency: amount.currency, posting_id: postingId, occurred_at: at }
  const row = { ...line, ...moved, undone_kind: undoneKind }
  return insertRow(tx, 'settlement_line', row, 'on conflict do nothing')
}

/** The payment or payout that a movement was posted for; undefined when it was not posted. */
export async function ownerOfLine(db: Db, provider: string, id: string): Promise<string | undefined> {
  const { rows } = await db.query<{ reference: string }>(
    'select reference from settlement_line where provider = $1 and id = $2',
    [provider, id],
  )
  return rows[0]?.reference
}

/** The movement by which a payout left; undefined when none was posted. */
export async function paidIdOf(db: Db, payoutId: string): Promise<string | undefined> {
  const { rows } = await db.query<{ id: string }>(
    `select id from settlement_line where reference = $1 and kind = 'payout'`,
    [payoutId],
  )
  return rows[0]?.id
}
