import type { Db, Tx } from '../../../../platform/database/db.ts'
import { newId } from '../../../../platform/ids.ts'
import type { ListSource } from '../lists/entry.ts'
import type { ScreeningMatch } from '../matcher/screening.ts'

/** Stored match. `ended`: the entry was delisted, or the name no longer fits. */
export interface StoredMatch {
  readonly id: string
  readonly userId: bigint
  readonly entryId: string
  readonly status: 'open' | 'cleared' | 'ended'
  readonly score: number
  readonly tier: 'review' | 'hold'
  readonly source: ListSource
  readonly reference: string
  readonly listedName: string
  readonly listVersion: number
  readonly foundAt: Date
}

/** Owner of matches, and the hash of the details that were compared. */
export interface MatchSubject {
  readonly owner:
    | { readonly column: 'user_id'; readonly id: bigint }
    | { readonly column: 'counterparty_id'; readonly id: string }
  readonly personHash: string
  readonly at: Date
}

/**
 * Stores the matches of a person or counterparty, one per entry. A cleared match reopens only if the entry or the
 * compared details have changed. Open matches that were not found again end.
 */
export async function storeMatches(
  tx: Tx,
  { owner: { column, id }, personHash, at }: MatchSubject,
  matches: readonly ScreeningMatch[],
): Promise<void> {
  for (const match of matches) {
    await tx.query(
      `insert into screening_match as known (id, ${column}, entry_id, status, score_basis_points, tier, listed_name,
           list_version, birth_date_evidence, country_evidence, entry_hash, person_hash, found_at)
         values ($1, $2, $3, 'open', $4, $5, $6, $7, $8, $9, $10, $11, $12)
       on conflict (${column}, entry_id) do update set score_basis_points = excluded.score_basis_points,
         tier = excluded.tier, listed_name = excluded.listed_name, list_version = excluded.list_version,
         birth_date_evidence = excluded.birth_date_evidence, country_evidence = excluded.country_evidence,
         entry_hash = excluded.entry_hash, person_hash = excluded.person_hash,
         found_at = case known.status when 'open' then known.found_at else excluded.found_at end,
         status = 'open', closed_at = null, cleared_by = null
         where known.status <> 'cleared' or known.entry_hash <> excluded.entry_hash or known.person_hash <> excluded.person_hash`,
      [
        newId(at),
        id,
        match.entryId,
        match.score,
        match.tier,
        match.listedName,
        match.listVersion,
        match.evidence.birthDate,
        match.evidence.country,
        match.entryHash,
        personHash,
        at,
      ],
    )
  }
  await tx.query(
    `update screening_match set status = 'ended', closed_at = $3
      where ${column} = $1 and status = 'open' and entry_id <> all($2::uuid[])`,
    [id, matches.map(({ entryId }) => entryId), at],
  )
}

/** Returns a user's open matches, highest score first. */
export async function readOpenMatches(db: Db, userId: bigint): Promise<StoredMatch[]> {
  const { rows } = await db.query<StoredMatch>(
    `select m.id, m.user_id as "userId", m.entry_id as "entryId", m.status, m.score_basis_points as score, m.tier,
         e.source, e.reference, m.listed_name as "listedName", m.list_version as "listVersion", m.found_at as "foundAt"
       from screening_match m join screening_entry e on e.id = m.entry_id
      where m.user_id = $1 and m.status = 'open' order by m.score_basis_points desc, m.id`,
    [userId],
  )
  return rows
}
