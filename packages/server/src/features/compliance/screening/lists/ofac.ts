import { findCountryCode } from './countries.ts'
import { csvRows, type Delimiter, readCsv } from './csv.ts'
import { readWrittenDate } from './dates.ts'
import { createEntryDraft, type EntryDraft, type EntryKind, ListFileError, type ParsedList } from './entry.ts'

/** Part of an OFAC list, recognised by its columns. `comments` continues remarks that exceed 1,000 characters. */
export type OfacPart = 'primary' | 'aliases' | 'addresses' | 'comments'

const columns: Readonly<Record<OfacPart, number>> = { primary: 12, aliases: 5, addresses: 6, comments: 2 }
const kinds: Readonly<Record<string, EntryKind>> = { individual: 'person', vessel: 'vessel', aircraft: 'aircraft' }

/** OFAC publishes its files with commas, bars and at signs; mirrors use others. */
const delimiters: readonly Delimiter[] = [',', '|', '@', ';', '\t']

const isNumber = (text: string | undefined): boolean => /^\d+$/.test(text?.trim() ?? '')
const isPlaceholder = (text: string): boolean => text.trim() === '-0-'
const readValue = (text: string): string => (isPlaceholder(text) ? '' : text.trim())

function readFirstRow(text: string, delimiter: Delimiter): string[] {
  try {
    return csvRows(text, delimiter).next().value ?? []
  } catch {
    return []
  }
}

/** Returns whether a file has the name of OFAC's remarks: `sdn_comments.csv` or `cons_comments.csv`. */
export const isOfacComments = (fileName: string): boolean => /(?:sdn|cons)_?comments\b/i.test(fileName)

function recognizePart(row: readonly string[], fileName: string): OfacPart | undefined {
  if (!isNumber(row[0])) return undefined
  if (row.length === columns.primary) return 'primary'
  if (row.length === columns.addresses && isNumber(row[1])) return 'addresses'
  if (row.length === columns.aliases && /^[afn]ka$/i.test(row[2]?.trim() ?? '')) return 'aliases'
  return row.length === columns.comments || (row.length > 1 && isOfacComments(fileName)) ? 'comments' : undefined
}

export interface OfacFile {
  readonly name: string
  readonly text: string
  readonly part: OfacPart
  readonly delimiter: Delimiter
}

/** Header row, which OFAC's own files lack but mirrors add. */
const header = /^\s*"?ent_num"?[^\n]*\n/i

/** Returns a file with its part and delimiter; undefined if it is not an OFAC file. */
export function recognizeOfacFile<File extends { readonly name: string; readonly text: string }>(
  file: File,
): (File & OfacFile) | undefined {
  const text = file.text.replace(header, '')
  for (const delimiter of delimiters) {
    const part = recognizePart(readFirstRow(text, delimiter), file.name)
    if (part) return Object.assign({}, file, { text, part, delimiter })
  }
  return undefined
}

/** Returns the rows of a file with values as written. Throws ListFileError, with the file's name. */
function readRows({ name, text, part, delimiter }: OfacFile): string[][] {
  const rows = readNamed(name, () => readCsv(text, delimiter))
  for (const [index, row] of rows.entries()) {
    const hasColumns = part === 'comments' ? row.length > 1 : row.length === columns[part]
    if (hasColumns && isNumber(row[0])) continue
    throw new ListFileError(`${name}: row ${index + 1} is no row of this list: it is damaged or cut off.`)
  }
  return rows
}

function readNamed<Result>(name: string, read: () => Result): Result {
  try {
    return read()
  } catch (error) {
    throw error instanceof ListFileError ? new ListFileError(`${name} is refused: ${error.message}`) : error
  }
}

