// Deletes rows that are no longer needed. Money and its history stay: postings, entries, transactions, payments,
// payouts, settlement lines and reconciliation exceptions.

import type pg from 'pg'
import type { Retention, Tables } from './database/tables.ts'

const dayMs = 86_400_000
/** Rows per statement: few enough that none holds locks or retains WAL for long. */
const batchRows = 2000

/** Permanently failed jobs; scheduled tasks take over open payments and payouts. */
const jobRetention: Retention = {
  days: 30,
  clock: 'real',
  isOld: 'attempts >= max_attempts and locked_at is null and updated_at < $1',
}

/** Returns retention by table in order of deletion, referencing rows first. docs/operating.md has the same list. */
export function retentionRules(tables: Tables): Map<string, Retention> {
  const rules = Object.entries(tables).flatMap(([table, { retention }]) =>
    retention ? [[table, retention] as const] : [],
  )
  return new Map([...rules.toReversed(), ['graphile_worker._private_jobs', jobRetention]])
}

/** SQL that deletes at most $2 rows dated before $1. */
const deletionSql = (table: string, { isOld, statement }: Retention): string =>
  statement ?? `delete from ${table} where ctid = any (array(select ctid from ${table} where ${isOld} limit $2))`

interface Clocks {
  readonly now: () => Date
  readonly realNow?: () => Date
}

/** Deletes the rows of `tables` that their retention allows; returns the number of rows per table. */
export async function clearOldRows(
  pool: pg.Pool,
  tables: Tables,
  { now, realNow = () => new Date() }: Clocks,
): Promise<Record<string, number>> {
  const clearedCounts: Record<string, number> = {}
  for (const [table, retention] of retentionRules(tables)) {
    const at = retention.clock === 'product' ? now() : realNow()
    const deleteBefore = new Date(at.getTime() - retention.days * dayMs)
    clearedCounts[table] = 0
    for (;;) {
      const { rowCount } = await pool.query(deletionSql(table, retention), [deleteBefore, batchRows])
      clearedCounts[table] += rowCount ?? 0
      if ((rowCount ?? 0) < batchRows) break
    }
  }
  return clearedCounts
}
