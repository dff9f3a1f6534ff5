import type { ComparedRow } from '@tern/contract/desk/comparison'
import { expect, test } from 'vitest'
import { toComparedName } from '../names/compared-name.ts'
import { holdFrom, reviewFrom, computeScore } from '../names/score.ts'
import { compareWithEntry, type ListedDetails, type NameScores, type OwnDetails } from './compare-entry.ts'
import { nameParts } from './name-parts.ts'

/** Returns the matcher's score if every word is rare. */
const scoreNames = (givenName: string, listedName: string) =>
  computeScore(toComparedName(givenName), toComparedName(listedName), () => 1)

const scoreAll = ({ names }: OwnDetails, entry: ListedDetails): NameScores => {
  const listedNames = [entry.matched.name, ...entry.names.map(({ name }) => name)]
  return new Map(
    names.map((givenName) => [
      givenName,
      new Map(listedNames.map((otherName) => [otherName, scoreNames(givenName, otherName)])),
    ]),
  )
}

const listedDetails: ListedDetails = {
  names: [
    { name: 'ВЕЛЬМАРЕВ Антон', kind: 'primary' },
    { name: 'VELMAREV, Anton P.', kind: 'alias' },
    { name: 'Anton Velmareff', kind: 'alias' },
    { name: 'Toscha', kind: 'weak' },
  ],
  kind: 'person',
  programme: 'Shipping',
  birthDates: [],
  countries: [],
  matched: { name: 'VELMAREV, Anton P.', score: 9312 },
}
const anton: OwnDetails = { names: ['Anton Velmarov'] }

function findRow(label: string, givenDetails: Partial<OwnDetails>, entry: Partial<ListedDetails> = {}): ComparedRow {
  const [given, listed] = [
    { ...anton, ...givenDetails },
    { ...listedDetails, ...entry },
  ]
  return compareWithEntry(given, listed, scoreAll(given, listed)).find((row) => row.label === label)!
}

const markDifferences = (parts: readonly { text: string; differs: boolean }[]) =>
  parts.map(({ text, differs }) => (differs ? `[${text}]` : text)).join('')

test.each([
  ['1988-06-14', ['1988-06-14'], 'same', { kind: 'precision', to: 'day' }],
  ['1988-06-14', ['1961', '1988-06'], 'same', { kind: 'precision', to: 'month' }],
  ['1988-06-14', ['1988'], 'same', { kind: 'precision', to: 'year' }],
  ['1988-06-14', ['1985/1990'], 'same', { kind: 'precision', to: 'year' }],
  ['1988-06-14', ['1988-06-15'], 'close', { kind: 'years', years: 0 }],
  ['1988-06-14', ['1989'], 'close', { kind: 'years', years: 1 }],
  ['1988-06-14', ['1961'], 'differs', { kind: 'years', years: 27 }],
  ['1988-06-14', ['1950', '1990/1995'], 'differs', { kind: 'years', years: 2 }],
  ['1988-06-14', [], 'not_given', null],
  [undefined, ['1961'], 'not_given', null],
] as const)('born %s and listed %j: %s', (birthDate, birthDates, comparison, detail) => {
  const row = findRow('date_of_birth', birthDate === undefined ? {} : { birthDate }, { birthDates })
  expect([row.compared, row.detail]).toEqual([comparison, detail])
  expect(row.own.length, 'nothing stands for what is not given').toBe(birthDate === undefined ? 0 : 1)
  const differenceFlags = [...row.own, ...row.other!].map((value) => 'differs' in value && value.differs)
  expect(new Set(differenceFlags)).toEqual(new Set([comparison === 'differs']))
})

test.each([
  ['Germany', ['DE', 'UA'], 'same'],
  ['de', ['DE'], 'same'],
  ['Germany', ['UA', 'RU'], 'differs'],
  ['Germany', [], 'not_given'],
  [undefined, ['UA'], 'not_given'],
  ['Nowhere', ['UA'], 'not_comparable'],
  ['Nowhere', [], 'not_given'],
] as const)('of %s, listed with %j: %s', (nationality, countries, comparison) => {
  const givenDetails = nationality === undefined ? {} : { nationality }
  expect(findRow('nationality', givenDetails, { countries }).compared).toBe(comparison)
  expect(findRow('residence', {}, { countries }).compared).toBe('not_given')
})

test('names are compared by the score of the case, and their differences are marked by letter', () => {
  const row = findRow('name', {})
  expect([row.compared, row.detail]).toEqual(['close', { kind: 'score', basis_points: 9312 }])
  const parts = [...row.own, ...row.other!].map((value) => (value.kind === 'text' ? markDifferences(value.parts) : ''))
  expect(parts).toEqual(['anton velmar[o]v', 'anton velmar[e]v [p]'])
})

test('only a full score is `same`, and a score below review `differs`', () => {
  const compareAtScore = (points: number) => findRow('name', {}, { matched: { name: 'X', score: points } }).compared
  expect([10_000, 9999, holdFrom, reviewFrom, reviewFrom - 1].map(compareAtScore)).toEqual([
    ...['same', 'close', 'close', 'close', 'differs'],
  ])
})

test('the primary listed name is shown as written, other names with the closest first', () => {
  const first = findRow('listed_as', {})
  expect(first.other).toEqual([{ kind: 'text', parts: [{ text: 'ВЕЛЬМАРЕВ Антон', differs: false }] }])
  expect(first.detail).toEqual({ kind: 'score', basis_points: scoreNames('Anton Velmarov', 'ВЕЛЬМАРЕВ Антон') })
  const aliasRow = findRow('aliases', { names: ['Anton Velmarov', 'Tony Velmarov'] })
  const texts = aliasRow.other!.map((value) => (value.kind === 'text' ? markDifferences(value.parts) : ''))
  expect(texts).toEqual(['Anton Velmareff', '“Toscha”'])
  expect(aliasRow.own).toHaveLength(1)
  expect(aliasRow.compared).toBe('close')
  const unmatchedRow = findRow('aliases', {}, { names: [{ name: 'VELMAREV, Anton P.', kind: 'primary' }] })
  expect([unmatchedRow.own, unmatchedRow.other, unmatchedRow.compared, unmatchedRow.detail]).toEqual([
    [],
    [],
    'not_given',
    null,
  ])
})

test('a company differs from a person, and an unknown kind is not given', () => {
  expect(findRow('listed_kind', { kind: 'person' }, { kind: 'vessel' }).compared).toBe('differs')
  expect(findRow('listed_kind', { kind: 'person' }).compared).toBe('same')
  expect(findRow('listed_kind', {}, { kind: 'entity' })).toMatchObject({ own: [], compared: 'not_given' })
})

test('document numbers of lists are not stored and not comparable', () => {
  expect(findRow('document_type', { documentType: 'passport' })).toMatchObject({
    other: null,
    compared: 'not_comparable',
  })
  expect(findRow('programme', {})).toMatchObject({ own: [], compared: 'not_comparable' })
})

test.each([
  ['Anton Velmarov', 'Velmarov Anton', 'anton velmarov', 'anton velmarov'],
  ['Maria Lopez', 'Maria Lopes Garcia', 'maria lope[z]', 'maria lope[s] [garcia]'],
  ['Ana Lind', 'Anna Lind', 'ana lind', 'an[n]a lind'],
])('%s beside %s', (givenName, otherName, givenParts, listedParts) => {
  const parts = nameParts(toComparedName(givenName), toComparedName(otherName))
  expect([markDifferences(parts.own), markDifferences(parts.listed)]).toEqual([givenParts, listedParts])
})
