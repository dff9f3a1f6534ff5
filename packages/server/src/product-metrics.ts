// Gauges about the product's state, read from the database when they are asked for.

import type pg from 'pg'
import { heldBackFixes } from './features/exchange/exchange.ts'
import type { Position } from './features/treasury/treasury.ts'
import type { Metrics } from './platform/runtime/metrics.ts'
import type { Product } from './product.ts'

async function readOne<R extends pg.QueryResultRow>(pool: pg.Pool, text: string, values: unknown[] = []): Promise<R> {
  const { rows } = await pool.query<R>(text, values)
  const [row] = rows
  if (row === undefined) throw new Error('a gauge found no row')
  return row
}

const readJobs = (pool: pg.Pool) =>
  readOne<{ waiting: number; running: number; failed: number }>(
    pool,
    `select count(*) filter (where locked_at is null and attempts < max_attempts and run_at <= now())::int as waiting,
        count(*) filter (where locked_at is not null)::int as running,
        count(*) filter (where locked_at is null and attempts >= max_attempts)::int as failed
       from graphile_worker._private_jobs`,
  )

const readExceptions = (pool: pg.Pool, now: Date) =>
  readOne<{ new: number; taken_up: number; overdue: number }>(
    pool,
    `select count(*) filter (where reported_at is null)::int as new,
        count(*) filter (where taken_up_at is not null and (taken_up_until is null or taken_up_until > $1))::int as taken_up,
        count(*) filter (where reported_at is not null
          and (taken_up_at is null or taken_up_until <= $1))::int as overdue
       from reconciliation_exception where closed_at is null`,
    [now],
  )

const readPayouts = (pool: pg.Pool, now: Date) =>
  readOne<{ held: number; pending: number; needs_review: number; oldest: number }>(
    pool,
    `select count(*) filter (where status = 'held')::int as held, count(*) filter (where status = 'pending')::int as pending,
        count(*) filter (where status = 'needs_review')::int as needs_review,
        coalesce(extract(epoch from $1 - min(created_at)), 0)::float8 as oldest
       from payout where status in ('held', 'pending', 'needs_review')`,
    [now],
  )

const readAudit = (pool: pg.Pool) =>
  readOne<{ seconds: number | null; broken: number | null }>(
    pool,
    `select extract(epoch from now() - finished_at)::float8 as seconds, broken
       from (select 1) as always left join audit_run on true order by finished_at desc nulls last limit 1`,
  )

/** An amount in cents as a gauge. */
const wholeDollars = (usdMinor: bigint): number => Number(usdMinor / 100n) // not money: for an alarm

/** The share of the tighter limit that the position takes with everything that is promised; NaN where none is known. */
function limitUsed({ position, incoming, outgoing, limits }: Position): number {
  if (!limits) return Number.NaN
  const share = (used: bigint, limit: bigint) =>
    used <= 0n ? 0 : limit === 0n ? 1 : Number((used * 1000n) / limit) / 1000 // not money: a share, for an alarm
  return Math.max(share(position + incoming, limits.long), share(outgoing - position, limits.short))
}

/** Adds the gauges of the operator's own positions. */
function watchDesk(
  metrics: Metrics,
  { databaseWatch, treasury, now }: Pick<Product, 'databaseWatch' | 'treasury' | 'now'>,
): void {
  const read = <T>(work: () => Promise<T>) => databaseWatch.whileThere(work)
  metrics.watchEach(
    'tern_position_usd',
    "The desk's position in US dollars; NaN without a rate",
    'currency',
    async () => {
      const positions = await read(treasury.positions)
      return Object.fromEntries(
        positions.map(({ currency, usdMinor }) => [
          currency,
          usdMinor === undefined ? Number.NaN : wholeDollars(usdMinor),
        ]),
      )
    },
  )
  metrics.watchEach(
    'tern_position_limit_used',
    'How much of its limit a position may use up, from 0 to 1',
    'currency',
    async () => {
      const positions = await read(treasury.positions)
      return Object.fromEntries(positions.map((position) => [position.currency, limitUsed(position)]))
    },
  )
  metrics.watch('tern_locked_usd', 'What is locked at open prices, in US dollars', async () => {
    const { usdMinor } = await read(treasury.lockedValue)
    return wholeDollars(usdMinor)
  })
  metrics.watch(
    'tern_treasury_order_oldest_seconds',
    'Age of the oldest order to a venue without an answer',
    async () => {
      const [oldest] = await read(treasury.openOrders)
      return oldest ? (now().getTime() - oldest.created_at.getTime()) / 1000 : 0
    },
  )
}

