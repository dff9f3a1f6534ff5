import type { Gauge } from '../../manifests/feature.ts'
import { type Db, onlyRow } from '../../platform/database/db.ts'
import { countExceptions } from './records/reconciliation-exceptions.ts'

export const paymentGauges: readonly Gauge[] = [
  {
    name: 'tern_payouts',
    help: 'Payouts that have not ended',
    label: 'status',
    read: ({ pool }) => countUnendedPayouts(pool),
  },
  {
    name: 'tern_payout_oldest_seconds',
    help: 'Age of the oldest payout that has not ended',
    read: ({ pool, now }) => readOldestPayoutSeconds(pool, now()),
  },
  {
    name: 'tern_reconciliation_exceptions',
    help: 'Open reconciliation exceptions',
    label: 'state',
    read: ({ pool, now }) => countExceptions(pool, now()),
  },
  {
    name: 'tern_reconciliation_age_seconds',
    help: "Time since a comparison with a provider's records was complete; without a provider that was never compared",
    label: 'provider',
    read: ({ pool, now }) => readReconciliationAges(pool, now()),
  },
]

type OpenStatus = 'held' | 'pending' | 'needs_review'

async function countUnendedPayouts(db: Db): Promise<Record<OpenStatus, number>> {
  const { rows } = await db.query<Record<OpenStatus, number>>(
    `select count(*) filter (where status = 'held')::int as held, count(*) filter (where status = 'pending')::int as pending,
        count(*) filter (where status = 'needs_review')::int as needs_review
       from payout where status in ('held', 'pending', 'needs_review')`,
  )
  return onlyRow(rows)
}

/** Age of the oldest payout that has not ended; 0 without one. */
async function readOldestPayoutSeconds(db: Db, now: Date): Promise<number> {
  const { rows } = await db.query<{ seconds: number }>(
    `select coalesce(extract(epoch from $1 - min(created_at)), 0)::float8 as seconds
       from payout where status in ('held', 'pending', 'needs_review')`,
    [now],
  )
  return onlyRow(rows).seconds
}

/** Age of the last complete comparison by provider. */
async function readReconciliationAges(db: Db, now: Date): Promise<Record<string, number>> {
  const { rows } = await db.query<{ provider: string; seconds: number }>(
    `select provider, extract(epoch from $1 - max(finished_at))::float8 as seconds
       from reconciliation_run where unresolved = 0 group by provider`,
    [now],
  )
  return Object.fromEntries(rows.map(({ provider, seconds }) => [provider, seconds]))
}
