import { type Account, bankAccount, cardAccount } from '@tern/ledger/chart'
import { type Money, money } from '@tern/money/money'
import { isIncoming, type LineKind } from '@tern/providers/report/port'
import { onlyRow, type Db, type Tx } from '../../../platform/database/db.ts'
import { insertRow } from '../../../platform/database/rows.ts'
import { derivedId, isUuid } from '../../../platform/ids.ts'
import type { TransferState } from '../../transfers/transfers.ts'
import type { PaymentRow, PayoutRow, SettlementLineRow } from '../row-types.ts'

/**
 * Columns of a payment that are stored when it begins. The arrival of its money can change the price, the quote,
 * `holds_transfer` and `transaction_id`; all other columns never change.
 */
export type PaymentTerms = Omit<
  PaymentRow,
  | 'status'
  | 'session_id'
  | 'redirect_url'
  | 'capture_id'
  | 'updated_at'
  | 'last_polled_at'
  | 'reason'
  | 'submitted_token'
  | 'cancel_requested_at'
  | 'is_listed'
  | 'is_announced'
>

/**
 * Reasons why a send failed and its money is in the sender's wallet: it arrived after the send had failed or was
 * cancelled, or its recipient was gone; the market had moved too far; the recipient would get less than the sender's
 * minimum; the bank account's holder was under review, so that the money was held first; or the account was stopped.
 */
export const keptReasons = ['late', 'price_moved', 'below_minimum', 'in_check', 'account_stopped'] as const
export type KeptInWalletReason = (typeof keptReasons)[number]

/** True if a failed payment's money is in its payer's wallet, or on hold there during a review. */
export const isKeptForPayer = ({ status, reason }: Pick<PaymentRow, 'status' | 'reason'>): boolean =>
  status === 'failed' && keptReasons.some((kept) => kept === reason)

/** State of a send, by the status of its payment. */
export const sendStates: Readonly<Record<PaymentRow['status'], TransferState>> = {
  pending: 'awaiting_funding',
  needs_review: 'awaiting_funding',
  completed: 'settled',
  reversed: 'settled',
  failed: 'failed',
}

/** State of a payout's transfer, by the status of the payout. */
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

/** Payment with this id, of any user. */
export const findPayment = async (db: Db, id: string): Promise<PaymentRow | undefined> =>
  (await rowsById<PaymentRow>(db, 'payment', id))[0]

/** Payout with this id, of any user. */
export const findPayout = async (db: Db, id: string): Promise<PayoutRow | undefined> =>
  (await rowsById<PayoutRow>(db, 'payout', id))[0]

/** Payment with this id, locked until the transaction ends. */
export const findPaymentForUpdate = async (tx: Tx, id: string): Promise<PaymentRow | undefined> =>
  (await rowsById<PaymentRow>(tx, 'payment', id, 'for update'))[0]

/** Payout with this id, locked until the transaction ends. */
export const findPayoutForUpdate = async (tx: Tx, id: string): Promise<PayoutRow | undefined> =>
  (await rowsById<PayoutRow>(tx, 'payout', id, 'for update'))[0]

/** Existing payment, locked until the transaction ends. */
export const lockPayment = async (tx: Tx, id: string): Promise<PaymentRow> =>
  onlyRow(await rowsById<PaymentRow>(tx, 'payment', id, 'for update'))

/** Existing payout, locked until the transaction ends. */
export const lockPayout = async (tx: Tx, id: string): Promise<PayoutRow> =>
  onlyRow(await rowsById<PayoutRow>(tx, 'payout', id, 'for update'))

export const toAmount = ({ currency, amount_minor: minor }: Pick<PaymentRow, 'currency' | 'amount_minor'>): Money =>
  money(currency, minor)

/** Cost of a withdrawal, on top of its amount. */
export const toPayoutFee = ({ currency, fee_minor: minor }: Pick<PayoutRow, 'currency' | 'fee_minor'>): Money =>
  money(currency, minor)

/** Ids of a payment's postings, each of which is made at most once. */
export const postingIds = {
  reserve: (paymentId: string) => derivedId('payment reserve', paymentId),
  release: (paymentId: string) => derivedId('payment release', paymentId),
  arrival: (paymentId: string) => derivedId('payment', paymentId),
  /** Deposit to the payer, if the payment or its send has failed, or its transfer is held. */
  late: (paymentId: string) => derivedId('late payment', paymentId),
} as const