/** Adds the gauges of cases, and of the lists that people are screened against. */
function watchCompliance(
  metrics: Metrics,
  { databaseWatch, compliance, cases, now }: Pick<Product, 'databaseWatch' | 'compliance' | 'cases' | 'now'>,
): void {
  metrics.watch('tern_cases_escalated', 'Open cases and objections that nobody decided in time', async () => {
    // not money: a count
    return Number(await databaseWatch.whileThere(cases.countEscalated))
  })
  const read = () => databaseWatch.whileThere(compliance.listStatus)
  metrics.watchEach(
    'tern_screening_list_age_seconds',
    'Time since the files of a list were last given; NaN where they never were',
    'source',
    async () => {
      const ages = (await read()).map(({ source, checkedAt }) => [
        source,
        checkedAt ? (now().getTime() - checkedAt.getTime()) / 1000 : Number.NaN,
      ])
      return Object.fromEntries(ages) as Record<string, number>
    },
  )
  metrics.watchEach('tern_screening_fetch_failed', '1 for a list whose newest fetch failed', 'source', async () => {
    const failures = await databaseWatch.whileThere(compliance.fetchFailures)
    return Object.fromEntries(failures.map(({ source }) => [source, 1]))
  })
  metrics.watch('tern_screening_closed', '1 while lists are too old for anybody to be verified or paid', async () =>
    (await databaseWatch.whileThere(compliance.lists.tooOld)).length > 0 ? 1 : 0,
  )
  metrics.watchEach('tern_screening_list_stale', '1 for a list that is missing or too old', 'source', async () =>
    Object.fromEntries((await read()).map(({ source, isStale }) => [source, isStale ? 1 : 0])),
  )
}

/** Adds the gauges that operators watch; each is NaN where it cannot be read. docs/operating.md lists them. */
export function watchProduct(
  metrics: Metrics,
  { pool, databaseWatch, exchange, treasury, notifications, compliance, cases, disputes, now }: Product,
): void {
  const read = <T>(work: () => Promise<T>) => databaseWatch.whileThere(work)
  metrics.watchEach('tern_database_connections', 'Connections of this process to the database', 'state', () => ({
    open: pool.totalCount,
    idle: pool.idleCount,
    waiting: pool.waitingCount,
  }))
  metrics.watchEach('tern_jobs', 'Background jobs', 'state', () => read(() => readJobs(pool)))
  metrics.watch('tern_mail_waiting_seconds', 'How long the oldest waiting mail has been waiting', () =>
    read(notifications.waitingSeconds),
  )
  metrics.watchEach('tern_payouts', 'Payouts that have not ended', 'status', async () => {
    const { oldest: _oldest, ...counts } = await read(() => readPayouts(pool, now()))
    return counts
  })
  metrics.watch('tern_payout_oldest_seconds', 'Age of the oldest payout that has not ended', async () => {
    const { oldest } = await read(() => readPayouts(pool, now()))
    return oldest
  })
  metrics.watchEach('tern_reconciliation_exceptions', 'Open reconciliation exceptions', 'state', () =>
    read(() => readExceptions(pool, now())),
  )
  metrics.watch('tern_rates_age_seconds', 'Age of the exchange rates in use; NaN where none are known', () =>
    exchange.ratesAgeSeconds(),
  )
  metrics.watch('tern_rates_held_back', 'Pairs whose newest rate jumped and waits for an operator', async () => {
    const { length: pairs } = await read(() => heldBackFixes(pool))
    return pairs
  })
  watchDesk(metrics, { databaseWatch, treasury, now })
  watchCompliance(metrics, { databaseWatch, compliance, cases, now })
  metrics.watch('tern_disputes_overdue', 'Disputes and objections that nobody decided in time', () =>
    read(disputes.overdue),
  )
  metrics.watch('tern_audit_age_seconds', 'Time since the last audit; NaN where there was none', async () => {
    const { seconds } = await read(() => readAudit(pool))
    return seconds ?? Number.NaN
  })
  metrics.watch('tern_audit_broken_checks', 'Checks that the last audit found broken', async () => {
    const { broken } = await read(() => readAudit(pool))
    return broken ?? Number.NaN
  })
}
