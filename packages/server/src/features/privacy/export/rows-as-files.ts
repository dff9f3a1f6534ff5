// Formats the rows of an export file as pieces of text.

import { csvHead, csvLine } from '../../../platform/files/csv.ts'

export type ExportFormat = 'json' | 'csv'

/** Row as the driver returns it: large numbers are `bigint`. */
export type ExportRow = Readonly<Record<string, unknown>>

function plain(value: unknown): unknown {
  if (typeof value === 'bigint') return value.toString()
  return value
}

/** Text before the rows, of each row, and after the rows. */
export interface FileText {
  begin(columns: readonly string[]): string
  row(columns: readonly string[], row: ExportRow): string
  readonly end: string
}

/** Formats the rows of one file; JSON is an array with one object per line. */
export function fileText(format: ExportFormat): FileText {
  if (format === 'csv')
    return {
      begin: csvHead,
      row: (columns, row) => csvLine(columns.map((column) => row[column])),
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
