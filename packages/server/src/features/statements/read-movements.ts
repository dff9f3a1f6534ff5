// Reads a wallet's history from the ledger: the movements of a period, and the balances at its start.

import type { PostingRow } from '@tern/ledger/row-types'
import type { CurrencyCode } from '@tern/money/currency'
import type { Db } from '../../platform/database/db.ts'
import { formatShownName, selectTransactions, type StoredTransaction, type Wallet } from '../wallets/wallets.ts'
import {
  clockSkewMs,
  type Entry,
  type EntryCursor,
  findFirstVersion,
  openCursor,
  peek,
  readAccounts,
  readAhead,
  readBalanceBefore,
  readEntryTime,
  takePosting,
  type WalletAccount,
} from './account-entries.ts'
import { computeChanges, isInternal, type PostingFacts } from './balance-changes.ts'
import type { TransactionRow } from '../wallets/row-types.ts'
import type { BalancePart, Movement, MovementTransaction } from './movement.ts'

/** Movements whose facts are read together. */
const batchSize = 200

export interface PeriodQuery {
  readonly wallet: Pick<Wallet, 'id' | 'userId'>
  readonly from: Date
  /** First instant after the period. */
  readonly until: Date
  readonly currencies?: readonly CurrencyCode[]
  /** Continues after this entry of the available balance, for one currency only. */
  readonly after?: bigint
}

export interface PartBalance {
  readonly part: BalancePart
  readonly currency: CurrencyCode
  readonly balance: bigint
}

/** Reads the balances before the first movement at or after a time. Accounts without entries are omitted. */
export async function readOpening(
  db: Db,
  { at, ...query }: Parameters<typeof readAccounts>[1] & { readonly at: Date },
): Promise<PartBalance[]> {
  const balances: PartBalance[] = []
  for (const account of await readAccounts(db, query)) {
    const { part, currency } = account
    const version = await findFirstVersion(db, { account, at })
    balances.push({ part, currency, balance: await readBalanceBefore(db, account, version) })
  }
  return balances
}

/** Entries of one posting in one account. */
export interface AccountShare {
  readonly account: WalletAccount
  readonly entries: readonly Entry[]
}

/** One posting with its entries in the wallet's accounts. */
interface Posting {
  readonly id: PostingRow['id']
  readonly at: Date
  readonly shares: readonly AccountShare[]
}

/**
 * Reads the movements of a period by time; within an account always in the order of its entries. Each query reads one
 * page of one account, so memory and work depend on neither other wallets nor the length of the period.
 */
export async function* readMovements(db: Db, query: PeriodQuery): AsyncGenerator<Movement, void, undefined> {
  let batch: Posting[] = []
  for await (const posting of readPostings(db, query)) {
    batch.push(posting)
    if (batch.length < batchSize) continue
    yield* await toMovements(db, query, batch)
    batch = []
  }
  if (batch.length > 0) yield* await toMovements(db, query, batch)
}

/** Opens the wallet's accounts at the start of the period, or where an earlier page ended. */
async function openCursors(db: Db, { from, until, after, ...query }: PeriodQuery): Promise<EntryCursor[]> {
  const accounts = await readAccounts(db, query)
  const start = after === undefined ? from : await findResumeTime(db, accounts, { from, after })
  const cursors: EntryCursor[] = []
  for (const account of accounts) {
    const isResumed = after !== undefined && account.part === 'available'
    const first = isResumed ? after + 1n : await findFirstVersion(db, { account, at: start })
    const end = await findFirstVersion(db, { account, at: until })
    if (first < end) cursors.push(openCursor({ ...account, version: end - 1n }, first))
  }
  return cursors
}

/** Time before the rest of a page's movements, from which the amount on hold is read again. */
async function findResumeTime(
  db: Db,
  accounts: readonly WalletAccount[],
  { from, after }: { readonly from: Date; readonly after: bigint },
): Promise<Date> {
  const available = accounts.find(({ part }) => part === 'available')
  const at = available && (await readEntryTime(db, available, after))
  return at ? new Date(Math.max(from.getTime(), at.getTime() - clockSkewMs)) : from
}

async function* readPostings(db: Db, query: PeriodQuery): AsyncGenerator<Posting, void, undefined> {
  const cursors = await openCursors(db, query)
  for (;;) {
    for (const cursor of cursors) await readAhead(db, cursor)
    const entry = await findNext(db, cursors)
    if (!entry) return
    const id = entry.posting_id
    const shares = cursors
      .filter((cursor) => peek(cursor)?.posting_id === id)
      .map((cursor): AccountShare => ({ account: cursor.account, entries: takePosting(cursor) }))
    yield { id, at: entry.created_at, shares }
  }
}

