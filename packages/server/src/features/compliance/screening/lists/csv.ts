import { ListFileError } from './entry.ts'

/** Value separators that publishers use. */
export type Delimiter = ',' | ';' | '|' | '@' | '\t'

/** Blank line, or a line with only a comment after `#`. */
const commentLine = /[ \t]*(?:#[^\n]*)?(?:\r?\n|\r|$)/y

function skipCommentLines(text: string, from: number): number {
  let at = from
  while (at < text.length) {
    commentLine.lastIndex = at
    if (!commentLine.test(text)) return at
    at = commentLine.lastIndex
  }
  return at
}

/**
 * Yields the rows of a CSV text (RFC 4180) without blank lines and comments. Throws ListFileError if the text ends
 * within quotes.
 */
export function* csvRows(text: string, delimiter: Delimiter): Generator<string[]> {
  let row: string[] = []
  let at = skipCommentLines(text, 0)
  while (at < text.length) {
    const [value, next] = text[at] === '"' ? readQuotedValue(text, at, delimiter) : readPlainValue(text, at, delimiter)
    row.push(value)
    const end = text[next]
    at = next + 1
    if (end === delimiter && at === text.length) row.push('')
    if (end === '\r' && text[at] === '\n') at += 1
    if (end === delimiter) continue
    yield row
    row = []
    at = skipCommentLines(text, at)
  }
  if (row.length > 0) yield row
}

/** Returns all rows of a CSV text. Throws like `csvRows`. */
export const readCsv = (text: string, delimiter: Delimiter): string[][] => [...csvRows(text, delimiter)]

function readPlainValue(text: string, from: number, delimiter: string): [value: string, end: number] {
  let end = from
  while (end < text.length && text[end] !== delimiter && text[end] !== '\n' && text[end] !== '\r') end += 1
  return [text.slice(from, end), end]
}

function readQuotedValue(text: string, from: number, delimiter: string): [value: string, end: number] {
  let end = from + 1
  for (;;) {
    end = text.indexOf('"', end)
    if (end === -1) throw new ListFileError('it ends in the middle of a row')
    if (text[end + 1] !== '"') break
    end += 2
  }
  const value = text.slice(from + 1, end).replaceAll('""', '"')
  // Ignores text between the closing quote and the delimiter.
  const [, next] = readPlainValue(text, end + 1, delimiter)
  return [value, next]
}

/**
 * Reads the non-empty rows below the header as maps by column name. Throws ListFileError if a row has another number of
 * columns.
 */
export function readTable(
  text: string,
  delimiter: Delimiter,
  isHeader: (row: readonly string[]) => boolean,
): { rowsAbove: string[][]; rows: Map<string, string>[] } {
  const allRows = readCsv(text, delimiter).filter((row) => row.some((value) => value.trim() !== ''))
  const start = allRows.findIndex(isHeader)
  const header = allRows[start]?.map((name) => name.trim()) ?? []
  const rows = allRows.slice(start + 1).map((row, index) => {
    if (row.length !== header.length) {
      throw new ListFileError(
        `row ${index + start + 2} has ${row.length} of ${header.length} columns: it is damaged or cut off`,
      )
    }
    return new Map(header.map((name, column) => [name, row[column]?.trim() ?? '']))
  })
  return { rowsAbove: allRows.slice(0, start), rows }
}
