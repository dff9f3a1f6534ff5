import type { ComparisonResult, ComparedDetail, ComparedRow, ComparedValue } from '@tern/contract/desk/comparison'
import { findCountryCode } from '../lists/countries.ts'
import type { EntryKind, ListName } from '../lists/entry.ts'
import { compareBirthDates, compareCountries, countYearsApart } from '../matcher/evidence.ts'
import { type ComparedName, toComparedName, toComparedReadings } from '../names/compared-name.ts'
import { toListedName } from '../names/listed-name.ts'
import { reviewFrom, computeScore } from '../names/score.ts'
import { nameParts } from './name-parts.ts'

/** Known details of the person or counterparty that an entry may mean. */
export interface OwnDetails {
  /** All known names, as written. */
  readonly names: readonly string[]
  /** Absent for a counterparty, which may be a company. */
  readonly kind?: EntryKind
  /** YYYY-MM-DD. */
  readonly birthDate?: string
  /** Country name or ISO 3166-1 alpha-2 code. */
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

/** Scores in basis points, by own name and listed name. */
export type NameScores = ReadonlyMap<string, ReadonlyMap<string, number>>

const text = (value: string): ComparedValue => ({ kind: 'text', parts: [{ text: value, differs: false }] })
const code = (value: string, differs = false): ComparedValue => ({ kind: 'code', text: value, differs })
const countries = (values: readonly string[], differs: boolean): ComparedValue[] =>
  values.map((country) => ({ kind: 'country', text: country, differs }))

/** Converts a score: `same` only for the full score, `differs` below `reviewFrom`. */
export const compareByScore = (score: number): ComparisonResult =>
  score === 10_000 ? 'same' : score >= reviewFrom ? 'close' : 'differs'
const scoreDetail = (score: number): ComparedDetail => ({ kind: 'score', basis_points: score })

const rankByScore = <Item>(items: readonly Item[], scoreOf: (item: Item) => number) =>
  items.map((item) => ({ item, score: scoreOf(item) })).toSorted((a, b) => b.score - a.score)

/** Returns the reading of a name that fits the listed name best. */
function closestReading(name: string, listed: ComparedName, kind: EntryKind): ComparedName {
  const readings = toComparedReadings(name, kind === 'person' ? 'person' : 'organization')
  const [closest] = rankByScore(readings, (reading) => computeScore(reading, listed, () => 1))
  return closest?.item ?? toComparedName(name)
}

const readScore = (scores: NameScores, ownName: string, listedName: string): number =>
  scores.get(ownName)?.get(listedName) ?? 0

const highestScore = (ownDetails: OwnDetails, listedName: string, scores: NameScores): number =>
  Math.max(...ownDetails.names.map((name) => readScore(scores, name, listedName)))

/** Row of the matched name: the best own name letter by letter, with the score of the match. */
function nameRow(best: string, { matched, kind }: ListedDetails): ComparedRow {
  const listedReading = toListedName(matched.name, kind)
  const parts = nameParts(closestReading(best, listedReading, kind), listedReading)
  return {
    label: 'name',
    own: [{ kind: 'text', parts: parts.own }],
    other: [{ kind: 'text', parts: parts.listed }],
    compared: compareByScore(matched.score),
    detail: scoreDetail(matched.score),
  }
}

/** Row of the entry's primary name as published. */
function primaryNameRow(
  ownDetails: OwnDetails,
  best: string,
  { names, matched }: ListedDetails,
  scores: NameScores,
): ComparedRow {
  const primary = names.find(({ kind }) => kind === 'primary')?.name
  const row = { label: 'listed_as', own: [text(best)] }
  if (primary === undefined) return { ...row, other: [], compared: 'not_given', detail: null }
  const points = primary === matched.name ? matched.score : highestScore(ownDetails, primary, scores)
  return { ...row, other: [text(primary)], compared: compareByScore(points), detail: scoreDetail(points) }
}

/** Row of all other names; the entry's are sorted by score, and weak aliases are in quotes. */
function aliasesRow(
  ownDetails: OwnDetails,
  best: string,
  { names, matched }: ListedDetails,
  scores: NameScores,
): ComparedRow {
  const aliasNames = names.filter(({ name, kind }) => kind !== 'primary' && name !== matched.name)
  const rankedAliases = rankByScore(aliasNames, ({ name }) => highestScore(ownDetails, name, scores))
  const points = rankedAliases[0]?.score
  return {
    label: 'aliases',
    own: ownDetails.names.filter((name) => name !== best).map(text),
    other: rankedAliases.map(({ item: { name, kind } }) => text(kind === 'weak' ? `“${name}”` : name)),
    compared: points === undefined ? 'not_given' : compareByScore(points),
    detail: points === undefined ? null : scoreDetail(points),
  }
}

const precisions = { 4: 'year', 7: 'month', 10: 'day' } as const

/** Returns the precision to which a birth date agrees, or the least difference in years. */
function birthDetail(own: string, listed: readonly string[], compared: ComparisonResult): ComparedDetail | null {
  if (compared === 'not_given') return null
  if (compared !== 'same') return { kind: 'years', years: countYearsApart(own, listed) }
  const lengths = listed
    .filter((date) => !date.includes('/') && own.startsWith(date))
    .map((date) => date.length as keyof typeof precisions)
  return { kind: 'precision', to: lengths.length === 0 ? 'year' : precisions[Math.max(...lengths) as 4 | 7 | 10] }
}

function birthRow({ birthDate }: OwnDetails, { birthDates }: ListedDetails): ComparedRow {
  const compared = compareBirthDates(birthDate, birthDates)
  const differs = compared === 'differs'
  const date = (value: string): ComparedValue => ({ kind: 'date', text: value, differs })
  return {
    label: 'date_of_birth',
    own: birthDate === undefined ? [] : [date(birthDate)],
    other: birthDates.map(date),
    compared,
    detail: birthDate === undefined ? null : birthDetail(birthDate, birthDates, compared),
  }
}

/** Row of one country of the party against all countries of the entry, which are stored without their kind. */
function countryRow(label: string, ownCountry: string | undefined, listedDetails: ListedDetails): ComparedRow {
  // An unknown country name cannot be compared.
  const isUnknown =
    ownCountry !== undefined && findCountryCode(ownCountry) === undefined && listedDetails.countries.length > 0
  const compared = isUnknown ? 'not_comparable' : compareCountries(ownCountry, listedDetails.countries)
  const differs = compared === 'differs'
  const values = ownCountry === undefined ? [] : countries([ownCountry], differs)
  return { label, own: values, other: countries(listedDetails.countries, differs), compared, detail: null }
}

function kindRow({ kind }: OwnDetails, listedDetails: ListedDetails): ComparedRow {
  const compared = kind === undefined ? 'not_given' : kind === listedDetails.kind ? 'same' : 'differs'
  const toKindValue = (entryKind: EntryKind) => code(`listed_${entryKind}`, compared === 'differs')
  const own = kind === undefined ? [] : [toKindValue(kind)]
  return { label: 'listed_kind', own, other: [toKindValue(listedDetails.kind)], compared, detail: null }
}

/**
 * Compares a party with a list entry, detail by detail, by the rules of the matcher. A detail that either side lacks is
 * `not_given`; document type and programme are never comparable. Lists' document numbers are not stored, so that row
 * has a null `other`.
 */
export function compareWithEntry(
  ownDetails: OwnDetails,
  listedDetails: ListedDetails,
  scores: NameScores,
): ComparedRow[] {
  const [best = ''] = rankByScore(ownDetails.names, (name) => readScore(scores, name, listedDetails.matched.name)).map(
    ({ item }) => item,
  )
  const { documentType: document, nationality, residence } = ownDetails
  return [
    nameRow(best, listedDetails),
    primaryNameRow(ownDetails, best, listedDetails, scores),
    aliasesRow(ownDetails, best, listedDetails, scores),
    kindRow(ownDetails, listedDetails),
    birthRow(ownDetails, listedDetails),
    countryRow('nationality', nationality, listedDetails),
    countryRow('residence', residence, listedDetails),
    {
      label: 'document_type',
      own: document === undefined ? [] : [code(document)],
      ...({ other: null, compared: 'not_comparable', detail: null } as const),
    },
    {
      label: 'programme',
      own: [],
      other: listedDetails.programme === '' ? [] : [text(listedDetails.programme)],
      ...({ compared: 'not_comparable', detail: null } as const),
    },
  ]
}
