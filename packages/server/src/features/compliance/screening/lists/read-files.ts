import { readCsv } from './csv.ts'
import { ListFileError, type ParsedList } from './entry.ts'
import { euRoot, isEuHeader, readEuCsv, readEuXml } from './eu.ts'
import { ofacPartOf, type OfacPart, readOfac } from './ofac.ts'
import { isPepHeader, readPep } from './pep.ts'
import { isUkHeader, readUkCsv, readUkXml, ukRoot } from './uk.ts'
import { readUn, unRoot } from './un.ts'

/** A file as it was given: its name without folders, and its bytes. */
export interface ListFile {
  readonly name: string
  readonly bytes: Uint8Array
}

/** A list with the files it was read from. */
export interface FoundList {
  readonly list: ParsedList
  readonly files: readonly ListFile[]
}

interface TextFile extends ListFile {
  readonly text: string
}

const xmlReaders: Readonly<Record<string, (text: string) => ParsedList>> = {
  [unRoot]: readUn,
  [euRoot]: readEuXml,
  [ukRoot]: readUkXml,
}

function decode(file: ListFile): TextFile {
  try {
    return { ...file, text: new TextDecoder('utf-8', { fatal: true }).decode(file.bytes) }
  } catch {
    throw new ListFileError(`${file.name} is not written in UTF-8: it is damaged or cut off, or no list.`)
  }
}

/** The reader of a file that is a list by itself, recognised by its root element or its header. */
function readerOf({ text }: TextFile): ((text: string) => ParsedList) | undefined {
  const head = text.slice(0, 20_000)
  if (/^\s*</.test(head)) {
    const root = /<(?![?!])(?:[\w-]+:)?([\w-]+)/.exec(head)?.[1] ?? ''
    return Object.hasOwn(xmlReaders, root) ? xmlReaders[root] : undefined
  }
  const lines = head.split(/\r?\n/).slice(0, 3)
  const hasHeader = (delimiter: ',' | ';', isHeader: (row: readonly string[]) => boolean) =>
    lines.some((line) => isHeader(headerOf(line, delimiter)))
  if (hasHeader(';', isEuHeader)) return readEuCsv
  if (hasHeader(',', isUkHeader)) return readUkCsv
  return hasHeader(',', isPepHeader) ? readPep : undefined
}

function headerOf(line: string, delimiter: ',' | ';'): string[] {
  try {
    return readCsv(line, delimiter)[0]?.map((name) => name.trim()) ?? []
  } catch {
    return []
  }
}

function readAlone(file: TextFile): FoundList {
  const read = readerOf(file)
  if (!read) {
    throw new ListFileError(
      `${file.name} is none of the lists that can be read: OFAC (CSV), UN (XML), EU and UK (CSV or XML), OpenSanctions (CSV).`,
    )
  }
  try {
    return { list: read(file.text), files: [file] }
  } catch (error) {
    if (error instanceof ListFileError) throw new ListFileError(`${file.name} is refused: ${error.message}`)
    throw error
  }
}

/** OFAC publishes `sdn.csv`, `alt.csv`, `add.csv`, and the same as `cons_prim.csv`, `cons_alt.csv`, `cons_add.csv`. */
function readOfacFiles(files: readonly (TextFile & { part: OfacPart })[], mayLackAliases: boolean): FoundList[] {
  return ([true, false] as const).flatMap((isConsolidated) => {
    const own = files.filter(({ name }) => /^cons/i.test(name) === isConsolidated)
    if (own.length === 0) return []
    const partOf = (part: OfacPart) => {
      const [file, more] = own.filter((one) => one.part === part)
      if (more) throw new ListFileError(`${file?.name} and ${more.name} are the same part of one list.`)
      return file
    }
    const [primary, aliases, addresses] = [partOf('primary'), partOf('aliases'), partOf('addresses')]
    const [main, alt] = isConsolidated ? ['cons_prim.csv', 'cons_alt.csv'] : ['sdn.csv', 'alt.csv']
    if (!primary) throw new ListFileError(`${own[0]?.name} belongs to ${main}, which was not given.`)
    if (!aliases && !mayLackAliases) {
      throw new ListFileError(`${primary.name} needs ${alt} beside it: without it the aliases are missing.`)
    }
    const source = isConsolidated ? 'ofac_consolidated' : 'ofac_sdn'
    return [{ list: readOfac({ source, primary, aliases, addresses }), files: own }]
  })
}

/**
 * Recognises each file by its content and reads the lists. With `mayLackAliases`, OFAC's main file may stand without
 * its file of aliases. Throws ListFileError for files that are none of the known lists, damaged, cut off or empty.
 */
export function readListFiles(files: readonly ListFile[], mayLackAliases = false): FoundList[] {
  const texts = files.map(decode)
  const ofac = texts.flatMap((file) => {
    const part = ofacPartOf(file.text)
    return part ? [{ ...file, part }] : []
  })
  const alone = texts.filter((file) => !ofac.some(({ name }) => name === file.name))
  const found = [...readOfacFiles(ofac, mayLackAliases), ...alone.map(readAlone)]
  for (const { list, files: of } of found) {
    const names = of.map(({ name }) => name).join(', ')
    if (list.entries.length === 0) throw new ListFileError(`${names} has no entries.`)
    const references = new Set(list.entries.map(({ reference }) => reference))
    if (references.size < list.entries.length) throw new ListFileError(`${names} has an entry twice.`)
  }
  return found
}
