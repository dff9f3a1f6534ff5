// Counts an operation's statements and rows read, which do not depend on the machine.

import type pg from 'pg'
import type { StatementLog } from './statement-log.ts'

export interface Counts {
  /** Statements sent per operation, grouped by text. */
  readonly statements: ReadonlyMap<string, number>
  /**
   * Rows read per operation, by table: live rows from table and index scans, including those in functions and triggers.
   */
  readonly rows: ReadonlyMap<string, number>
}

export interface Counter {
  readonly log: StatementLog
  /** Connection pool of the owner, whose statements are not counted. */
  readonly pool: pg.Pool
}

export const sumCounts = (counts: ReadonlyMap<string, number>): number => {
  let sum = 0
  for (const count of counts.values()) sum += count
  return sum
}

/** Returns the counts per operation of `run`, which performs `operations` operations. */
export async function countPerOperation(
  { log, pool }: Counter,
  operations: number,
  run: () => Promise<unknown>,
): Promise<Counts> {
  await log.take()
  await log.flushStatistics()
  const readsBefore = await readTables(pool)
  await run()
  const statementsByText = Map.groupBy(await log.take(), (statement) => statement)
  await log.flushStatistics()
  const readsAfter = await readTables(pool)
  const rows = [...readsAfter].map(([table, readCount]): [string, number] => [
    table,
    (readCount - (readsBefore.get(table) ?? 0)) / operations,
  ])
  return {
    statements: new Map([...statementsByText].map(([statement, all]) => [statement, all.length / operations])),
    rows: new Map(rows.filter(([, readCount]) => readCount > 0)),
  }
}

/** Returns rows read so far, by table of the product. */
async function readTables(pool: pg.Pool): Promise<Map<string, number>> {
  const { rows } = await pool.query<{ name: string; readCount: string }>(
    `select relname as name, (seq_tup_read + coalesce(idx_tup_fetch, 0))::text as "readCount"
       from pg_stat_user_tables where schemaname in ('public', 'ledger')`,
  )
  return new Map(rows.map(({ name, readCount }) => [name, Number(readCount)]))
}

export function describeCounts({ statements, rows }: Counts): string {
  const formatLines = (counts: ReadonlyMap<string, number>) =>
    [...counts]
      .toSorted(([, one], [, other]) => other - one)
      .map(([name, count]) => `  ${count.toFixed(2).padStart(8)}  ${name.slice(0, 120)}`)
  return ['statements', ...formatLines(statements), 'rows read', ...formatLines(rows)].join('\n')
}
