import type pg from 'pg'
import type { Queryable } from '../../../../platform/database/db.ts'
import type { ListSource } from '../lists/entry.ts'
import { type Candidate, type CandidateEntry, findCandidates, readEntries } from './candidates.ts'
import { compareBirthDates, compareCountries, type Evidence } from './evidence.ts'
import { type ComparedName, holdFrom, reviewFrom, scoreOf, type WordWeight } from '../names/score.ts'
import { isBare, storedForms } from '../store/stored-names.ts'
import { createWordWeights } from './word-weights.ts'

/** Who is looked for: every name they are known by, and what else is known of them. */
export interface ScreenedPerson {
  readonly names: readonly string[]
  /** YYYY-MM-DD. */
  readonly birthDate?: string | undefined
  /** Country of residence or nationality, by name or ISO 3166-1 alpha-2 code. */
  readonly country?: string | undefined
}

/** A listed entry that may mean the person. */
export interface ScreeningMatch {
  readonly source: ListSource
  /** The version of the list that is in force. */
  readonly listVersion: number
  readonly entryId: string
  /** The publisher's identifier. */
  readonly reference: string
  readonly programme: string
  /** The listed name that fits best. */
  readonly listedName: string
  /** In basis points, from 8500 (`review`) and from 9500 (`hold`). */
  readonly score: number
  readonly tier: 'review' | 'hold'
  readonly evidence: Evidence
  /** Identifies what the entry says. */
  readonly entryHash: string
}

export interface ScreeningResult {
  /** The most likely first; birth date and country decide between equal scores, and clear nobody. */
  readonly matches: readonly ScreeningMatch[]
}

const compared = (
  { words, spellings, consonants }: Pick<Candidate, 'words' | 'spellings' | 'consonants'>,
  bare: boolean,
): ComparedName => ({
  words: words.split(' '),
  spellings: spellings.split(' '),
  consonants: consonants.split(' '),
  isBare: bare,
})

// Of a short name, two typing errors leave too few groups of three letters.
const shortName = 14

/** A name by itself that its publisher calls weak identifies nobody, so no money is held because of it. */
const highestOfWeak = holdFrom - 1

/** The best name of each entry that reaches `review`, found for one of the person's names. */
async function bestNames(
  db: Queryable,
  names: readonly string[],
  weightOf: WordWeight,
): Promise<Map<string, { name: string; score: number }>> {
  const best = new Map<string, { name: string; score: number }>()
  for (const name of new Set(names)) {
    const forms = storedForms(name)
    if (forms.words === '') continue
    const own = compared(forms, isBare(name))
    for (const candidate of await findCandidates(db, forms, own.isBare || forms.words.length <= shortName)) {
      const fit = scoreOf(own, compared(candidate, false), weightOf)
      const score = candidate.kind === 'weak' ? Math.min(fit, highestOfWeak) : fit
      if (score < reviewFrom || score <= (best.get(candidate.entry_id)?.score ?? 0)) continue
      best.set(candidate.entry_id, { name: candidate.name, score })
    }
  }
  return best
}

const rankOf = ({ score, evidence }: ScreeningMatch): number => {
  const birth = { same: 3, close: 2, not_given: 1, differs: 0 }[evidence.birthDate]
  const country = { same: 2, not_given: 1, differs: 0 }[evidence.country]
  return score * 100 + birth * 10 + country
}

function matchOf(
  entry: CandidateEntry,
  { name, score }: { name: string; score: number },
  person: ScreenedPerson,
): ScreeningMatch {
  return {
    source: entry.source,
    listVersion: entry.list_version,
    entryId: entry.id,
    reference: entry.reference,
    programme: entry.programme,
    listedName: name,
    score,
    tier: score >= holdFrom ? 'hold' : 'review',
    evidence: {
      birthDate: compareBirthDates(person.birthDate, entry.birth_dates),
      country: compareCountries(person.country, entry.countries),
    },
    entryHash: entry.content_hash,
  }
}

/** Compares people with the lists in force in the database of `pool`. */
export function createScreening({ pool }: { readonly pool: pg.Pool }) {
  const weights = createWordWeights()
  return {
    /**
     * All entries in force that may mean a person: by any of their names and any listed one. Reads the lists in `db`, by
     * default outside any transaction. Nobody is cleared because their birth date or country differs.
     */
    async screen(person: ScreenedPerson, db: Queryable = pool): Promise<ScreeningResult> {
      const best = await bestNames(db, person.names, await weights.read(db))
      if (best.size === 0) return { matches: [] }
      const entries = await readEntries(db, [...best.keys()])
      const matches = entries.flatMap((entry) => {
        const name = best.get(entry.id)
        return name ? [matchOf(entry, name, person)] : []
      })
      return { matches: matches.toSorted((a, b) => rankOf(b) - rankOf(a)) }
    },
  }
}

export type Screening = ReturnType<typeof createScreening>
