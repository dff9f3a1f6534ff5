import type { ReceiptLine } from '@tern/contract/receipt/receipt-sheet'
import type { Paper } from './pdf-paper.ts'

interface TableCell {
  readonly draw: () => void
  /** True for a heading of the column. */
  readonly isHead?: boolean
}

/** Member of pdfkit's structure elements that its types leave out. */
interface StoredElement {
  readonly dictionary: { readonly data: Record<string, unknown> }
}

export type Structure = ReturnType<typeof startStructure>

/** Starts the tag structure of a document, whose parts are in reading order over all pages. */
export function startStructure({ document }: Paper) {
  const root = document.struct('Document')
  document.addStructure(root)
  return {
    /** Adds a part with its content; `type` is its role for screen readers. */
    part: (type: string, draw: () => void, alt?: string) =>
      void root.add(document.struct(type, alt === undefined ? {} : { alt }, draw)),
    /** Adds a table of terms and values, drawn row by row. */
    table(
      rows: readonly ReceiptLine[],
      drawTerm: (row: ReceiptLine, index: number) => void,
      drawValue: (row: ReceiptLine, index: number) => void,
    ) {
      const table = document.struct('Table')
      root.add(table)
      rows.forEach((row, index) => {
        const line = document.struct('TR')
        table.add(line)
        line.add(document.struct('TH', {}, () => drawTerm(row, index)))
        line.add(document.struct('TD', {}, () => drawValue(row, index)))
        line.end()
      })
      table.end()
    },
    /** Starts a table with columns; the caller draws its rows in order, on any page, and ends it. */
    startTable() {
      const table = document.struct('Table')
      root.add(table)
      return {
        row(cells: readonly TableCell[]): void {
          const line = document.struct('TR')
          table.add(line)
          for (const { draw, isHead = false } of cells) {
            const cell = document.struct(isHead ? 'TH' : 'TD', {}, draw)
            if (isHead) (cell as unknown as StoredElement).dictionary.data.A = { O: 'Table', Scope: 'Column' }
            line.add(cell)
          }
          line.end()
        },
        end: () => table.end(),
      }
    },
    end: () => root.end(),
  }
}
