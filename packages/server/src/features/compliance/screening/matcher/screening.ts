import type pg from 'pg'
import type { Queryable } from '../../../../platform/database/db.ts'
import type { ListSource } from '../lists/entry.ts'
import { comparedName } from '../names/compared-name.ts'
import { holdFrom, scoreOf } from '../names/score.ts'
import { createCurrentIndex } from './current-index.ts'
import { compareBirthDates, compareCountries, type Evidence } from './evidence.ts'
import { type FoundName, readFoundNames } from './found-names.ts'
import type { NameIndex } from './name-index.ts'

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

/** A name by itself that its publisher calls weak identifies nobody, so no money is held because of it. */
const highestOfWeak = holdFrom - 1

/** The scores of all listed names that fit any of the person's, by the listed name. */
function fittingNames(index: NameIndex, names: readonly string[]): Map<bigint, number> {
  const scores = new Map<bigint, number>()
  for (const name of new Set(names)) {
    for (const { id, score } of index.find(comparedName(name))) scores.set(id, Math.max(score, scores.get(id) ?? 0))
  }
  return scores
}

interface Fit {
  readonly found: FoundName
  readonly score: number
}

/** The best name of each entry. */
function bestOfEntries(found: readonly FoundName[], scores: ReadonlyMap<bigint, number>): Fit[] {
  const best = new Map<string, Fit>()
  for (const name of found) {
    const fit = scores.get(name.name_id) ?? 0
    const score = name.name_kind === 'weak' ? Math.min(fit, highestOfWeak) : fit
    if (score > (best.get(name.entry_id)?.score ?? 0)) best.set(name.entry_id, { found: name, score })
  }
  return [...best.values()]
}

const rankOf = ({ score, evidence }: ScreeningMatch): number => {
  const birth = { same: 3, close: 2, not_given: 1, differs: 0 }[evidence.birthDate]
  const country = { same: 2, not_given: 1, differs: 0 }[evidence.country]
  return score * 100 + birth * 10 + country
}

function matchOf({ found: entry, score }: Fit, person: ScreenedPerson): ScreeningMatch {
  return {
    source: entry.source,
    listVersion: entry.list_version,
    entryId: entry.entry_id,
    reference: entry.reference,
    programme: entry.programme,
    listedName: entry.name,
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
  const listed = createCurrentIndex()
  return {
    /**
     * All entries in force that may mean a person: by any of their names and any listed one. Reads which lists are in force
     * in `db`, by default outside any transaction. Nobody is cleared because their birth date or country differs.
     */
    async screen(person: ScreenedPerson, db: Queryable = pool): Promise<ScreeningResult> {
      for (;;) {
        const { epochKey, index } = await listed.current(db)
        const scores = fittingNames(index, person.names)
        if (scores.size === 0) return { matches: [] }
        const found = await readFoundNames(db, [...scores.keys()])
        // Names that an import has replaced meanwhile are no longer there.
        if (found.epochKey !== epochKey) continue
        const matches = bestOfEntries(found.names, scores).map((fit) => matchOf(fit, person))
        return { matches: matches.toSorted((a, b) => rankOf(b) - rankOf(a)) }
      }
    },

    /** How well two names fit by the lists in force, in basis points: a function, since many are compared at once. */
    async scoreNames(db: Queryable = pool): Promise<(own: string, listed: string) => number> {
      const { index } = await listed.current(db)
      return (own, other) => scoreOf(comparedName(own), comparedName(other), index.weightOf)
    },
  }
}

export type Screening = ReturnType<typeof createScreening>
