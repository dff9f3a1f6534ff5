import { only, type Db } from '../../../platform/database/db.ts'

type UnendedStatus = 'held' | 'pending' | 'needs_review'

export async function countUnendedPayouts(db: Db): Promise<Record<UnendedStatus, number>> {
  const { rows } = await db.query<Record<UnendedStatus, number>>(
    `select count(*) filter (where status = 'held')::int as held, count(*) filter (where status = 'pending')::int as pending,
        count(*) filter (where status = 'needs_review')::int as needs_review
       from payout where status in ('held', 'pending', 'needs_review')`,
  )
  return only(rows)
}

/** Age of the oldest payout that has not ended; 0 without one. */
export async function readOldestPayoutSeconds(db: Db, now: Date): Promise<number> {
  const { rows } = await db.query<{ seconds: number }>(
    `select coalesce(extract(epoch from $1 - min(created_at)), 0)::float8 as seconds
       from payout where status in ('held', 'pending', 'needs_review')`,
    [now],
  )
  return only(rows).seconds
}
