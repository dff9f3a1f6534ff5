import type { Db, Tx } from '../../../../platform/database/db.ts'
import { matcherVersion } from '../names/score.ts'
import type { ScreeningEpochRow } from '../../row-types.ts'

/** Serializes imports and changes of the matcher until the transaction ends. */
export async function lockLists(tx: Tx): Promise<void> {
  await tx.query(`select pg_advisory_xact_lock(hashtextextended('screening_lists', 0))`)
}

interface NewEpoch {
  readonly cause: 'import' | 'matcher'
  /** Whether the epoch ends a period in which a required list was missing or stale. */
  readonly endsGap: boolean
  readonly at: Date
}

/** Begins an epoch, which makes everyone due for screening. Call `lockLists` first. */
export async function beginEpoch(tx: Tx, { cause, endsGap, at }: NewEpoch): Promise<void> {
  await tx.query(
    `insert into screening_epoch (number, cause, matcher_version, ends_gap, begun_at)
       select coalesce(max(number), 0) + 1, $1, $2, $3, $4 from screening_epoch`,
    [cause, matcherVersion, endsGap, at],
  )
}

/** Returns whether a required list is missing or stale. */
export async function hasListGap(tx: Tx, at: Date): Promise<boolean> {
  const { rowCount } = await tx.query(
    `select from screening_policy p left join lateral (
         select checked_at from screening_list where source = p.source order by version desc limit 1) l on true
      where p.is_required and coalesce(l.checked_at + make_interval(hours => p.max_age_hours) < $1, true) limit 1`,
    [at],
  )
  return rowCount === 1
}

export interface Epoch {
  /** 0 before the first import. */
  readonly number: number
  /** Version of the matcher that began the epoch; undefined before the first import. */
  readonly matcherVersion: number | undefined
  /** Unique even in a restored database that has an epoch of the same number. */
  readonly key: string
}

/** SQL: key of the newest epoch; null before the first import. */
export const epochKeySql = `(select number || ' ' || extract(epoch from begun_at) from screening_epoch order by number desc limit 1)`

export async function currentEpoch(db: Db): Promise<Epoch> {
  const { rows } = await db.query<Pick<ScreeningEpochRow, 'number' | 'matcher_version'> & { readonly key: string }>({
    name: 'screening_epoch',
    text: `select number, matcher_version, ${epochKeySql} as key from screening_epoch order by number desc limit 1`,
  })
  return { number: rows[0]?.number ?? 0, matcherVersion: rows[0]?.matcher_version, key: rows[0]?.key ?? '' }
}