/** First entry by time of which no account has earlier postings left. */
async function findNext(db: Db, cursors: readonly EntryCursor[]): Promise<Entry | undefined> {
  const heads = cursors.map(peek).filter((entry) => entry !== undefined)
  let entry = heads.toSorted(compareEntries)[0]
  const seen = new Set<string>()
  while (entry && !seen.has(entry.posting_id)) {
    const { posting_id: id, created_at: at } = entry
    seen.add(id)
    for (const cursor of cursors) await readAhead(db, cursor, at)
    const blocking = cursors.find((cursor) => cursor.postings.has(id) && peek(cursor)?.posting_id !== id)
    entry = (blocking && peek(blocking)) ?? entry
  }
  return entry
}

const compareEntries = (a: Entry, b: Entry): number =>
  a.created_at.getTime() - b.created_at.getTime() || (a.posting_id < b.posting_id ? -1 : 1)

async function toMovements(db: Db, { wallet }: PeriodQuery, batch: readonly Posting[]): Promise<Movement[]> {
  const facts = await readFacts(db, wallet, batch)
  return batch.map(({ id, at, shares }): Movement => {
    const posting = facts.get(id) ?? { kind: '', transaction: null, withdrawalFee: 0n, disputeFee: 0n }
    const { kind: postingKind, transaction } = posting
    const changes = computeChanges(shares, posting)
    return { postingId: id, at, postingKind, transaction, isInternal: isInternal(shares), changes }
  })
}

type ReadTransaction = StoredTransaction & Pick<TransactionRow, 'changed_at'>

interface FeeRow {
  readonly reference: string
  readonly withdrawal_fee: bigint
  readonly dispute_fee: bigint
}

/** Reads kinds, transactions and returned fees of postings, by posting. */
async function readFacts(
  db: Db,
  { userId }: Pick<Wallet, 'userId'>,
  batch: readonly Posting[],
): Promise<Map<string, PostingFacts>> {
  const { rows: postings } = await db.query<Pick<PostingRow, 'id' | 'kind' | 'reference'>>(
    'select id, kind, reference from ledger.posting where id = any($1)',
    [batch.map(({ id }) => id)],
  )
  const references = [...new Set(postings.map(({ reference }) => reference))]
  const { rows } = await db.query<ReadTransaction>(
    `${selectTransactions} where t.user_id = $1 and t.id = any($2::uuid[])`,
    [userId, references],
  )
  const transactions = new Map(rows.map((row) => [row.id, toTransaction(row)]))
  const { rows: feeRows } = await db.query<FeeRow>(
    `select t.id as reference,
        coalesce(o.fee_minor - (select coalesce(sum(r.fee_minor), 0) from dispute_posting r
          where r.posting_id = t.posting_id and r.kind = 'recovered'), 0) as withdrawal_fee,
        coalesce((select sum(d.fee_minor) from dispute_posting d where d.transaction_id = t.id), 0) as dispute_fee
       from transaction t left join payout o on o.id = t.payment_id
      where t.user_id = $1 and t.id = any($2::uuid[]) and t.kind in ('DEPOSIT', 'WITHDRAW')`,
    [userId, references],
  )
  const fees = new Map(feeRows.map((row) => [row.reference, row]))
  return new Map(
    postings.map(({ id, kind, reference }) => {
      const fee = fees.get(reference)
      const transaction = transactions.get(reference) ?? null
      const facts = { kind, transaction, withdrawalFee: fee?.withdrawal_fee ?? 0n, disputeFee: fee?.dispute_fee ?? 0n }
      return [id, facts]
    }),
  )
}

function toTransaction(row: ReadTransaction): MovementTransaction {
  const { sender_id: senderId, recipient_id: recipientId, counterparty_username: username } = row
  const id = row.kind === 'RECEIVE' ? senderId : row.kind === 'SEND' ? recipientId : null
  return {
    id: row.id,
    kind: row.kind,
    status: row.status,
    description: row.description,
    source_amount: row.source_amount,
    source_currency: row.source_currency,
    target_amount: row.target_amount,
    target_currency: row.target_currency,
    rate_numerator: row.rate_numerator,
    rate_denominator: row.rate_denominator,
    fee_amount: row.fee_amount,
    fee_currency: row.fee_currency,
    payment_source: row.payment_source,
    changed_at: row.changed_at,
    counterparty: id === null || username === null ? null : { id, username, name: formatShownName(row) },
  }
}
