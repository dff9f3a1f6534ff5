import type { Queryable } from '../../../../platform/database/db.ts'
import type { EntryKind, ListSource, NameKind } from '../lists/entry.ts'

/** A listed name that shares enough groups of three letters with the name asked for. */
export interface Candidate {
  readonly entry_id: string
  readonly name: string
  readonly kind: NameKind
  readonly words: string
  readonly spellings: string
  readonly consonants: string
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

const mostCandidates = 400

const candidatesBy = (column: 'spellings' | 'consonants') => ({
  name: `screening_candidates_${column}`,
  text: `select entry_id, name, kind, words, spellings, consonants from screening_name
          where ${column} % $1 order by similarity(${column}, $1) desc limit ${mostCandidates}`,
})

/**
 * Listed names whose spellings are alike by a trigram similarity of 0.3 or more, and whose consonants are where the name
 * is written without vowels. The most alike, at most 400 each.
 */
export async function findCandidates(
  db: Queryable,
  { spellings, consonants }: { spellings: string; consonants: string },
  byConsonants: boolean,
): Promise<Candidate[]> {
  const { rows } = await db.query<Candidate>({ ...candidatesBy('spellings'), values: [spellings] })
  if (!byConsonants) return rows
  const { rows: others } = await db.query<Candidate>({ ...candidatesBy('consonants'), values: [consonants] })
  return [...rows, ...others]
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
