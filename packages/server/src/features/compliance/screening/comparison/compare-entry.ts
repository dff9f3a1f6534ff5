import type { ComparisonResult, ComparedDetail, ComparedRow, ComparedValue } from '@tern/contract/desk/comparison'
import { findCountryCode } from '../lists/countries.ts'
import type { EntryKind, ListName } from '../lists/entry.ts'
import { compareBirthDates, compareCountries, yearsApart } from '../matcher/evidence.ts'
import { type ComparedName, comparedName, comparedReadings } from '../names/compared-name.ts'
import { listedName } from '../names/listed-name.ts'
import { reviewFrom, computeScore } from '../names/score.ts'
import { nameParts } from './name-parts.ts'

/** Known details of the person or counterparty an entry may mean. Unknown details are left out. */
export interface OwnDetails {
  /** Every known name, as written. */
  readonly names: readonly string[]
  /** Absent for a counterparty, which may be a company. */
  readonly kind?: EntryKind
  /** YYYY-MM-DD. */
  readonly birthDate?: string
  /** Country names or ISO 3166-1 alpha-2 codes. */
  readonly nationality?: string
  readonly residence?: string
  /** Document type code, such as `passport`. */
  readonly documentType?: string
}

export interface ListedDetails {
  readonly names: readonly ListName[]
  readonly kind: EntryKind
  readonly programme: string
  readonly birthDates: readonly string[]
  readonly countries: readonly string[]
  readonly matched: { readonly name: string; readonly score: number }
}

/** Scores of each own name against each name of an entry, in basis points. */
export type NameScores = ReadonlyMap<string, ReadonlyMap<string, number>>

const text = (written: string): ComparedValue => ({ kind: 'text', parts: [{ text: written, differs: false }] })
const code = (named: string, differs = false): ComparedValue => ({ kind: 'code', text: named, differs })
const countries = (named: readonly string[], differs: boolean): ComparedValue[] =>
  named.map((country) => ({ kind: 'country', text: country, differs }))

/** Compares two names by the matcher's score: only a full score is `same`, and a score below review `differs`. */
export const comparedByScore = (score: number): ComparisonResult =>
  score === 10_000 ? 'same' : score >= reviewFrom ? 'close' : 'differs'
const scored = (score: number): ComparedDetail => ({ kind: 'score', basis_points: score })

const findBest = <Item>(items: readonly Item[], scoreOf: (item: Item) => number) =>
  items.map((item) => ({ item, score: scoreOf(item) })).toSorted((a, b) => b.score - a.score)

/** Returns the best fitting reading of a name in another script. */
function closestReading(name: string, listed: ComparedName, kind: EntryKind): ComparedName {
  const readings = comparedReadings(name, kind === 'person' ? 'person' : 'organization')
  const [closest] = findBest(readings, (reading) => computeScore(reading, listed, () => 1))
  return closest?.item ?? comparedName(name)
}

const readScore = (scores: NameScores, own: string, listed: string): number => scores.get(own)?.get(listed) ?? 0

const highestScore = (own: OwnDetails, listed: string, scores: NameScores): number =>
  Math.max(...own.names.map((name) => readScore(scores, name, listed)))

/** Row of the match itself: the best fitting name letter by letter, with the score of the case. */
function nameRow(best: string, { matched, kind }: ListedDetails): ComparedRow {
  const listed = listedName(matched.name, kind)
  const parts = nameParts(closestReading(best, listed, kind), listed)
  return {
    label: 'name',
    own: [{ kind: 'text', parts: parts.own }],
    other: [{ kind: 'text', parts: parts.listed }],
    compared: comparedByScore(matched.score),
    detail: scored(matched.score),
  }
}

/** Row of the entry's primary name, as published. */
function matchedNameRow(
  own: OwnDetails,
  best: string,
  { names, matched }: ListedDetails,
  scores: NameScores,
): ComparedRow {
  const primary = names.find(({ kind }) => kind === 'primary')?.name
  const row = { label: 'listed_as', own: [text(best)] }
  if (primary === undefined) return { ...row, other: [], compared: 'not_given', detail: null }
  const points = primary === matched.name ? matched.score : highestScore(own, primary, scores)
  return { ...row, other: [text(primary)], compared: comparedByScore(points), detail: scored(points) }
}

