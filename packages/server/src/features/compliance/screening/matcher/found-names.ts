import type { Db } from '../../../../platform/database/db.ts'
import type { NameKind } from '../lists/entry.ts'
import { epochKeySql } from '../store/epochs.ts'
import type { ScreeningEntryRow, ScreeningNameRow } from '../../row-types.ts'

/** Listed name with its entry and list. */
export type FoundName = Pick<ScreeningNameRow, 'name'> &
  Pick<ScreeningEntryRow, 'source' | 'reference' | 'programme' | 'birth_dates' | 'countries' | 'content_hash'> & {
    readonly name_id: bigint
    readonly name_kind: NameKind
    readonly entry_id: string
    readonly list_version: number
  }

/** Returns those of the listed names that are in force, ordered by id, and the key of the epoch. */
export async function readFoundNames(
  db: Db,
  ids: readonly bigint[],
): Promise<{ epochKey: string; names: FoundName[] }> {
  const { rows } = await db.query<FoundName & { epoch_key: string }>({
    name: 'screening_found_names',
    text: `select n.id as name_id, n.name, n.kind as name_kind, e.id as entry_id, e.source, e.reference, e.programme,
               e.birth_dates, e.countries, e.content_hash, ${epochKeySql} as epoch_key,
               (select max(version) from screening_list l where l.source = e.source) as list_version
             from screening_name n join screening_entry e on e.id = n.entry_id
            where n.id = any($1::bigint[]) and e.ended_version is null order by n.id`,
    values: [ids.map(String)],
  })
  return { epochKey: rows[0]?.epoch_key ?? '', names: rows }
}
