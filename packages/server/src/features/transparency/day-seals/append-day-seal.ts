// Seals a day: appends an entry to the log that commits to all balances and to the rows that must never vanish.

import { encodeUtf8 } from '@tern/transparency/bytes'
import { hashBytes } from '@tern/transparency/merkle'
import { formatDaySeal } from '@tern/transparency/posting-leaf'
import type pg from 'pg'
import { onlyRow, transact, type Db, type Tx } from '../../../platform/database/db.ts'
import { appendEntry } from '../append-entry.ts'
import { lockLog, type LogPosition } from '../append-postings.ts'
import { balancesDigestSql, growingTables, sealedRows } from './sealed-rows.ts'

/** Minutes after midnight at which a day is sealed. No transaction that began before midnight is open any more. */
const sealedAfterMinutes = 15

/** Most days for which balances are kept while no audit passes. */
const keptDays = 8

interface DayToSeal {
  /** Date in UTC. */
  readonly day: string
  /** Rows of the product from before this time are committed. */
  readonly until: Date
}

/** Returns the last day that has ended, with its end. */
export function findLastDay(now: Date): DayToSeal {
  const ended = new Date(now.getTime() - sealedAfterMinutes * 60_000)
  const until = new Date(Date.UTC(ended.getUTCFullYear(), ended.getUTCMonth(), ended.getUTCDate()))
  return { day: formatDate(new Date(until.getTime() - 1)), until }
}

const formatDate = (time: Date): string => time.toISOString().slice(0, 10)

/** Seals the last day that has ended, unless it is sealed or the log is younger. */
export async function sealLastDay(pool: pg.Pool, now: Date): Promise<void> {
  const last = findLastDay(now)
  if (await isDue(pool, last)) await appendDaySeal(pool, last)
}

async function isDue(db: Db, { day, until }: DayToSeal): Promise<boolean> {
  const { rows } = await db.query<{ is_due: boolean }>(
    `select not exists (select from day_seal where day >= $1::date)
        and exists (select from transparency_checkpoint where signed_at < $2) as is_due`,
    [day, until],
  )
  return onlyRow(rows).is_due
}

/**
 * Appends the seal of a day. Returns false without it if the day or a later one is sealed, another process works on the
 * log, or postings wait to be logged.
 */
export async function appendDaySeal(pool: pg.Pool, { day, until }: DayToSeal): Promise<boolean> {
  return transact(pool, async (tx) => {
    const log = await lockLog(tx)
    if (!log?.isQueued || !log.isHere || (await isBlocked(tx, day))) return false
    await tx.query(`set local time zone 'UTC'; set local work_mem = '64MB'; set local jit = off`)
    await sealBalances(tx, day)
    const content = await readContent(tx, { log, day, until })
    const data = formatDaySeal({ day, digest: hashBytes(encodeUtf8(content)) })
    await tx.query(
      'insert into day_seal (day, leaf_index, content, sealed_at) values ($1::date, $2, $3, clock_timestamp())',
      [day, await appendEntry(tx, data), content],
    )
    await deleteOldBalances(tx, day)
    return true
  })
}

async function isBlocked(tx: Tx, day: string): Promise<boolean> {
  const { rows } = await tx.query<{ is_blocked: boolean }>(
    `select exists (select from day_seal where day >= $1::date) or exists (select from transparency_queue) as is_blocked`,
    [day],
  )
  return onlyRow(rows).is_blocked
}

/** Copies the current balances. They contain every posting in the log, and may contain later ones. */
const sealBalances = (tx: Tx, day: string) =>
  tx.query(
    `insert into day_seal_account (day, account_id, version, balance)
      select $1::date, id, version, balance from ledger.account where version > 0 order by id`,
    [day],
  )

interface SealFacts {
  readonly log: LogPosition
  readonly day: string
  readonly until: Date
}

/** Builds the content as JSON. The leaf commits to its bytes, so it is stored as it is. */
async function readContent(tx: Tx, { log, day, until }: SealFacts): Promise<string> {
  const limits = { horizon: '$1::bigint', until: '$2::timestamptz' }
  const rowsSql = sealedRows.map(
    ({ name, count, digest }) =>
      `'${name}', jsonb_build_object('count', ${count(limits)}${digest ? `, 'digest', ${digest(limits)}` : ''})`,
  )
  const tablesSql = growingTables.map((table) => `'${table}', (select count(*) from ${table})`)
  const { rows } = await tx.query<{ content: object }>(
    `select jsonb_build_object(
        'cluster', (select system_identifier::text from pg_control_system()),
        'balances', jsonb_build_object(
          'count', (select count(*) from day_seal_account where day = $3::date),
          'entries', (select coalesce(sum(version), 0) from day_seal_account where day = $3::date),
          'digest', ${balancesDigestSql('$3::date')}),
        'sums', (select coalesce(jsonb_object_agg(kind || ' ' || currency, sum), '{}') from (
          select a.kind, a.currency, sum(s.balance)::text as sum
            from day_seal_account s join ledger.account a on a.id = s.account_id where s.day = $3::date group by 1, 2) as sums),
        'rows', jsonb_build_object(${rowsSql.join(', ')}),
        'tables', jsonb_build_object(${tablesSql.join(', ')})) as content`,
    [log.position, until, day],
  )
  return JSON.stringify({
    version: 1,
    day,
    size: log.size,
    horizon: log.position,
    until: until.toISOString(),
    ...onlyRow(rows).content,
  })
}

/** Keeps the balances from which the next audit starts, and later ones. */
const deleteOldBalances = (tx: Tx, day: string) =>
  tx.query(
    `delete from day_seal_account where day < greatest($1::date - ${keptDays}, (
      select max(s.day) from day_seal s
       where s.sealed_at <= (select max(started_at) from audit_run where broken = 0)))`,
    [day],
  )
