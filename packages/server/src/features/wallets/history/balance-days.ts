import type pg from 'pg'
import { only, type Queryable } from '../../../platform/database/db.ts'

const dayMs = 24 * 60 * 60_000
/** The longest history that is asked for, and the day it begins in. */
const keptDays = 366
/** A day is complete when nobody posts for it any more, however their clock goes. */
const graceMs = 10 * 60_000
/** Accounts with fewer entries are added up when they are asked for. */
const manyEntries = 2000

/** An account, and the last of its entries that counts. */
export interface Entries {
  readonly id: bigint
  readonly version: bigint
}

export interface Sums {
  readonly in: bigint
  readonly out: bigint
}

/** What came in and what went out, of the changes by movements. */
export const sumRange = (amounts: readonly bigint[]): Sums => ({
  in: amounts.reduce((total, amount) => (amount > 0n ? total + amount : total), 0n),
  out: -amounts.reduce((total, amount) => (amount < 0n ? total + amount : total), 0n),
})

/**
 * The version of the account's first entry after a time; one more than its last when there is none. Times ascend with
 * versions, but for what the clocks of several nodes differ, so that it is found by halving.
 */
export async function firstEntryAfter(db: Queryable, { id, version }: Entries, at: Date, from = 1n): Promise<bigint> {
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
  return only(rows).low
}

/** The sums of an account's entries from one to another, movement by movement. */
async function sumBetween(db: Queryable, id: bigint, first: bigint, last: bigint): Promise<Sums> {
  if (first > last) return { in: 0n, out: 0n }
  const { rows } = await db.query<Sums>(
    `select coalesce(sum(amount) filter (where amount > 0), 0) as in, coalesce(-sum(amount) filter (where amount < 0), 0) as out
       from (select sum(amount) as amount from ledger.entry
              where account_id = $1 and version between $2 and $3 group by posting_id) as movement`,
    [id, first, last],
  )
  return only(rows)
}

const dayOf = (at: Date): string => at.toISOString().slice(0, 10)

interface SummedDay {
  readonly day: string
  /** The last entry that the day's row counts. */
  readonly last: bigint
}

/** The account's newest day that has a row. */
async function lastSummedDay(db: Queryable, accountId: bigint): Promise<SummedDay | undefined> {
  const { rows } = await db.query<SummedDay>(
    'select day::text, last_version as last from balance_day where account_id = $1 order by last_version desc limit 1',
    [accountId],
  )
  return rows[0]
}

/**
 * Adds the sums of the entries from one to another to the day's row. False when somebody else has written the row
 * meanwhile. (`on conflict (…) do update` would not do here: it sees to one unique index, and two inserts at once can
 * meet in the other.)
 */
async function addToDay(db: Queryable, accountId: bigint, { day, last }: SummedDay, first: bigint): Promise<boolean> {
  const sums = await sumBetween(db, accountId, first, last)
  const values = [accountId, day, last, sums.in, sums.out]
  const { rowCount: updated } = await db.query(
    `update balance_day set last_version = $3, money_in = money_in + $4, money_out = money_out + $5
      where account_id = $1 and day = $2 and last_version = $6 - 1`,
    [...values, first],
  )
  if (updated) return true
  const { rowCount: inserted } = await db.query(
    `insert into balance_day (account_id, day, last_version, money_in, money_out) values ($1, $2, $3, $4, $5)
     on conflict do nothing`,
    values,
  )
  return inserted === 1
}

/** Sums up the account's complete days that have no row yet. May run any number of times at once. */
export async function completeDays(db: Queryable, account: Entries, now: Date): Promise<void> {
  const oldest = new Date(Date.parse(dayOf(now)) - keptDays * dayMs)
  let done = await lastSummedDay(db, account.id)
  const begin = done ? done.last + 1n : await firstEntryAfter(db, account, oldest)
  for (let next = begin; next <= account.version; next = done ? done.last + 1n : begin) {
    const { rows } = await db.query<{ created_at: Date }>(
      'select created_at from ledger.entry where account_id = $1 and version = $2',
      [account.id, next],
    )
    const own = dayOf(only(rows).created_at)
    // A straggler, written by a clock that is behind, counts with the day that is already summed up.
    const day = done && done.day > own ? done.day : own
    const end = Date.parse(day) + dayMs
    if (end + graceMs > now.getTime()) return
    const after = await firstEntryAfter(db, account, new Date(end - 1), next)
    // Even if the clocks differ so much that none is found, the entry itself belongs to its day.
    const summed = { day, last: after > next ? after - 1n : next }
    done = (await addToDay(db, account.id, summed, next)) ? summed : await lastSummedDay(db, account.id)
  }
}

/** The sums of the account's entries from one on: whole days by their rows, the rest by the entries. */
export async function sumEntries(db: Queryable, { id, version }: Entries, first: bigint): Promise<Sums> {
  const { rows } = await db.query<{ last_version: bigint; money_in: bigint; money_out: bigint }>(
    'select last_version, money_in, money_out from balance_day where account_id = $1 and last_version between $2 and $3 order by last_version',
    [id, first, version],
  )
  const [begun, ...whole] = rows
  const head = begun ? await sumBetween(db, id, first, begun.last_version) : { in: 0n, out: 0n }
  const tail = await sumBetween(db, id, (rows.at(-1)?.last_version ?? first - 1n) + 1n, version)
  return {
    in: whole.reduce((total, day) => total + day.money_in, head.in + tail.in),
    out: whole.reduce((total, day) => total + day.money_out, head.out + tail.out),
  }
}

/** Sums up the complete days of every wallet with many entries. */
export async function completeAllDays(pool: pg.Pool, now: Date): Promise<void> {
  const { rows } = await pool.query<Entries>(
    `select id, version from ledger.account where kind = 'wallet' and version > $1 order by id`,
    [manyEntries],
  )
  for (const account of rows) await completeDays(pool, account, now)
}
