import type { Transaction } from '@tern/contract/transactions'
import { money, toDecimal } from '@tern/money/money'
import { ratio, toRateText } from '@tern/money/ratio'
import { onlyRow, type Db } from '../../platform/database/db.ts'
import { wireId } from '../../platform/ids.ts'
import { repeatRefusal } from '../../platform/outcome.ts'
import { refuseField } from '../../platform/refuse.ts'
import { currentRequestMessages } from '../../platform/messages.ts'
import {
  countryCode,
  countryForOthersSql,
  haveTransactedSql,
  abbreviateName,
  findDeletedName,
  wasShownSql,
} from '../identity/identity.ts'
import { formatDescription, serializeDescription } from './description.ts'
import type { NewTransaction } from './move.ts'
import type { TransactionRow } from './row-types.ts'
import type { PostingRow } from '@tern/ledger/row-types'

/** Transaction row with the columns that its view needs. */
export type StoredTransaction = Omit<
  TransactionRow,
  'posting_id' | 'quote_id' | 'xid' | 'changed_at' | 'passed_by_room'
> & {
  readonly release_reason: Transaction['release_reason']
  readonly hold_reason: Transaction['hold_reason']
  readonly is_payout: boolean
  readonly counterparty_username: string | null
  readonly counterparty_name: string | null
  /** The counterparty's country of verified residence, as the verification form names it. */
  readonly counterparty_country: string | null
  /** True if the counterparty's whole name is shown. */
  readonly is_known: boolean
}

const numberOrNull = (id: bigint | null): number | null => (id === null ? null : wireId(id))

/** Counterparty's name as the row's owner may see it. */
export const formatShownName = ({
  counterparty_name: name,
  counterparty_username: username,
  is_known: isKnown,
}: StoredTransaction) =>
  name === null || isKnown ? (name ?? findDeletedName(username ?? '') ?? null) : abbreviateName(name)

/** Owner's view of a row. `amount` has no sign: it is the credit, or the debit with its fee. */
export function transactionView(row: StoredTransaction): Transaction {
  const source = toDecimal(money(row.source_currency, row.source_amount))
  const target = toDecimal(money(row.target_currency, row.target_amount))
  const incoming = row.kind === 'RECEIVE' || row.kind === 'DEPOSIT'
  const debitedAmount = toDecimal(money(row.source_currency, row.source_amount + row.fee_amount))
  const otherId = row.kind === 'RECEIVE' ? row.sender_id : row.kind === 'SEND' ? row.recipient_id : null
  const at = row.created_at.toISOString()
  return {
    id: row.id,
    transaction_id: row.id,
    timestamp: at,
    date: at,
    status: row.status,
    release_reason: row.release_reason,
    hold_reason: row.hold_reason,
    transaction_type: row.kind,
    description: formatDescription(currentRequestMessages(), row.kind, row.description),
    sender_id: numberOrNull(row.sender_id),
    recipient_id: numberOrNull(row.recipient_id),
    counterparty:
      otherId === null || row.counterparty_username === null
        ? null
        : {
            id: wireId(otherId),
            username: row.counterparty_username,
            name: formatShownName(row),
            country: countryCode(row.counterparty_country),
          },
    amount: incoming ? target : debitedAmount,
    currency: incoming ? row.target_currency : row.source_currency,
    source_amount: source,
    source_currency: row.source_currency,
    target_amount: target,
    target_currency: row.target_currency,
    stablecoin_amount: row.stablecoin_amount === null ? null : toDecimal(money('USDT', row.stablecoin_amount)),
    rate:
      row.rate_numerator === null || row.rate_denominator === null
        ? null
        : toRateText(ratio(row.rate_numerator, row.rate_denominator)),
    fee: toDecimal(money(row.fee_currency, row.kind === 'RECEIVE' ? 0n : row.fee_amount)),
    fee_currency: row.fee_currency,
    payment_source: row.payment_source,
    payment_id: row.payment_id,
    outside: row.payment_id === null ? null : { kind: row.is_payout ? 'payout' : 'payment', id: row.payment_id },
    source_wallet_id: row.from_wallet_id,
    from_wallet_id: row.from_wallet_id,
    to_wallet_id: row.to_wallet_id,
    recipient_wallet_id: row.kind === 'SEND' ? null : row.to_wallet_id,
    recipient_address: row.counterparty_username,
  }
}

interface Counterparty {
  readonly username: string
  readonly name: string | null
  readonly country: string | null
}

/** Owner's view of a newly written row. */
const toRowView = ({ row, id, at, counterparty }: NewRow, isKnown: boolean): Transaction =>
  transactionView({
    user_id: row.userId,
    id,
    kind: row.kind,
    status: row.status,
    // No row is written as released.
    release_reason: null,
    // The caller sets it for a held transfer.
    hold_reason: null,
    created_at: at,
    sender_id: row.senderId ?? null,
    recipient_id: row.recipientId ?? null,
    wallet_id: row.walletId,
    from_wallet_id: row.fromWalletId ?? null,
    to_wallet_id: row.toWalletId ?? null,
    description: serializeDescription(row.description),
    source_amount: row.source.minor,
    source_currency: row.source.currency,
    target_amount: row.target.minor,
    target_currency: row.target.currency,
    stablecoin_amount: row.stablecoinAmount ?? null,
    rate_numerator: row.rate?.numerator ?? null,
    rate_denominator: row.rate?.denominator ?? null,
    fee_amount: row.fee.minor,
    fee_currency: row.fee.currency,
    payment_source: row.paymentSource ?? null,
    payment_id: row.paymentId ?? null,
    // Views of withdrawals are always read from the database.
    is_payout: false,
    counterparty_username: counterparty?.username ?? null,
    counterparty_name: counterparty?.name ?? null,
    counterparty_country: counterparty?.country ?? null,
    is_known: isKnown,
  })

