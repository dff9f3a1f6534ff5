// Entries of one wallet, read account by account in pages.

import { holdAccount, walletAccount } from '@tern/ledger/chart'
import type { AccountRow, EntryRow } from '@tern/ledger/row-types'
import { type CurrencyCode, currencyCodes } from '@tern/money/currency'
import type { Db } from '../../platform/database/db.ts'
import { findFirstEntryAfter, type Wallet } from '../wallets/wallets.ts'
import type { BalancePart } from './movement.ts'

/** Largest difference between the clocks of two processes. */
export const clockSkewMs = 10 * 60_000
/** Entries per query. */
const pageSize = 500

/** Ledger account of a wallet. */
export interface WalletAccount {
  readonly id: AccountRow['id']
  readonly part: BalancePart
  readonly currency: CurrencyCode
  /** Version of the last entry to read. */
  readonly version: AccountRow['version']
}

export type Entry = Pick<EntryRow, 'version' | 'posting_id' | 'leg' | 'amount' | 'balance' | 'created_at'>

/** Reads the accounts of a wallet that have entries. */
export async function readAccounts(
  db: Db,
  { wallet, currencies = currencyCodes }: { wallet: Pick<Wallet, 'id'>; currencies?: readonly CurrencyCode[] },
): Promise<WalletAccount[]> {
  const places = new Map(
    currencies.flatMap((currency): [string, Pick<WalletAccount, 'part' | 'currency'>][] => [
      [walletAccount(wallet.id, currency).name, { part: 'available', currency }],
      [holdAccount(wallet.id, currency).name, { part: 'on_hold', currency }],
    ]),
  )
  const { rows } = await db.query<Pick<AccountRow, 'id' | 'name' | 'version'>>(
    'select id, name, version from ledger.account where name = any($1) and version > 0 order by id',
    [[...places.keys()]],
  )
  return rows.flatMap(({ id, name, version }) => {
    const place = places.get(name)
    return place ? [{ id, version, ...place }] : []
  })
}

/**
 * Finds the version of an account's first entry at or after a time, or the last plus one. Entries before it are all
 * older, whatever the clock skew, so the answer never changes once later entries exist.
 */
export async function findFirstVersion(
  db: Db,
  { account, at }: { readonly account: WalletAccount; readonly at: Date },
): Promise<bigint> {
  const before = new Date(at.getTime() - 1 - clockSkewMs)
  const from = await findFirstEntryAfter(db, { account, at: before })
  const { rows } = await db.query<Pick<EntryRow, 'version'>>(
    `select version from ledger.entry where account_id = $1 and version between $2 and $3 and created_at >= $4
      order by version limit 1`,
    [account.id, from, account.version, at],
  )
  return rows[0]?.version ?? account.version + 1n
}

/** Reads an account's balance before the entry with this version. */
export async function readBalanceBefore(db: Db, { id }: WalletAccount, version: bigint): Promise<bigint> {
  const { rows } = await db.query<Pick<EntryRow, 'balance'>>(
    'select balance from ledger.entry where account_id = $1 and version = $2',
    [id, version - 1n],
  )
  return rows[0]?.balance ?? 0n
}

/** Reads the time of an account's entry, if there is one with this version. */
export async function readEntryTime(db: Db, { id }: WalletAccount, version: bigint): Promise<Date | undefined> {
  const { rows } = await db.query<Pick<EntryRow, 'created_at'>>(
    'select created_at from ledger.entry where account_id = $1 and version = $2',
    [id, version],
  )
  return rows[0]?.created_at
}

/** Entries of one account. Those from `start` on in `entries` are read and not taken; `next` is the next version to read. */
export interface EntryCursor {
  readonly account: WalletAccount
  next: bigint
  entries: readonly Entry[]
  start: number
  /** Postings of the entries that are read and not taken, with the count of these. */
  readonly postings: Map<string, number>
}

export const openCursor = (account: WalletAccount, next: bigint): EntryCursor => ({
  account,
  next,
  entries: [],
  start: 0,
  postings: new Map(),
})

const isReadOut = ({ account, next }: EntryCursor): boolean => next > account.version

/** First entry that is not taken; undefined at the end. */
export const peek = ({ entries, start }: EntryCursor): Entry | undefined => entries[start]

/** Reads on until the first posting is complete, and every entry up to this time is read. */
export async function readAhead(db: Db, cursor: EntryCursor, until = new Date(0)): Promise<void> {
  const isAhead = () => {
    const last = cursor.entries.at(-1)
    return cursor.postings.size > 1 && last !== undefined && last.created_at.getTime() > until.getTime() + clockSkewMs
  }
  while (!isReadOut(cursor) && !isAhead()) await readPage(db, cursor)
}

async function readPage(db: Db, cursor: EntryCursor): Promise<void> {
  const { account, next, entries, start, postings } = cursor
  const end = next + BigInt(pageSize) - 1n
  const last = end < account.version ? end : account.version
  const { rows } = await db.query<Entry>(
    `select version, posting_id, leg, amount, balance, created_at from ledger.entry
      where account_id = $1 and version between $2 and $3 order by version`,
    [account.id, next, last],
  )
  cursor.next = last + 1n
  cursor.entries = [...entries.slice(start), ...rows]
  cursor.start = 0
  for (const { posting_id: id } of rows) postings.set(id, (postings.get(id) ?? 0) + 1)
}

/** Takes the first posting's entries, which are next to each other. */
export function takePosting(cursor: EntryCursor): readonly Entry[] {
  const { entries, start, postings } = cursor
  const postingId = peek(cursor)?.posting_id ?? ''
  const count = postings.get(postingId) ?? 0
  postings.delete(postingId)
  cursor.start += count
  return entries.slice(start, start + count)
}
