import { countryCodeOf } from './countries.ts'
import { readCsv } from './csv.ts'
import { readWrittenDate } from './dates.ts'
import { createEntry, type EntryDraft, type EntryKind, ListFileError, type ParsedList } from './entry.ts'

/** Which of OFAC's files a text is, by its columns. */
export type OfacPart = 'primary' | 'aliases' | 'addresses'

const columns: Readonly<Record<OfacPart, number>> = { primary: 12, aliases: 5, addresses: 6 }
const kinds: Readonly<Record<string, EntryKind>> = { individual: 'person', vessel: 'vessel', aircraft: 'aircraft' }

/** Files end with the end-of-file sign of DOS. */
const endOfFile = '\u001A'
const withoutEnd = (text: string): string => {
  const plain = text.trimEnd()
  return plain.endsWith(endOfFile) ? plain.slice(0, -1) : plain
}
const valueOf = (text: string | undefined): string => {
  const value = text?.trim() ?? ''
  return value === '-0-' ? '' : value
}

/** Which part of a list without a header this text is; undefined for another format. */
export function ofacPartOf(text: string): OfacPart | undefined {
  const [row = []] = readCsv(text.slice(0, text.indexOf('\n') + 1), ',')
  if (!/^\d+$/.test(row[0]?.trim() ?? '')) return undefined
  if (row.length === columns.primary) return 'primary'
  if (row.length === columns.addresses && /^\d+$/.test(row[1]?.trim() ?? '')) return 'addresses'
  return row.length === columns.aliases && /^[afn]ka$/.test(row[2]?.trim() ?? '') ? 'aliases' : undefined
}

function rowsOf(text: string, part: OfacPart, fileName: string): string[][] {
  return readCsv(withoutEnd(text), ',').map((row, index) => {
    if (row.length !== columns[part] || !/^\d+$/.test(row[0]?.trim() ?? '')) {
      throw new ListFileError(`${fileName}: row ${index + 1} is no row of this list: it is damaged or cut off.`)
    }
    return row.map(valueOf)
  })
}

/** Weak aliases stand in the remarks, between quotes; birth dates and nationalities too. */
function addRemarks(entry: EntryDraft, remarks: string): void {
  for (const [, , name] of remarks.matchAll(/\b([afn])\.k\.a\. ["'](.+?)["'](?=[;,.]|$)/g)) entry.addName(name, 'weak')
  for (const remark of remarks.split(/;\s*|\.$/)) {
    const birth = /^(?:alt\. )?DOB (.+)$/.exec(remark.trim())?.[1]
    if (birth) entry.addBirthDate(readWrittenDate(birth))
    const country = /^(?:alt\. )?(?:nationality|citizen|POB .*,) (.+)$/.exec(remark.trim())?.[1]
    if (country) entry.addCountry(countryCodeOf(country))
  }
}

/** The files of one OFAC list: `sdn.csv` or `cons_prim.csv`, and what is joined to it by the first column. */
export interface OfacFiles {
  readonly source: 'ofac_sdn' | 'ofac_consolidated'
  readonly primary: NamedText
  readonly aliases: NamedText | undefined
  readonly addresses: NamedText | undefined
}
interface NamedText {
  readonly name: string
  readonly text: string
}

/**
 * Reads a list of the Office of Foreign Assets Control, US Treasury: headerless CSV, joined by the first column, `-0-`
 * for nothing (OFAC, "SDN List Data Specification"). Throws ListFileError for what is damaged, and for aliases of
 * entries that the list has not, since then one file is older or cut off.
 */
export function readOfac({ source, primary, aliases, addresses }: OfacFiles): ParsedList {
  const entries = new Map<string, EntryDraft>()
  for (const row of rowsOf(primary.text, 'primary', primary.name)) {
    const [reference = '', name, kind = '', programme = ''] = row
    const entry = createEntry(reference, kinds[kind] ?? 'entity', programme)
    entry.addName(name, 'primary')
    addRemarks(entry, row[11] ?? '')
    entries.set(reference, entry)
  }
  const entryOf = (reference: string, file: NamedText): EntryDraft => {
    const entry = entries.get(reference)
    if (entry) return entry
    throw new ListFileError(
      `${file.name} names entry ${reference}, which ${primary.name} has not: they are not of one day, or one is cut off.`,
    )
  }
  for (const [reference = '', , , name] of aliases ? rowsOf(aliases.text, 'aliases', aliases.name) : []) {
    if (aliases) entryOf(reference, aliases).addName(name, 'alias')
  }
  for (const row of addresses ? rowsOf(addresses.text, 'addresses', addresses.name) : []) {
    if (addresses) entryOf(row[0] ?? '', addresses).addCountry(countryCodeOf(row[4] ?? ''))
  }
  return { source, publishedAt: undefined, entries: [...entries.values()].map((entry) => entry.done()) }
}
