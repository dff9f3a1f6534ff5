// Gauges of the platform: database connections, background jobs and the last audit.

import type pg from 'pg'
import type { DatabaseWatch } from '../database/database-watch.ts'
import { onlyRow } from '../database/db.ts'
import type { Metrics } from '../runtime/metrics.ts'

async function readJobs(pool: pg.Pool): Promise<Record<'waiting' | 'running' | 'failed', number>> {
  const { rows } = await pool.query<{ waiting: number; running: number; failed: number }>(
    `select count(*) filter (where locked_at is null and attempts < max_attempts and run_at <= now())::int as waiting,
        count(*) filter (where locked_at is not null)::int as running,
        count(*) filter (where locked_at is null and attempts >= max_attempts)::int as failed
       from graphile_worker._private_jobs`,
  )
  return onlyRow(rows)
}

async function readAudit(pool: pg.Pool): Promise<{ readonly seconds: number | null; readonly broken: number | null }> {
  const { rows } = await pool.query<{ seconds: number | null; broken: number | null }>(
    `select extract(epoch from now() - finished_at)::float8 as seconds, broken
       from (select 1) as always left join audit_run on true order by finished_at desc nulls last limit 1`,
  )
  return onlyRow(rows)
}

interface PlatformParts {
  readonly pool: pg.Pool
  readonly databaseWatch: Pick<DatabaseWatch, 'whileThere'>
}

export function watchPlatform(metrics: Metrics, { pool, databaseWatch }: PlatformParts): void {
  metrics.watchEach('tern_database_connections', 'Connections of this process to the database', 'state', () => ({
    open: pool.totalCount,
    idle: pool.idleCount,
    waiting: pool.waitingCount,
  }))
  metrics.watchEach('tern_jobs', 'Background jobs', 'state', () => databaseWatch.whileThere(() => readJobs(pool)))
  metrics.watch('tern_audit_age_seconds', 'Time since the last audit; NaN where there was none', async () => {
    const { seconds } = await databaseWatch.whileThere(() => readAudit(pool))
    return seconds ?? Number.NaN
  })
  metrics.watch('tern_audit_broken_checks', 'Checks that the last audit found broken', async () => {
    const { broken } = await databaseWatch.whileThere(() => readAudit(pool))
    return broken ?? Number.NaN
  })
}
