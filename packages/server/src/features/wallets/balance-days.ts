import type pg from 'pg'
import { only, type Queryable } from '../../db.ts'

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

/** Sums up the account's complete days that have no row yet. May run any number of times at once. */
export async function completeDays(db: Queryable, account: Entries, now: Date): Promise<void> {
  const { rows: done } = await db.query<{ last_version: bigint }>(
    'select last_version from balance_day where account_id = $1 order by last_version desc limit 1',
    [account.id],
  )
  const oldest = new Date(Date.parse(dayOf(now)) - keptDays * dayMs)
  let next = done[0] ? done[0].last_version + 1n : await firstEntryAfter(db, account, oldest)
  while (next <= account.version) {
    const { rows } = await db.query<{ created_at: Date }>(
      'select created_at from ledger.entry where account_id = $1 and version = $2',
      [account.id, next],
    )
    const day = dayOf(only(rows).created_at)
    const end = Date.parse(day) + dayMs
    if (end + graceMs > now.getTime()) return
    const after = await firstEntryAfter(db, account, new Date(end - 1), next)
    // Even if the clocks differ so much that none is found, the entry itself belongs to its day.
    const last = after > next ? after - 1n : next
    const sums = await sumBetween(db, account.id, next, last)
    await db.query(
      // A straggler of a day that has a row is added to it; the same row written by two at once counts once.
      `insert into balance_day as d (account_id, day, last_version, money_in, money_out) values ($1, $2, $3, $4, $5)
       on conflict (account_id, day) do update set last_version = excluded.last_version,
           money_in = d.money_in + excluded.money_in, money_out = d.money_out + excluded.money_out
         where d.last_version = $6 - 1`,
      [account.id, day, last, sums.in, sums.out, next],
    )
    next = last + 1n
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
