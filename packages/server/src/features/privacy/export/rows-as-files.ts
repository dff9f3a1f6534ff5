// One file of an export, as text in pieces.

export type ExportFormat = 'json' | 'csv'

/** A row as the database gives it: large numbers are `bigint`. */
export type ExportRow = Readonly<Record<string, unknown>>

function plain(value: unknown): unknown {
  if (typeof value === 'bigint') return value.toString()
  return value
}

/** Spreadsheets take a cell that begins like this for a formula; a number may begin with a minus. */
const formula = /^[=+\-@\t\r]/
const number = /^-?\d+(\.\d+)?$/

function cellOf(value: unknown): string {
  if (value === null || value === undefined) return ''
  if (value instanceof Date) return value.toISOString()
  const text = typeof value === 'string' ? value : typeof value === 'bigint' ? value.toString() : JSON.stringify(value)
  const harmless = formula.test(text) && !number.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless
}

/** RFC 4180, with the names of the columns first. */
const csvLine = (cells: readonly string[]): string => `${cells.join(',')}\r\n`

/** What stands before the rows, for a row, and after them. */
export interface FileText {
  begin(columns: readonly string[]): string
  row(columns: readonly string[], row: ExportRow): string
  readonly end: string
}

/** Writes rows of one file; for JSON, an array of objects with one line for each. */
export function fileText(format: ExportFormat): FileText {
  if (format === 'csv')
    return {
      begin: (columns) => csvLine(columns.map(cellOf)),
      row: (columns, row) => csvLine(columns.map((column) => cellOf(row[column]))),
      end: '',
    }
  let separator = '\n'
  return {
    begin: () => '[',
    row(_columns, row) {
      const text = `${separator}${JSON.stringify(row, (_key, value: unknown) => plain(value))}`
      separator = ',\n'
      return text
    },
    end: '\n]\n',
  }
}
