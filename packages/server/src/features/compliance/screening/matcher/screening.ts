import type { Db } from '../../../../platform/database/db.ts'
import type { ScreeningContext } from '../../context.ts'
import { findCountryCode } from '../lists/countries.ts'
import type { ListSource } from '../lists/entry.ts'
import { isUnread, lacksJapaneseReading } from '../names/readings.ts'
import { highestOfReview, holdFrom } from '../names/score.ts'
import { compareBirthDates, compareCountries, type Evidence } from './evidence.ts'
import { findFittingNames, type OwnNames } from './fitting-names.ts'
import { type FoundName, readFoundNames } from './found-names.ts'
import { currentNames } from './listed-names.ts'

/** Person or counterparty to compare with the lists. The best match of any of the names counts. */
export interface ScreenedPerson extends OwnNames {
  /** YYYY-MM-DD. */
  readonly birthDate?: string | undefined
  /** Country of residence, by name or ISO 3166-1 alpha-2 code. */
  readonly country?: string | undefined
  readonly nationality?: string | undefined
}

/** List entry that may mean the person. */
export interface ScreeningMatch {
  readonly source: ListSource
  readonly listVersion: number
  readonly entryId: string
  readonly reference: string
  readonly programme: string
  readonly listedName: string
  /** In basis points: `review` from 8500, `hold` from 9500. */
  readonly score: number
  readonly tier: 'review' | 'hold'
  readonly evidence: Evidence
  readonly entryHash: string
}

export interface ScreeningResult {
  /** Highest score first; birth date and country decide between equal scores. */
  readonly matches: readonly ScreeningMatch[]
  /** Whether no name could be read, so that an empty result is no evidence. */
  readonly isUnread: boolean
}

/**
 * Returns whether no name can be read. For people of Japan, a name in Chinese characters must be in the Japanese
 * dictionary; for others, it is read as Chinese.
 */
function areNamesUnread({ names, country, nationality }: ScreenedPerson): boolean {
  const isOfJapan = [country, nationality].some(
    (countryText) => countryText !== undefined && findCountryCode(countryText) === 'JP',
  )
  return names.length > 0 && names.every((name) => isUnread(name) || (isOfJapan && lacksJapaneseReading(name)))
}

interface NameMatch {
  readonly found: FoundName
  readonly score: number
}

function findBestByEntry(found: readonly FoundName[], scores: ReadonlyMap<bigint, number>): NameMatch[] {
  const bestByEntry = new Map<string, NameMatch>()
  for (const name of found) {
    const fit = scores.get(name.name_id) ?? 0
    // A weak alias alone never holds money.
    const score = name.name_kind === 'weak' ? Math.min(fit, highestOfReview) : fit
    if (score > (bestByEntry.get(name.entry_id)?.score ?? 0)) bestByEntry.set(name.entry_id, { found: name, score })
  }
  return [...bestByEntry.values()]
}

const computeRank = ({ score, evidence }: ScreeningMatch): number => {
  const birthScore = { same: 3, close: 2, not_given: 1, differs: 0 }[evidence.birthDate]
  const countryScore = { same: 2, not_given: 1, differs: 0 }[evidence.country]
  return score * 100 + birthScore * 10 + countryScore
}

function toMatch({ found: entry, score }: NameMatch, person: ScreenedPerson): ScreeningMatch {
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

type Ctx = Pick<ScreeningContext, 'listedNames'>

/**
 * Returns all entries in force that may mean a person, by any own and any listed name, whatever birth date and country.
 */
export async function findMatches(ctx: Ctx, db: Db, person: ScreenedPerson): Promise<ScreeningResult> {
  for (;;) {
    const { epochKey, index } = await currentNames(ctx, db)
    const scores = findFittingNames(index, person)
    const isUnreadPerson = areNamesUnread(person)
    if (scores.size === 0) return { matches: [], isUnread: isUnreadPerson }
    const found = await readFoundNames(db, [...scores.keys()])
    // Repeats the search if an import replaced the names meanwhile.
    if (found.epochKey !== epochKey) continue
    const matches = findBestByEntry(found.names, scores).map((nameMatch) => toMatch(nameMatch, person))
    return { matches: matches.toSorted((a, b) => computeRank(b) - computeRank(a)), isUnread: isUnreadPerson }
  }
}