/** Id of the user's transaction for a payment; derived for old payments, which do not store one. */
export const deriveTransactionId = (payment: Pick<PaymentRow, 'id' | 'transaction_id'>): string =>
  payment.transaction_id ?? derivedId('transaction of payment', payment.id)

/**
 * Parties who see a payment from the start: its payer if a bank pays or the wallet's part is reserved; the recipient if
 * a bank pays, unless the send will be held. Other card payments are shown once the card was entered.
 */
export const computeVisibility = (payment: PaymentTerms): PaymentVisibility => ({
  is_listed: payment.method === 'bank' || payment.wallet_part_minor > 0n,
  is_announced: payment.method === 'bank' && mayBeAnnounced(payment),
})

/** True if the recipient may see the payment before settlement. */
export const mayBeAnnounced = ({ purpose, holds_transfer: isHeld }: PaymentTerms): boolean =>
  purpose === 'send' && !isHeld

/** Parties who see a payment as a transaction. */
export type PaymentVisibility = Pick<PaymentRow, 'is_listed' | 'is_announced'>

/** Current listing, read under the payment's row lock. */
export async function loadListing(tx: Tx, { id }: PaymentTerms): Promise<PaymentVisibility> {
  return onlyRow(
    (await tx.query<PaymentVisibility>('select is_listed, is_announced from payment where id = $1', [id])).rows,
  )
}

/** Lists a payment for its payer, and with `isAnnounced` for the recipient. Returns the previous listing. */
export async function markListed(tx: Tx, { id }: PaymentTerms, isAnnounced: boolean): Promise<PaymentVisibility> {
  const { rows } = await tx.query<PaymentVisibility>(
    `update payment set is_listed = true, is_announced = payment.is_announced or $2
       from (select is_listed, is_announced from payment where id = $1) as before
      where id = $1 returning before.is_listed, before.is_announced`,
    [id, isAnnounced],
  )
  return onlyRow(rows)
}

export const chooseSettlementAccount = ({ method, currency }: Pick<PaymentRow, 'method' | 'currency'>): Account =>
  method === 'bank' ? bankAccount(currency) : cardAccount(currency)

/** Movement between the provider and us, under the provider's id. */
export interface SettlementLine {
  readonly provider: string
  readonly id: string
  readonly kind: LineKind
  /** Above zero; the direction follows from the kind. */
  readonly amount: Money
  /** Id of the payment or payout. */
  readonly reference: string
  readonly postingId: string
  /** For the return of a reversal: id of that reversal, if the provider names it. */
  readonly undoes?: string | null
  /** For the return of a reversal: kind of that reversal. */
  readonly undoneKind?: LineKind | null
  readonly at: Date
}

/** Records a movement in the transaction that posts it. False if it was recorded before: then nothing is posted. */
export function recordSettlementLine(
  tx: Tx,
  { amount, postingId, undoneKind = null, at, ...line }: SettlementLine,
): Promise<boolean> {
  const signedMinor = isIncoming[line.kind] ? amount.minor : -amount.minor
  const movement = { amount_minor: signedMinor, currency: amount.currency, posting_id: postingId, occurred_at: at }
  const row = { ...line, ...movement, undone_kind: undoneKind }
  return insertRow(tx, 'settlement_line', row, 'on conflict do nothing')
}

/** Id of the payment or payout for which a movement was posted, if any. */
export async function findLineOwner(db: Db, provider: string, id: string): Promise<string | undefined> {
  const { rows } = await db.query<Pick<SettlementLineRow, 'reference'>>(
    'select reference from settlement_line where provider = $1 and id = $2',
    [provider, id],
  )
  return rows[0]?.reference
}

/** Provider's id of the movement that paid a payout; undefined if none was posted. */
export async function findPaidId(db: Db, payoutId: string): Promise<string | undefined> {
  const { rows } = await db.query<Pick<SettlementLineRow, 'id'>>(
    `select id from settlement_line where reference = $1 and kind = 'payout'`,
    [payoutId],
  )
  return rows[0]?.id
}