/** Adds weak aliases (in quotes), birth dates, nationalities and birth countries from the remarks. */
function addRemarks(entry: EntryDraft, remarks: string): void {
  for (const [, , name] of remarks.matchAll(/\b([afn])\.k\.a\. ["'‘“](.+?)["'’”](?=[;,.)]|$)/g))
    entry.addName(name, 'weak')
  for (const remark of remarks.split(/;\s*|\.$/)) {
    const birthText = /^(?:alt\. )?DOB (.+)$/.exec(remark.trim())?.[1]
    if (birthText) entry.addBirthDate(readWrittenDate(birthText))
    const country = /^(?:alt\. )?(?:nationality|citizen|POB .*,) (.+)$/.exec(remark.trim())?.[1]
    if (country) entry.addCountry(findCountryCode(country))
  }
}

/** Files of one OFAC list: the main file, and those joined to it by the first column. */
export interface OfacFiles {
  readonly source: 'ofac_sdn' | 'ofac_consolidated'
  readonly primary: OfacFile
  readonly aliases: OfacFile | undefined
  readonly addresses: OfacFile | undefined
  readonly comments: OfacFile | undefined
}

/** Returns the continued remarks by entry number. Joins them without a space, since OFAC cuts remarks within words. */
function readComments(file: OfacFile | undefined): Map<string, string> {
  const comments = new Map<string, string>()
  for (const [reference = '', ...texts] of file ? readRows(file) : []) {
    const number = reference.trim()
    comments.set(number, `${comments.get(number) ?? ''}${texts.join(file?.delimiter)}`)
  }
  return comments
}

const maxShownNumbers = 5

/** Returns a note about remarks of unknown entries, which are skipped and do not make a list invalid. */
function describeUnknownComments({ primary, comments }: OfacFiles, numbers: readonly string[]): string[] {
  if (!comments || numbers.length === 0) return []
  const shown = numbers.slice(0, maxShownNumbers).join(', ')
  const ellipsis = numbers.length > maxShownNumbers ? ', …' : ''
  return [`${comments.name}: skipped the remarks of entries that ${primary.name} does not have: ${shown}${ellipsis}.`]
}

/**
 * Reads a list of the Office of Foreign Assets Control, US Treasury: rows without a header, joined by the first column,
 * with `-0-` for empty values (OFAC, "SDN List Data Specification"). Throws ListFileError for damaged files, and for
 * aliases or addresses of unknown entries, which show that a file is older or cut off.
 */
export function readOfac(files: OfacFiles): ParsedList {
  const { source, primary, aliases, addresses } = files
  const comments = readComments(files.comments)
  const entries = new Map<string, EntryDraft>()
  for (const row of readRows(primary)) {
    const [reference = '', name, kind = '', programme = ''] = row.map(readValue)
    if (entries.has(reference)) throw new ListFileError(`${primary.name} has entry ${reference} twice.`)
    const entry = createEntryDraft(reference, kinds[kind.toLowerCase()] ?? 'entity', programme)
    entry.addName(name, 'primary')
    const remarks = row[11] ?? ''
    addRemarks(entry, `${isPlaceholder(remarks) ? '' : remarks}${comments.get(reference) ?? ''}`.trim())
    comments.delete(reference)
    entries.set(reference, entry)
  }
  const findDraft = (reference: string, file: OfacFile): EntryDraft => {
    const entry = entries.get(reference)
    if (entry) return entry
    throw new ListFileError(
      `${file.name} names entry ${reference}, which ${primary.name} has not: they are not of one day, or one is cut off.`,
    )
  }
  for (const row of aliases ? readRows(aliases) : []) {
    const [reference = '', , , name] = row.map(readValue)
    if (aliases) findDraft(reference, aliases).addName(name, 'alias')
  }
  for (const row of addresses ? readRows(addresses) : []) {
    const [reference = '', , , , country = ''] = row.map(readValue)
    if (addresses) findDraft(reference, addresses).addCountry(findCountryCode(country))
  }
  return {
    source,
    publishedAt: undefined,
    entries: readNamed(primary.name, () => [...entries.values()].map((entry) => entry.build())),
    notes: describeUnknownComments(files, [...comments.keys()]),
  }
}
