import { findCountryCode } from './countries.ts'
import { type Delimiter, readTable } from './csv.ts'
import { readIsoDate, readMoment, readSlashDate, readWrittenDate, yearRange } from './dates.ts'
import { createEntryDraft, type EntryDraft, type ListEntry, ListFileError, type ParsedList } from './entry.ts'
import { findElements, readXml, type XmlElement } from './xml.ts'

export const euRoot = 'export'
const idColumn = 'Entity_LogicalId'

export const isEuHeader = (row: readonly string[]): boolean =>
  row.includes('fileGenerationDate') && row.includes(idColumn) && row.includes('NameAlias_WholeName')

/** Parses a date with the day first: 05/08/2026 is 5 August. */
function generationDate(text: string | undefined): Date | undefined {
  return readMoment(readSlashDate(text ?? ''))
}

function addRow(entry: EntryDraft, row: ReadonlyMap<string, string>, isFirst: boolean): void {
  const valueOf = (column: string) => row.get(column) ?? ''
  entry.addName(valueOf('NameAlias_WholeName'), isFirst ? 'primary' : 'alias')
  entry.addBirthDate(
    readWrittenDate(valueOf('BirthDate_BirthDate')) ??
      readIsoDate(valueOf('BirthDate_Year')) ??
      yearRange(valueOf('BirthDate_YearRangeFrom'), valueOf('BirthDate_YearRangeTo')),
  )
  for (const part of ['Address', 'BirthDate', 'Citizenship']) {
    entry.addCountry(findCountryCode(valueOf(`${part}_CountryIso2Code`)))
  }
}

/**
 * Reads the European Union's consolidated financial sanctions list as CSV (file 1.1, separated by `;`), with one row
 * per name, address, birth date, citizenship or document. Throws ListFileError.
 */
export function readEuCsv(text: string, delimiter: Delimiter): ParsedList {
  const { rows } = readTable(text, delimiter, isEuHeader)
  const drafts = new Map<string, EntryDraft>()
  for (const row of rows) {
    const reference = row.get(idColumn)
    if (!reference) throw new ListFileError('A row names no entry (Entity_LogicalId).')
    const isPerson =
      row.get('Entity_SubjectType_ClassificationCode') === 'person' || row.get('Entity_SubjectType') === 'P'
    const foundDraft = drafts.get(reference)
    const entry =
      foundDraft ??
      createEntryDraft(reference, isPerson ? 'person' : 'entity', row.get('Entity_Regulation_Programme') ?? '')
    drafts.set(reference, entry)
    addRow(entry, row, foundDraft === undefined)
  }
  return {
    source: 'eu',
    publishedAt: generationDate(rows[0]?.get('fileGenerationDate')),
    entries: [...drafts.values()].map((entry) => entry.build()),
  }
}

function readEntry(element: XmlElement): ListEntry {
  const { logicalId } = element.attributes
  if (!logicalId) throw new ListFileError('An entry has no logicalId.')
  const [subject] = findElements(element, 'subjectType')
  const [regulation] = findElements(element, 'regulation')
  const isPerson = subject?.attributes.code === 'person' || subject?.attributes.classificationCode === 'P'
  const entry = createEntryDraft(logicalId, isPerson ? 'person' : 'entity', regulation?.attributes.programme ?? '')
  for (const [index, { attributes }] of findElements(element, 'nameAlias').entries()) {
    const fullName =
      attributes.wholeName || [attributes.firstName, attributes.middleName, attributes.lastName].join(' ')
    entry.addName(fullName, attributes.strong === 'false' ? 'weak' : index === 0 ? 'primary' : 'alias')
  }
  for (const { attributes } of findElements(element, 'birthdate')) {
    entry.addBirthDate(
      readWrittenDate(attributes.birthdate ?? '') ??
        readIsoDate(attributes.year ?? '') ??
        yearRange(attributes.yearRangeFrom ?? '', attributes.yearRangeTo ?? ''),
    )
  }
  for (const part of ['citizenship', 'birthdate', 'address']) {
    for (const { attributes } of findElements(element, part))
      entry.addCountry(findCountryCode(attributes.countryIso2Code ?? ''))
  }
  return entry.build()
}

/** Reads the same list as XML (file 1.1), which also states which aliases are weak. Throws ListFileError. */
export function readEuXml(text: string): ParsedList {
  const entries: ListEntry[] = []
  const root = readXml(text, new Set(['sanctionEntity']), (element) => entries.push(readEntry(element)))
  return { source: 'eu', publishedAt: readMoment(root.attributes.generationDate), entries }
}
