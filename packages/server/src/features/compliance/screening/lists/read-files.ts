import { csvRows, type Delimiter } from './csv.ts'
import { ListFileError, type ParsedList } from './entry.ts'
import { euRoot, isEuHeader, readEuCsv, readEuXml } from './eu.ts'
import { isOfacComments, type OfacFile, recognizeOfacFile, type OfacPart, readOfac } from './ofac.ts'
import { isPepHeader, readPep } from './pep.ts'
import { isUkHeader, readUkCsv, readUkXml, ukRoot } from './uk.ts'
import { readUn, unRoot } from './un.ts'

/** File to read; `name` has no folders. */
export interface ListFile {
  readonly name: string
  readonly bytes: Uint8Array
}

export interface FoundList {
  readonly list: ParsedList
  readonly files: readonly ListFile[]
}

interface TextFile extends ListFile {
  readonly text: string
}

const xmlParsers: Readonly<Record<string, ListParser>> = {
  [unRoot]: readUn,
  [euRoot]: readEuXml,
  [ukRoot]: readUkXml,
}

/** Trailing bytes that some publishers append: the DOS end-of-file character, or zeros. */
// oxlint-disable-next-line no-control-regex -- these signs
const endOfFile = /[\s\u0000\u001A]+$/

/** Returns the text of a file; undefined for an empty file of OFAC's remarks, which is valid. Throws ListFileError. */
function decode(file: ListFile): TextFile | undefined {
  const text = decodeFile(file).replace(endOfFile, '\n')
  if (text.trim() !== '') return { ...file, text }
  if (isOfacComments(file.name)) return undefined
  throw new ListFileError(`${file.name} is empty: it is none of the lists that can be read.`)
}

function decodeFile({ name, bytes }: ListFile): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw new ListFileError(`${name} is not written in UTF-8: it is damaged or cut off, or no list.`)
  }
}

type ListParser = (text: string) => ParsedList

interface TableFormat {
  readonly isHeader: (row: readonly string[]) => boolean
  readonly read: (text: string, delimiter: Delimiter) => ParsedList
}
const tables: readonly TableFormat[] = [
  { isHeader: isEuHeader, read: readEuCsv },
  { isHeader: isUkHeader, read: readUkCsv },
  { isHeader: isPepHeader, read: readPep },
]
const delimiters: readonly Delimiter[] = [',', ';', '|', '\t']
/** Maximum number of rows above the header: some publishers put a date there. */
const rowsAboveHeader = 5

function readFirstRows(text: string, delimiter: Delimiter): string[][] {
  const rows: string[][] = []
  try {
    for (const row of csvRows(text, delimiter)) {
      rows.push(row.map((name) => name.trim()))
      if (rows.length > rowsAboveHeader) break
    }
  } catch {
    // The sample ends within quotes; its first rows are enough.
  }
  return rows
}

/** Returns the parser of a list in one file, by its root element or header. */
function chooseParser({ text }: TextFile): ListParser | undefined {
  const head = text.slice(0, 20_000)
  if (/^\s*</.test(head)) {
    const root = /<(?![?!])(?:[\w-]+:)?([\w-]+)/.exec(head)?.[1] ?? ''
    return Object.hasOwn(xmlParsers, root) ? xmlParsers[root] : undefined
  }
  for (const delimiter of delimiters) {
    const rows = readFirstRows(head, delimiter)
    const format = tables.find(({ isHeader }) => rows.some(isHeader))
    if (format) return (fileText) => format.read(fileText, delimiter)
  }
  return undefined
}

function readSingleFile(file: TextFile): FoundList {
  const parse = chooseParser(file)
  if (!parse) {
    throw new ListFileError(
      `${file.name} is none of the lists that can be read: OFAC (CSV), UN (XML), EU and UK (CSV or XML), OpenSanctions (CSV).`,
    )
  }
  try {
    return { list: parse(file.text), files: [file] }
  } catch (error) {
    if (error instanceof ListFileError) throw new ListFileError(`${file.name} is refused: ${error.message}`)
    throw error
  }
}

/**
 * Reads OFAC's lists, each of several files: `sdn.csv`, `alt.csv`, `add.csv` and `sdn_comments.csv`, and the same with
 * the prefix `cons_`.
 */
function readOfacFiles(files: readonly (TextFile & OfacFile)[], mayLackAliases: boolean): FoundList[] {
  return ([true, false] as const).flatMap((isConsolidated) => {
    const ownFiles = files.filter(({ name }) => /^cons/i.test(name) === isConsolidated)
    if (ownFiles.length === 0) return []
    const findPart = (part: OfacPart) => {
      const [file, secondFile] = ownFiles.filter((candidate) => candidate.part === part)
      if (secondFile) throw new ListFileError(`${file?.name} and ${secondFile.name} are the same part of one list.`)
      return file
    }
    const primary = findPart('primary')
    const aliases = findPart('aliases')
    const [main, alt] = isConsolidated ? ['cons_prim.csv', 'cons_alt.csv'] : ['sdn.csv', 'alt.csv']
    if (!primary) throw new ListFileError(`${ownFiles[0]?.name} belongs to ${main}, which was not given.`)
    if (!aliases && !mayLackAliases) {
      throw new ListFileError(`${primary.name} needs ${alt} beside it: without it the aliases are missing.`)
    }
    const source = isConsolidated ? 'ofac_consolidated' : 'ofac_sdn'
    const addresses = findPart('addresses')
    return [
      { list: readOfac({ source, primary, aliases, addresses, comments: findPart('comments') }), files: ownFiles },
    ]
  })
}

/**
 * Reads the lists in these files, which may be in any order and are recognised by content; OFAC's two lists are
 * distinguished by file name. With `mayLackAliases`, OFAC's main file is accepted without its aliases. Throws
 * ListFileError for unknown, damaged, truncated or empty files.
 */
export function readListFiles(files: readonly ListFile[], mayLackAliases = false): FoundList[] {
  const texts = files.map(decode).filter((file) => file !== undefined)
  if (texts.length === 0) throw new ListFileError(`${files.map(({ name }) => name).join(', ')} has no list.`)
  const ofac = texts.map(recognizeOfacFile).filter((file) => file !== undefined)
  const singleFiles = texts.filter((file) => !ofac.some(({ bytes }) => bytes === file.bytes))
  const parsedLists = [...readOfacFiles(ofac, mayLackAliases), ...singleFiles.map(readSingleFile)]
  for (const { list, files: listFiles } of parsedLists) {
    const names = listFiles.map(({ name }) => name).join(', ')
    if (list.entries.length === 0) throw new ListFileError(`${names} has no entries.`)
    const references = new Set(list.entries.map(({ reference }) => reference))
    if (references.size < list.entries.length) throw new ListFileError(`${names} has an entry twice.`)
  }
  return parsedLists
}
