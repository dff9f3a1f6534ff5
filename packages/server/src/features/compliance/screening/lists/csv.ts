import { ListFileError } from './entry.ts'

/** The rows of a CSV text (RFC 4180, any delimiter). Throws ListFileError when it ends within quotes. */
export function readCsv(text: string, delimiter: ',' | ';'): string[][] {
  const rows: string[][] = []
  let row: string[] = []
  let at = 0
  const endRow = () => {
    if (row.length > 1 || row[0]?.trim()) rows.push(row)
    row = []
  }
  while (at < text.length) {
    const [value, next] = text[at] === '"' ? quotedAt(text, at, delimiter) : plainAt(text, at, delimiter)
    row.push(value)
    const end = text[next]
    at = next + 1
    if (end === delimiter && at === text.length) row.push('')
    if (end === '\r' && text[at] === '\n') at += 1
    if (end !== delimiter) endRow()
  }
  endRow()
  return rows
}

function plainAt(text: string, from: number, delimiter: string): [value: string, end: number] {
  let end = from
  while (end < text.length && text[end] !== delimiter && text[end] !== '\n' && text[end] !== '\r') end += 1
  return [text.slice(from, end), end]
}

function quotedAt(text: string, from: number, delimiter: string): [value: string, end: number] {
  let end = from + 1
  for (;;) {
    end = text.indexOf('"', end)
    if (end === -1) throw new ListFileError('it ends in the middle of a row')
    if (text[end + 1] !== '"') break
    end += 2
  }
  const value = text.slice(from + 1, end).replaceAll('""', '"')
  // What stands between the closing quote and the delimiter belongs to nothing.
  const [, next] = plainAt(text, end + 1, delimiter)
  return [value, next]
}

/** Rows as objects by the header's names. Throws ListFileError for a row that has not one value for each. */
export function readTable(
  text: string,
  delimiter: ',' | ';',
  isHeader: (row: readonly string[]) => boolean,
): { before: string[][]; rows: Map<string, string>[] } {
  const all = readCsv(text, delimiter)
  const start = all.findIndex(isHeader)
  const header = all[start]?.map((name) => name.trim()) ?? []
  const rows = all.slice(start + 1).map((row, index) => {
    if (row.length !== header.length) {
      throw new ListFileError(
        `row ${index + start + 2} has ${row.length} of ${header.length} columns: it is damaged or cut off`,
      )
    }
    return new Map(header.map((name, column) => [name, row[column]?.trim() ?? '']))
  })
  return { before: all.slice(0, start), rows }
}
