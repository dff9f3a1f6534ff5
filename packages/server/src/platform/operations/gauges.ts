// Gauges of the platform: database connections, background jobs and the last audit.

import type pg from 'pg'
import type { DatabaseWatch } from '../database/database-watch.ts'
import { readOutcomes, type Replicas } from '../database/replicas/replicas.ts'
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

/** Seconds for which the oldest waiting job has been due; 0 if none waits. Jobs between two attempts are not due. */
async function readOldestDueSeconds(pool: pg.Pool): Promise<number> {
  const { rows } = await pool.query<{ seconds: number }>(
    `select greatest(0, coalesce(extract(epoch from now() - min(run_at)), 0))::float8 as seconds
       from graphile_worker._private_jobs where locked_at is null and attempts < max_attempts and run_at <= now()`,
  )
  return onlyRow(rows).seconds
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
  readonly databaseWatch: Pick<DatabaseWatch, 'whileThere' | 'unavailableReason'>
}

export function watchPlatform(metrics: Metrics, { pool, databaseWatch }: PlatformParts): void {
  metrics.watchPool('main', pool)
  metrics.watch({ name: 'tern_database_up', help: '1 while the database answers this process' }, () =>
    databaseWatch.unavailableReason() === undefined ? 1 : 0,
  )
  metrics.watchEach({ name: 'tern_jobs', help: 'Background jobs', label: 'state', isShared: true }, () =>
    databaseWatch.whileThere(() => readJobs(pool)),
  )
  metrics.watch(
    { name: 'tern_job_oldest_due_seconds', help: 'Time for which the oldest waiting job has been due', isShared: true },
    () => databaseWatch.whileThere(() => readOldestDueSeconds(pool)),
  )
  metrics.watch(
    { name: 'tern_audit_age_seconds', help: 'Time since the last audit; NaN where there was none', isShared: true },
    async () => (await databaseWatch.whileThere(() => readAudit(pool))).seconds ?? Number.NaN,
  )
  metrics.watch(
    { name: 'tern_audit_broken_checks', help: 'Checks that the last audit found broken', isShared: true },
    async () => (await databaseWatch.whileThere(() => readAudit(pool))).broken ?? Number.NaN,
  )
}

/** Registers what a process that reads from replicas knows about them. */
export function watchReplicas(metrics: Metrics, replicas: Pick<Replicas, 'lagSeconds' | 'usable'>): void {
  for (const outcome of readOutcomes) metrics.replicaReads.inc({ outcome }, 0)
  metrics.watchEach(
    { name: 'tern_replica_usable', help: '1 while a replica is read: connected and nearly current', label: 'replica' },
    () => replicas.usable(),
  )
  metrics.watchEach(
    {
      name: 'tern_replica_lag_seconds',
      help: 'Time until a replica shows what the primary has committed; absent without a connection',
      label: 'replica',
    },
    () => replicas.lagSeconds(),
  )
}
