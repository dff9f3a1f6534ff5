import { findCountryCode } from './countries.ts'
import { type Delimiter, readTable } from './csv.ts'
import { readMoment, readSlashDate } from './dates.ts'
import {
  createEntryDraft,
  type EntryDraft,
  type EntryKind,
  type ListEntry,
  ListFileError,
  type ParsedList,
} from './entry.ts'
import type { NameKind } from './entry.ts'
import { childText, findElements, readXml, type XmlElement } from './xml.ts'

export const ukRoot = 'Designations'

// Name 6 is the family name, or the whole name if it is the only part.
const nameOrder = [1, 2, 3, 4, 5, 6]
const kinds: Readonly<Record<string, EntryKind>> = { individual: 'person', ship: 'vessel', entity: 'entity' }

export const isUkHeader = (row: readonly string[]): boolean =>
  row.includes('Unique ID') && row.includes('Name 6') && row.includes('Name type')

function readNameKind(type: string, strength: string): NameKind {
  if (/low/i.test(strength)) return 'weak'
  return /^primary name$/i.test(type.trim()) ? 'primary' : 'alias'
}

/** Splits the values of one field, such as `(1) Iran (2) Iraq`. */
const splitValues = (text: string): string[] =>
  text
    .split(/\(\d+\)|[|;]/)
    .map((part) => part.trim())
    .filter(Boolean)

const createDraft = (
  reference: string | undefined,
  kind: string | undefined,
  regime: string | undefined,
): EntryDraft => {
  if (!reference) throw new ListFileError('An entry has no unique ID.')
  return createEntryDraft(reference, kinds[kind?.trim().toLowerCase() ?? ''] ?? 'entity', regime ?? '')
}

/**
 * Reads the UK Sanctions List as CSV: a row with the report date, a header, and one row per name. Throws ListFileError.
 */
export function readUkCsv(text: string, delimiter: Delimiter): ParsedList {
  const { rowsAbove, rows } = readTable(text, delimiter, isUkHeader)
  const report = rowsAbove.flat().join(' ')
  const drafts = new Map<string, EntryDraft>()
  for (const row of rows) {
    const reference = row.get('Unique ID') ?? ''
    const kind = row.get('Designation Type') ?? row.get('Individual, Entity, Ship')
    const entry = drafts.get(reference) ?? createDraft(reference, kind, row.get('Regime Name'))
    drafts.set(reference, entry)
    const name = nameOrder.map((number) => row.get(`Name ${number}`) ?? '').join(' ')
    entry.addName(name, readNameKind(row.get('Name type') ?? '', row.get('Alias strength') ?? ''))
    entry.addName(row.get('Name non-latin script'), 'alias')
    for (const date of splitValues(row.get('D.O.B') ?? '')) entry.addBirthDate(readSlashDate(date))
    for (const column of ['Nationality(/ies)', 'Country of birth', 'Address Country']) {
      for (const country of splitValues(row.get(column) ?? '')) entry.addCountry(findCountryCode(country))
    }
  }
  return {
    source: 'uk',
    publishedAt: readMoment(/Report Date:\s*([\w-]+)/i.exec(report)?.[1]?.concat(' UTC')),
    entries: [...drafts.values()].map((entry) => entry.build()),
  }
}

function readEntry(element: XmlElement): ListEntry {
  const entry = createDraft(
    childText(element, 'UniqueID'),
    childText(element, 'IndividualEntityShip'),
    childText(element, 'RegimeName'),
  )
  for (const name of findElements(element, 'Names', 'Name')) {
    const fullName = nameOrder.map((number) => childText(name, `Name${number}`)).join(' ')
    entry.addName(fullName, readNameKind(childText(name, 'NameType'), childText(name, 'AliasStrength')))
  }
  for (const name of findElements(element, 'NonLatinNames', 'NonLatinName')) {
    entry.addName(childText(name, 'NameNonLatinScript'), 'alias')
  }
  for (const person of findElements(element, 'IndividualDetails', 'Individual')) {
    for (const { text } of findElements(person, 'DOBs', 'DOB')) entry.addBirthDate(readSlashDate(text))
    const nationalities = findElements(person, 'Nationalities', 'Nationality')
    const birthElements = findElements(person, 'BirthDetails', 'Location', 'CountryOfBirth')
    for (const { text } of [...nationalities, ...birthElements]) entry.addCountry(findCountryCode(text))
  }
  for (const { text } of findElements(element, 'Addresses', 'Address', 'AddressCountry'))
    entry.addCountry(findCountryCode(text))
  return entry.build()
}

/** Reads the same list as XML. Throws ListFileError. */
export function readUkXml(text: string): ParsedList {
  const entries: ListEntry[] = []
  let generatedOn = ''
  readXml(text, new Set(['Designation', 'DateGenerated']), (element) => {
    if (element.name === 'DateGenerated') generatedOn = element.text
    else entries.push(readEntry(element))
  })
  return { source: 'uk', publishedAt: readMoment(readSlashDate(generatedOn)), entries }
}
