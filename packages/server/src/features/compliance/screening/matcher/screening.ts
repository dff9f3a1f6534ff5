import type pg from 'pg'
import type { Db } from '../../../../platform/database/db.ts'
import { countryCodeOf } from '../lists/countries.ts'
import type { EntryKind, ListSource } from '../lists/entry.ts'
import { comparedReadings } from '../names/compared-name.ts'
import { listedName } from '../names/listed-name.ts'
import { isUnread, lacksJapaneseReading } from '../names/readings.ts'
import { highestOfReview, holdFrom, scoreOf, type WordWeight } from '../names/score.ts'
import { createCurrentIndex } from './current-index.ts'
import { compareBirthDates, compareCountries, type Evidence } from './evidence.ts'
import { fittingNames, type OwnNames } from './fitting-names.ts'
import { type FoundName, readFoundNames } from './found-names.ts'

/**
 * The person or counterparty to compare: every name they are known by, such as the one in Latin letters and the one in their own
 * script, of which the better match counts, and their details.
 */
export interface ScreenedPerson extends OwnNames {
  /** YYYY-MM-DD. */
  readonly birthDate?: string | undefined
  /** Country of residence or nationality, by name or ISO 3166-1 alpha-2 code. */
  readonly country?: string | undefined
  readonly nationality?: string | undefined
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
  /** None of their names could be read, so that finding nothing says nothing. */
  readonly isUnread: boolean
}

/** Names of Japanese in Chinese characters are read by a dictionary; whoever has no tie to Japan is read as Chinese. */
function areUnread({ names, country, nationality }: ScreenedPerson): boolean {
  const isOfJapan = [country, nationality].some((one) => one !== undefined && countryCodeOf(one) === 'JP')
  return names.length > 0 && names.every((name) => isUnread(name) || (isOfJapan && lacksJapaneseReading(name)))
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
    // A weak alias alone identifies no person.
    const score = name.name_kind === 'weak' ? Math.min(fit, highestOfReview) : fit
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

interface ScoredNames {
  readonly own: string
  readonly other: string
  readonly kind: EntryKind
}

function bestScore({ own, other, kind }: ScoredNames, weightOf: WordWeight): number {
  const listed = listedName(other, kind)
  const readings = comparedReadings(own, kind === 'person' ? 'person' : 'organization')
  return Math.max(0, ...readings.map((reading) => scoreOf(reading, listed, weightOf)))
}

/** Compares people with the lists in force in the database of `pool`. */
export function createScreening({ pool }: { readonly pool: pg.Pool }) {
  const listed = createCurrentIndex()
  return {
    /**
     * All entries in force that may mean a person: by any of their names and any listed one. Reads which lists are in force
     * in `db`, by default outside any transaction. Nobody is cleared because their birth date or country differs.
     */
    async screen(person: ScreenedPerson, db: Db = pool): Promise<ScreeningResult> {
      for (;;) {
        const { epochKey, index } = await listed.current(db)
        const scores = fittingNames(index, person)
        const isUnreadPerson = areUnread(person)
        if (scores.size === 0) return { matches: [], isUnread: isUnreadPerson }
        const found = await readFoundNames(db, [...scores.keys()])
        // Names that an import has replaced meanwhile are no longer there.
        if (found.epochKey !== epochKey) continue
        const matches = bestOfEntries(found.names, scores).map((fit) => matchOf(fit, person))
        return { matches: matches.toSorted((a, b) => rankOf(b) - rankOf(a)), isUnread: isUnreadPerson }
      }
    },

    /** How well a name fits one of an entry of that kind by the lists in force, in basis points; many are compared at once. */
    async scoreNames(db: Db = pool): Promise<(own: string, other: string, kind: EntryKind) => number> {
      const { index } = await listed.current(db)
      return (own, other, kind) => bestScore({ own, other, kind }, index.weightOf)
    },
  }
}

export type Screening = ReturnType<typeof createScreening>