/**
 * SQL condition: a row `t` shows its counterparty's whole name. A payment between the two has arrived, or the row is a
 * send whose sender had seen the name in the review or in the payment request.
 */
export const isKnownSql = `(t.status = 'COMPLETED' or ${haveTransactedSql('t.sender_id', 't.recipient_id')}
  or (t.kind = 'SEND' and t.user_id = t.sender_id and (${wasShownSql('t.user_id', 't.recipient_id', 't.created_at')}
    or exists (select from request_payment where transaction_id = t.id and payer_id = t.user_id))))`

interface NewRow {
  readonly row: NewTransaction
  readonly id: string
  readonly at: Date
  readonly counterparty: Counterparty | undefined
}

/** Returns the owner's view of a row just written, equal to a later read. */
export async function readRowView(db: Db, newRow: NewRow): Promise<Transaction> {
  const { status, senderId, recipientId } = newRow.row
  const mayBeUnknown = status !== 'COMPLETED' && senderId !== undefined && recipientId !== undefined
  const isKnown = !mayBeUnknown || (await readIsKnown(db, newRow))
  return toRowView(newRow, isKnown)
}

async function readIsKnown(db: Db, { row, id, at }: NewRow): Promise<boolean> {
  const { rows } = await db.query<{ known: boolean }>(
    `select ${isKnownSql} as known
       from (select $1::uuid as id, $2::bigint as user_id, $3::text as kind, $4::text as status, $5::bigint as sender_id,
                    $6::bigint as recipient_id, $7::timestamptz as created_at) as t`,
    [id, row.userId, row.kind, row.status, row.senderId, row.recipientId, at],
  )
  return onlyRow(rows).known
}

/**
 * Selects rows `t` as `StoredTransaction`: with counterparty, whether they are payouts, and reasons of hold and
 * release.
 */
export const selectTransactions = `select t.*, u.username as counterparty_username, u.name as counterparty_name,
    ${countryForOthersSql('u.id')} as counterparty_country,
    exists (select from payout where payout.id = t.payment_id) as is_payout,
    coalesce(
      (select release_reason from transfer where transfer.id = t.id and transfer.sender_id = t.user_id),
      case when t.kind = 'EXCHANGE' and t.status = 'FAILED' then (
        select o.state from exchange_order o where o.transaction_id = t.id and o.user_id = t.user_id) end
    ) as release_reason,
    case when t.status = 'PENDING' then (select hold_reason from transfer
      where transfer.id = t.id and transfer.sender_id = t.user_id and transfer.state = 'held') end as hold_reason,
    ${isKnownSql} as is_known
  from transaction t
  left join app_user u on u.id = case t.kind when 'RECEIVE' then t.sender_id when 'SEND' then t.recipient_id end`

export async function findTransaction(
  db: Db,
  { userId, id }: { readonly userId: bigint; readonly id: string },
): Promise<Transaction | undefined> {
  const { rows } = await db.query<StoredTransaction>(`${selectTransactions} where t.user_id = $1 and t.id = $2`, [
    userId,
    id,
  ])
  return rows[0] && transactionView(rows[0])
}

/** The user's transactions with these ids, in that order. */
export async function findTransactions(
  db: Db,
  { userId, ids }: { readonly userId: bigint; readonly ids: readonly string[] },
): Promise<Transaction[]> {
  if (ids.length === 0) return []
  const { rows } = await db.query<StoredTransaction>(
    `${selectTransactions} where t.user_id = $1 and t.id = any($2::uuid[])`,
    [userId, ids],
  )
  const views = new Map(rows.map((row) => [row.id, transactionView(row)]))
  return ids.map((id) => views.get(id)).filter((transaction) => transaction !== undefined)
}

/**
 * Finds the transaction of an earlier request by posting id. Repeats its refusal, and refuses `idempotency_key_reused`
 * if the request differs.
 */
export async function findReplay(
  db: Db,
  { userId, postingId, hash }: { readonly userId: bigint; readonly postingId: string; readonly hash: Buffer },
): Promise<Transaction | undefined> {
  const { rows } = await db.query<Pick<PostingRow, 'reference' | 'request_hash' | 'refusal' | 'refusal_details'>>(
    'select reference, request_hash, refusal, refusal_details from ledger.posting where id = $1',
    [postingId],
  )
  const existingRow = rows[0]
  if (!existingRow) return undefined
  if (!existingRow.request_hash.equals(hash)) refuseField('idempotency_key_reused', 'Idempotency-Key')
  if (existingRow.refusal !== null) repeatRefusal({ code: existingRow.refusal, details: existingRow.refusal_details })
  return findTransaction(db, { userId, id: existingRow.reference })
}
