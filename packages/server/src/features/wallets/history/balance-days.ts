import type pg from 'pg'
import { onlyRow, type Db } from '../../../platform/database/db.ts'
import type { AccountRow, EntryRow } from '@tern/ledger/row-types'
import type { BalanceDayRow } from '../row-types.ts'

const dayMs = 24 * 60 * 60_000
/** The longest history offered, including its first day. */
const maxHistoryDays = 366
/** Time after midnight until a day is complete, to allow for clock skew. */
const graceMs = 10 * 60_000
/** Maximum of entries summed on request; for more, the sums of whole days are stored. */
export const maxUncachedEntries = 2000n
const manyEntries = Number(maxUncachedEntries) // not money: a count of entries

/** Account id, and the version of its last relevant entry. */
export type AccountVersion = Pick<AccountRow, 'id' | 'version'>

export interface Sums {
  readonly in: bigint
  readonly out: bigint
}

interface BalanceQuery {
  readonly account: AccountVersion
  readonly at: Date
  /** Version from which to search; the first of all by default. */
  readonly from?: bigint
}

/**
 * Returns the version of the first entry after a time, or the last plus one. Uses a binary search, since times ascend
 * with versions except for clock skew.
 */
export async function findFirstEntryAfter(
  db: Db,
  { account: { id, version }, at, from = 1n }: BalanceQuery,
): Promise<bigint> {
  const { rows } = await db.query<{ low: bigint }>(
    `with recursive search (low, high) as (
       select $3::bigint, $2::bigint + 1
       union all
       select case when entry.created_at > $4 then low else middle + 1 end,
           case when entry.created_at > $4 then middle else high end
         from (select low, high, (low + high) / 2 as middle from search where low < high) as half
         cross join lateral (
           select created_at from ledger.entry where account_id = $1 and version = half.middle) as entry
     )
     select low from search where low = high`,
    [id, version, from, at],
  )
  return onlyRow(rows).low
}

/** Entries of an account by version, both ends included. */
interface VersionRange {
  readonly id: bigint
  readonly first: bigint
  readonly last: bigint
}

/** Sums the money in and out of these entries. Entries with the same reference on the same day (UTC) are netted. */
export async function sumBetween(db: Db, { id, first, last }: VersionRange): Promise<Sums> {
  if (first > last) return { in: 0n, out: 0n }
  const { rows } = await db.query<Sums>(
    `select coalesce(sum(amount) filter (where amount > 0), 0) as in, coalesce(-sum(amount) filter (where amount < 0), 0) as out
       from (select sum(entry.amount) as amount
               from ledger.entry join ledger.posting on posting.id = entry.posting_id
              where account_id = $1 and version between $2 and $3
              group by posting.reference, (entry.created_at at time zone 'UTC')::date) as moved`,
    [id, first, last],
  )
  return onlyRow(rows)
}

const formatDay = (at: Date): string => at.toISOString().slice(0, 10)

interface SummedDay {
  readonly day: string
  /** Version of the last entry counted in this day. */
  readonly last: bigint
}

/** Reads the account's newest summed day. */
async function readLastSummedDay(db: Db, accountId: bigint): Promise<SummedDay | undefined> {
  const { rows } = await db.query<SummedDay>(
    'select day::text, last_version as last from balance_day where account_id = $1 order by last_version desc limit 1',
    [accountId],
  )
  return rows[0]
}

/**
 * Adds entries to a day's row. False if another process wrote it meanwhile. Updates before it inserts, because
 * `on conflict (…) do update` covers only one of the two unique indexes.
 */
async function addToDay(db: Db, { id, day, first, last }: VersionRange & SummedDay): Promise<boolean> {
  const sums = await sumBetween(db, { id, first, last })
  const values = [id, day, last, sums.in, sums.out]
  const { rowCount: updatedCount } = await db.query(
    `update balance_day set last_version = $3, money_in = money_in + $4, money_out = money_out + $5
      where account_id = $1 and day = $2 and last_version = $6 - 1`,
    [...values, first],
  )
  if (updatedCount) return true
  const { rowCount: insertedCount } = await db.query(
    `insert into balance_day (account_id, day, last_version, money_in, money_out) values ($1, $2, $3, $4, $5)
     on conflict do nothing`,
    values,
  )
  return insertedCount === 1
}

/** Sums complete days that have no row yet; may run concurrently. */
export async function completeDays(
  db: Db,
  { account, now }: { readonly account: AccountVersion; readonly now: Date },
): Promise<void> {
  const oldest = new Date(Date.parse(formatDay(now)) - maxHistoryDays * dayMs)
  let done = await readLastSummedDay(db, account.id)
  const begin = done ? done.last + 1n : await findFirstEntryAfter(db, { account, at: oldest })
  for (let next = begin; next <= account.version; next = done ? done.last + 1n : begin) {
    const { rows } = await db.query<Pick<EntryRow, 'created_at'>>(
      'select created_at from ledger.entry where account_id = $1 and version = $2',
      [account.id, next],
    )
    const createdDay = formatDay(onlyRow(rows).created_at)
    // An entry with an earlier time, from a slow clock, counts in the day already summed.
    const day = done && done.day > createdDay ? done.day : createdDay
    const end = Date.parse(day) + dayMs
    if (end + graceMs > now.getTime()) return
    const nextEntry = await findFirstEntryAfter(db, { account, at: new Date(end - 1), from: next })
    // The day includes at least this entry, whatever the clock skew.
    const summedDay = { day, last: nextEntry > next ? nextEntry - 1n : next }
    done = (await addToDay(db, { id: account.id, first: next, ...summedDay }))
      ? summedDay
      : await readLastSummedDay(db, account.id)
  }
}

/** Sums the entries from version `first` on: stored sums for whole days, the rest entry by entry. */
export async function sumEntries(
  db: Db,
  { account: { id, version }, first }: { readonly account: AccountVersion; readonly first: bigint },
): Promise<Sums> {
  const { rows } = await db.query<Pick<BalanceDayRow, 'last_version' | 'money_in' | 'money_out'>>(
    'select last_version, money_in, money_out from balance_day where account_id = $1 and last_version between $2 and $3 order by last_version',
    [id, first, version],
  )
  const [firstDay, ...remainingRows] = rows
  const head = firstDay ? await sumBetween(db, { id, first, last: firstDay.last_version }) : { in: 0n, out: 0n }
  const summedVersion = rows.at(-1)?.last_version ?? first - 1n
  const tail = await sumBetween(db, { id, first: summedVersion + 1n, last: version })
  return {
    in: remainingRows.reduce((total, day) => total + day.money_in, head.in + tail.in),
    out: remainingRows.reduce((total, day) => total + day.money_out, head.out + tail.out),
  }
}

/** Sums the complete days of wallets with many entries. */
export async function completeBalanceDays(pool: pg.Pool, now: Date): Promise<void> {
  const { rows } = await pool.query<AccountVersion>(
    `select id, version from ledger.account where kind = 'wallet' and version > $1 order by id`,
    [manyEntries],
  )
  for (const account of rows) await completeDays(pool, { account, now })
}
