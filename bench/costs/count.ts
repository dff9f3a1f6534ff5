// Counts of an operation's statements and rows read: the same on every machine.

import type pg from 'pg'
import type { StatementLog } from './statement-log.ts'

export interface Counts {
  /** Statements sent for an operation, the same ones together. */
  readonly statements: ReadonlyMap<string, number>
  /** Rows read for an operation, by table: live rows from scans of tables and by index, in functions and triggers too. */
  readonly rows: ReadonlyMap<string, number>
}

export interface Counter {
  readonly log: StatementLog
  /** A connection of the owner, whose own statements are not counted. */
  readonly pool: pg.Pool
}

/** Sums of counts. */
export const sumOf = (counts: ReadonlyMap<string, number>): number => {
  let sum = 0
  for (const count of counts.values()) sum += count
  return sum
}

/** Counts of one operation, where `run` performs `operations` of them. */
export async function countPerOperation(
  { log, pool }: Counter,
  operations: number,
  run: () => Promise<unknown>,
): Promise<Counts> {
  await log.take()
  await log.flushStatistics()
  const before = await readTables(pool)
  await run()
  const sent = Map.groupBy(await log.take(), (statement) => statement)
  await log.flushStatistics()
  const after = await readTables(pool)
  const rows = [...after].map(([table, read]): [string, number] => [
    table,
    (read - (before.get(table) ?? 0)) / operations,
  ])
  return {
    statements: new Map([...sent].map(([statement, all]) => [statement, all.length / operations])),
    rows: new Map(rows.filter(([, read]) => read > 0)),
  }
}

/** Rows read so far, by table of the product. */
async function readTables(pool: pg.Pool): Promise<Map<string, number>> {
  const { rows } = await pool.query<{ name: string; read: string }>(
    `select relname as name, (seq_tup_read + coalesce(idx_tup_fetch, 0))::text as read
       from pg_stat_user_tables where schemaname in ('public', 'ledger')`,
  )
  return new Map(rows.map(({ name, read }) => [name, Number(read)]))
}

/** Lines that say what was counted, the most first. */
export function describeCounts({ statements, rows }: Counts): string {
  const lines = (counts: ReadonlyMap<string, number>) =>
    [...counts]
      .toSorted(([, one], [, other]) => other - one)
      .map(([name, count]) => `  ${count.toFixed(2).padStart(8)}  ${name.slice(0, 120)}`)
  return ['statements', ...lines(statements), 'rows read', ...lines(rows)].join('\n')
}
