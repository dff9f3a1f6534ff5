import type { Queryable, Tx } from '../../../../platform/database/db.ts'
import { matcherVersion } from '../names/score.ts'

/** Imports and changes of the matcher happen one after the other. */
export async function lockLists(tx: Tx): Promise<void> {
  await tx.query(`select pg_advisory_xact_lock(hashtextextended('screening_lists', 0))`)
}

/** From here on everybody is due to be screened again. Under `lockLists`. */
export async function beginEpoch(tx: Tx, cause: 'import' | 'matcher', at: Date): Promise<void> {
  await tx.query(
    `insert into screening_epoch (number, cause, matcher_version, begun_at)
       select coalesce(max(number), 0) + 1, $1, $2, $3 from screening_epoch`,
    [cause, matcherVersion, at],
  )
}

/** The newest change of lists or matcher, 0 before the first import, and the matcher that folded the stored names. */
export async function currentEpoch(db: Queryable): Promise<{ number: number; matcherVersion: number | undefined }> {
  const { rows } = await db.query<{ number: number; matcher_version: number }>(
    'select number, matcher_version from screening_epoch order by number desc limit 1',
  )
  return { number: rows[0]?.number ?? 0, matcherVersion: rows[0]?.matcher_version }
}
