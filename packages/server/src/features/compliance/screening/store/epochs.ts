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

/** A change of lists or matcher. */
export interface Epoch {
  /** 0 before the first import. */
  readonly number: number
  /** The newest matcher that has screened people. */
  readonly matcherVersion: number | undefined
  /** Told apart from every other, also from one of the same number in a database that was restored. */
  readonly key: string
}

/** The key of the newest one, null before the first import. */
export const epochKeySql = `(select number || ' ' || extract(epoch from begun_at) from screening_epoch order by number desc limit 1)`

/** The newest change of lists or matcher. */
export async function currentEpoch(db: Queryable): Promise<Epoch> {
  const { rows } = await db.query<{ number: number; matcher_version: number; key: string }>({
    name: 'screening_epoch',
    text: `select number, matcher_version, ${epochKeySql} as key from screening_epoch order by number desc limit 1`,
  })
  return { number: rows[0]?.number ?? 0, matcherVersion: rows[0]?.matcher_version, key: rows[0]?.key ?? '' }
}
