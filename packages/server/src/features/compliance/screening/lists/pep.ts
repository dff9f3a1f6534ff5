import { findCountryCode } from './countries.ts'
import { type Delimiter, readTable } from './csv.ts'
import { readMoment, readWrittenDate } from './dates.ts'
import { createEntryDraft, type EntryKind, type ListEntry, type ParsedList } from './entry.ts'

const kinds: Readonly<Record<string, EntryKind>> = { Person: 'person', Vessel: 'vessel', Airplane: 'aircraft' }
const columns = ['id', 'schema', 'name', 'aliases', 'birth_date', 'countries']

export const isPepHeader = (row: readonly string[]): boolean => columns.every((column) => row.includes(column))

const splitValues = (text: string | undefined): string[] => text?.split(';') ?? []

/**
 * Reads politically exposed persons from OpenSanctions' `targets.simple.csv` (dataset `peps`); multiple values are
 * separated by semicolons. Throws ListFileError.
 */
export function readPep(text: string, delimiter: Delimiter): ParsedList {
  const { rows } = readTable(text, delimiter, isPepHeader)
  const entries = rows.map((row): ListEntry => {
    const entry = createEntryDraft(
      row.get('id') ?? '',
      kinds[row.get('schema') ?? ''] ?? 'entity',
      row.get('dataset') ?? '',
    )
    entry.addName(row.get('name'), 'primary')
    for (const alias of splitValues(row.get('aliases'))) entry.addName(alias, 'alias')
    for (const date of splitValues(row.get('birth_date'))) entry.addBirthDate(readWrittenDate(date))
    for (const country of splitValues(row.get('countries'))) entry.addCountry(findCountryCode(country))
    return entry.build()
  })
  const changes = rows.map((row) => row.get('last_change') ?? '').filter(Boolean)
  return { source: 'pep', publishedAt: readMoment(changes.toSorted().at(-1)), entries }
}
