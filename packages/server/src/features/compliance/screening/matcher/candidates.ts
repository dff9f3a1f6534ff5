import type { Queryable } from '../../../../platform/database/db.ts'
import type { EntryKind, ListSource, NameKind } from '../lists/entry.ts'

/** A listed name that shares enough groups of three letters with the name asked for. */
export interface Candidate {
  readonly entry_id: string
  readonly name: string
  readonly kind: NameKind
  readonly words: string
  readonly spellings: string
}

/** Entries of which names are candidates, as they are in force. */
export interface CandidateEntry {
  readonly id: string
  readonly source: ListSource
  readonly reference: string
  readonly kind: EntryKind
  readonly programme: string
  readonly birth_dates: string[]
  readonly countries: string[]
  readonly content_hash: string
  readonly list_version: number
}

/** Listed names whose spellings or consonants are alike by a trigram similarity of 0.3 or more. */
export async function findCandidates(
  db: Queryable,
  { spellings, consonants }: { spellings: string; consonants: string },
): Promise<Candidate[]> {
  const { rows } = await db.query<Candidate>({
    name: 'screening_candidates',
    text: `select entry_id, name, kind, words, spellings from screening_name
            where spellings % $1 or (length($2) > 4 and consonants % $2)`,
    values: [spellings, consonants],
  })
  return rows
}

/** Those of the entries that are in force. */
export async function readEntries(db: Queryable, ids: readonly string[]): Promise<CandidateEntry[]> {
  const { rows } = await db.query<CandidateEntry>({
    name: 'screening_entries',
    text: `select id, source, reference, kind, programme, birth_dates, countries, content_hash,
               (select max(version) from screening_list l where l.source = e.source) as list_version
             from screening_entry e where id = any($1::uuid[]) and ended_version is null`,
    values: [ids],
  })
  return rows
}