/** Row of the other names of both sides, closest listed ones first; weak aliases are in quotes. */
function aliasesRow(own: OwnDetails, best: string, { names, matched }: ListedDetails, scores: NameScores): ComparedRow {
  const others = names.filter(({ name, kind }) => kind !== 'primary' && name !== matched.name)
  const ranked = findBest(others, ({ name }) => highestScore(own, name, scores))
  const points = ranked[0]?.score
  return {
    label: 'aliases',
    own: own.names.filter((name) => name !== best).map(text),
    other: ranked.map(({ item: { name, kind } }) => text(kind === 'weak' ? `“${name}”` : name)),
    compared: points === undefined ? 'not_given' : comparedByScore(points),
    detail: points === undefined ? null : scored(points),
  }
}

const precisions = { 4: 'year', 7: 'month', 10: 'day' } as const

/** Returns the precision to which a birth date agrees, or the least number of years between the dates. */
function birthDetail(own: string, listed: readonly string[], compared: ComparisonResult): ComparedDetail | null {
  if (compared === 'not_given') return null
  if (compared !== 'same') return { kind: 'years', years: yearsApart(own, listed) }
  const lengths = listed
    .filter((date) => !date.includes('/') && own.startsWith(date))
    .map((date) => date.length as keyof typeof precisions)
  return { kind: 'precision', to: lengths.length === 0 ? 'year' : precisions[Math.max(...lengths) as 4 | 7 | 10] }
}

function birthRow({ birthDate }: OwnDetails, { birthDates }: ListedDetails): ComparedRow {
  const compared = compareBirthDates(birthDate, birthDates)
  const differs = compared === 'differs'
  const date = (written: string): ComparedValue => ({ kind: 'date', text: written, differs })
  return {
    label: 'date_of_birth',
    own: birthDate === undefined ? [] : [date(birthDate)],
    other: birthDates.map(date),
    compared,
    detail: birthDate === undefined ? null : birthDetail(birthDate, birthDates, compared),
  }
}

/** Row of one country of the person against all listed ones; lists do not say which kind of country they mean. */
function countryRow(label: string, own: string | undefined, listed: ListedDetails): ComparedRow {
  // A country that cannot be read is comparable with none.
  const isUnknown = own !== undefined && findCountryCode(own) === undefined && listed.countries.length > 0
  const compared = isUnknown ? 'not_comparable' : compareCountries(own, listed.countries)
  const differs = compared === 'differs'
  const values = own === undefined ? [] : countries([own], differs)
  return { label, own: values, other: countries(listed.countries, differs), compared, detail: null }
}

function kindRow({ kind }: OwnDetails, listed: ListedDetails): ComparedRow {
  const compared = kind === undefined ? 'not_given' : kind === listed.kind ? 'same' : 'differs'
  const valueOf = (named: EntryKind) => code(`listed_${named}`, compared === 'differs')
  const own = kind === undefined ? [] : [valueOf(kind)]
  return { label: 'listed_kind', own, other: [valueOf(listed.kind)], compared, detail: null }
}

/**
 * Compares a person with an entry that may mean them, detail by detail, by the rules of the matcher. Birth dates and
 * countries are compared as in the evidence of a match. Details missing on one side are `not_given`; document numbers
 * of lists are not stored, so `other` is null.
 */
export function compareWithEntry(own: OwnDetails, listed: ListedDetails, scores: NameScores): ComparedRow[] {
  const [best = ''] = findBest(own.names, (name) => readScore(scores, name, listed.matched.name)).map(
    ({ item }) => item,
  )
  const { documentType: document, nationality, residence } = own
  return [
    nameRow(best, listed),
    matchedNameRow(own, best, listed, scores),
    aliasesRow(own, best, listed, scores),
    kindRow(own, listed),
    birthRow(own, listed),
    countryRow('nationality', nationality, listed),
    countryRow('residence', residence, listed),
    {
      label: 'document_type',
      own: document === undefined ? [] : [code(document)],
      ...({ other: null, compared: 'not_comparable', detail: null } as const),
    },
    {
      label: 'programme',
      own: [],
      other: listed.programme === '' ? [] : [text(listed.programme)],
      ...({ compared: 'not_comparable', detail: null } as const),
    },
  ]
}
