import { findCountryCode } from './countries.ts'
import { readMoment, readWrittenDate, yearRange } from './dates.ts'
import { createEntryDraft, type ListEntry, type ParsedList } from './entry.ts'
import { childText, findElements, readXml, type XmlElement } from './xml.ts'

export const unRoot = 'CONSOLIDATED_LIST'

const nameParts = ['FIRST_NAME', 'SECOND_NAME', 'THIRD_NAME', 'FOURTH_NAME']

function readEntry(element: XmlElement): ListEntry {
  const isPerson = element.name === 'INDIVIDUAL'
  const entry = createEntryDraft(
    childText(element, 'DATAID'),
    isPerson ? 'person' : 'entity',
    childText(element, 'UN_LIST_TYPE'),
  )
  entry.addName(nameParts.map((part) => childText(element, part)).join(' '), 'primary')
  entry.addName(childText(element, 'NAME_ORIGINAL_SCRIPT'), 'alias')
  for (const alias of findElements(element, `${element.name}_ALIAS`)) {
    // An alias element may contain several names.
    const isWeak = childText(alias, 'QUALITY') === 'Low'
    for (const name of childText(alias, 'ALIAS_NAME').split(';')) entry.addName(name, isWeak ? 'weak' : 'alias')
  }
  for (const birthElement of findElements(element, 'INDIVIDUAL_DATE_OF_BIRTH')) {
    const [date, year] = [childText(birthElement, 'DATE'), childText(birthElement, 'YEAR')]
    const range = yearRange(childText(birthElement, 'FROM_YEAR'), childText(birthElement, 'TO_YEAR'))
    entry.addBirthDate(readWrittenDate(date) ?? readWrittenDate(year) ?? range)
  }
  for (const country of [
    ...findElements(element, 'NATIONALITY', 'VALUE').map(({ text }) => text),
    ...findElements(element, `${element.name}_ADDRESS`, 'COUNTRY').map(({ text }) => text),
    ...findElements(element, 'INDIVIDUAL_PLACE_OF_BIRTH', 'COUNTRY').map(({ text }) => text),
  ]) {
    entry.addCountry(findCountryCode(country))
  }
  return entry.build()
}

/** Reads the consolidated list of the United Nations Security Council as XML. Throws ListFileError. */
export function readUn(text: string): ParsedList {
  const entries: ListEntry[] = []
  const root = readXml(text, new Set(['INDIVIDUAL', 'ENTITY']), (element) => entries.push(readEntry(element)))
  return { source: 'un', publishedAt: readMoment(root.attributes.dateGenerated), entries }
}
