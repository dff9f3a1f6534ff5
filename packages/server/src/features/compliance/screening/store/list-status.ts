import type { Db } from '../../../../platform/database/db.ts'
import type { LeftJoined } from '../../../../platform/database/rows.ts'
import type { ListSource } from '../lists/entry.ts'
import type { ScreeningListRow, ScreeningPolicyRow } from '../../row-types.ts'

/** Status of a source's list; `version` is undefined if it was never imported. */
export interface ListStatus {
  readonly source: ListSource
  readonly version: number | undefined
  readonly entries: number
  readonly publishedAt: Date | undefined
  readonly importedAt: Date | undefined
  /** Time of the last fetch or import of its files, changed or not. */
  readonly checkedAt: Date | undefined
  /** Never imported, or not checked within the period of `screening_policy`. */
  readonly isStale: boolean
}

/** Returns the status of every source's list, in a fixed order. */
export async function readListStatus(db: Db, at: Date): Promise<ListStatus[]> {
  const { rows } = await db.query<
    Pick<ScreeningPolicyRow, 'source'> &
      LeftJoined<Pick<ScreeningListRow, 'version' | 'entries' | 'published_at' | 'imported_at' | 'checked_at'>> & {
        readonly is_stale: boolean
      }
  >(
    `select p.source, l.version, l.entries, l.published_at, l.imported_at, l.checked_at,
        coalesce(l.checked_at + make_interval(hours => p.max_age_hours) < $1, true) as is_stale
       from screening_policy p left join lateral (
         select * from screening_list where source = p.source order by version desc limit 1) l on true
      order by array_position(array['ofac_sdn', 'ofac_consolidated', 'un', 'eu', 'uk', 'pep'], p.source)`,
    [at],
  )
  return rows.map((row) => ({
    source: row.source,
    version: row.version ?? undefined,
    entries: row.entries ?? 0,
    publishedAt: row.published_at ?? undefined,
    importedAt: row.imported_at ?? undefined,
    checkedAt: row.checked_at ?? undefined,
    isStale: row.is_stale,
  }))
}

export interface ListInForce {
  readonly source: ListSource
  readonly importedAt: Date
  readonly checkedAt: Date
  readonly entries: number
}

export async function readListsInForce(db: Db, at: Date): Promise<ListInForce[]> {
  const lists = await readListStatus(db, at)
  return lists.flatMap(({ source, importedAt, checkedAt, entries }) =>
    importedAt && checkedAt ? [{ source, importedAt, checkedAt, entries }] : [],
  )
}
