// Building blocks of a receipt, each of which is measured before it is drawn.

import type { ReceiptLine } from '@tern/contract/receipt/receipt-sheet'
import { ink, type TextLook, type Paper } from './pdf-paper.ts'
import type { Structure } from './structure.ts'

/** Tools that blocks draw with. */
export interface DrawingContext {
  readonly paper: Paper
  readonly structure: Structure
  /** Space above and below each row of a table. */
  readonly rowPadding: number
}

/** Content of known height, never split between pages. */
export interface Block {
  readonly height: number
  readonly draw: (x: number, top: number) => void
}

export const dim = '#3f5160'
export const hairline = '#c9d2d7'
export const gap = 24
/** Distance from the middle of a text line to its baseline, as a share of the type size. */
const baseBelowMiddle = 0.36

/** Look of a text; `step` is its line height. */
export interface TextStyle {
  readonly look: TextLook
  readonly step: number
}

export const body: TextStyle = { look: { size: 13, color: dim }, step: 18 }
export const strongStyle: TextStyle = { look: { size: 13, face: 'strong' }, step: 18 }
const label: TextStyle = { look: { size: 12, face: 'strong', color: dim }, step: 16 }
const labelGap = 6

const computeBaseline = (top: number, { look, step }: TextStyle): number => top + step / 2 + look.size * baseBelowMiddle

export const emptyBlock: Block = { height: 0, draw: () => {} }

export function rule({ paper }: DrawingContext, x: number, y: number, width: number, color = hairline): void {
  paper.decorate(() =>
    paper.document
      .lineWidth(1)
      .moveTo(x, y)
      .lineTo(x + width, y)
      .stroke(color),
  )
}

/** Writes lines one below the other, aligned at the edge where their direction begins or, with `end`, at the right. */
export function writeLines(
  { paper }: DrawingContext,
  lines: readonly string[],
  x: number,
  top: number,
  width: number,
  style: TextStyle,
): void {
  const { look, step } = style
  const isFromRight = look.align === 'end' || look.direction === 'rtl'
  lines.forEach((line, index) => {
    if (line === '') return
    const base = computeBaseline(top + index * step, style)
    paper.write(line, isFromRight ? x + width : x, base, isFromRight ? { ...look, align: 'end' } : look)
  })
}

/** Text, broken into lines of this width. */
export function textBlock(context: DrawingContext, text: string, width: number, style: TextStyle, type = 'P'): Block {
  const lines = context.paper.breakLines(text, width, style.look)
  return {
    height: lines.length * style.step,
    draw: (x, top) => context.structure.part(type, () => writeLines(context, lines, x, top, width, style)),
  }
}

/** Stacks blocks, `space` apart; leaves out those without height. */
export function stackBlocks(blocks: readonly Block[], space = 0): Block {
  const visibleBlocks = blocks.filter(({ height }) => height > 0)
  return {
    height: visibleBlocks.reduce((sum, { height }) => sum + height, 0) + Math.max(0, visibleBlocks.length - 1) * space,
    draw(x, top) {
      let y = top
      for (const block of visibleBlocks) {
        block.draw(x, y)
        y += block.height + space
      }
    },
  }
}

/** Empty space. */
export const spacer = (height: number): Block => ({ height, draw: () => {} })

/** Block under a small heading. */
export const labeled = (context: DrawingContext, text: string, width: number, block: Block): Block =>
  stackBlocks([textBlock(context, text, width, label, 'H2'), spacer(labelGap), block])

/** Maximum share of a row's width that is kept for its term while its value is broken into lines. */
const maxTermShare = 0.45

interface ReceiptRow {
  readonly line: ReceiptLine
  readonly terms: readonly string[]
  readonly values: readonly string[]
  readonly height: number
}

/** Table with terms at the left and values at the right, and a hairline between its rows. */
export function rowsBlock(context: DrawingContext, lines: readonly ReceiptLine[], width: number): Block {
  const { paper, rowPadding } = context
  const rows = lines.map((line): ReceiptRow => {
    const termWidth = Math.min(paper.measureWidth(line.term, termStyle(line).look), width * maxTermShare)
    const values = paper.breakLines(line.value, width - termWidth - 16, strongStyle.look)
    const widest = values.reduce((maximum, each) => Math.max(maximum, paper.measureWidth(each, strongStyle.look)), 0)
    const terms = paper.breakLines(line.term, width - widest - 16, termStyle(line).look)
    return { line, terms, values: values, height: Math.max(terms.length, values.length) * body.step + 2 * rowPadding }
  })
  const starts = rows.map((_, index) => rows.slice(0, index).reduce((sum, { height }) => sum + height, 0))
  const computeRowTop = (top: number, index: number): number => top + (starts[index] ?? 0) + rowPadding
  return {
    height: rows.reduce((sum, { height }) => sum + height, 0) - rowPadding,
    draw(x, top) {
      rows.forEach(({ line }, index) => {
        if (index > 0) rule(context, x, top + (starts[index] ?? 0), width, line.isTotal ? ink : hairline)
      })
      context.structure.table(
        lines,
        (line, index) =>
          writeLines(context, rows[index]?.terms ?? [], x, computeRowTop(top, index), width, termStyle(line)),
        (_, index) =>
          writeLines(context, rows[index]?.values ?? [], x, computeRowTop(top, index), width, alignEnd(strongStyle)),
      )
    },
  }
}

const termStyle = ({ isTotal }: ReceiptLine): TextStyle => (isTotal ? strongStyle : body)
export const alignEnd = ({ look, step }: TextStyle): TextStyle => ({ look: { ...look, align: 'end' }, step })

export interface Column {
  readonly block: Block
  readonly width: number
}

/** Blocks side by side, aligned at their tops, with a hairline between them. */
export function columns(context: DrawingContext, all: readonly Column[]): Block {
  const height = all.reduce((maximum, { block }) => Math.max(maximum, block.height), 0)
  return {
    height,
    draw(x, top) {
      let at = x
      all.forEach(({ block, width }, index) => {
        if (index > 0) {
          context.paper.decorate(() =>
            context.paper.document
              .lineWidth(1)
              .moveTo(at - gap, top)
              .lineTo(at - gap, top + height)
              .stroke(hairline),
          )
        }
        block.draw(at, top)
        at += width + 2 * gap
      })
    },
  }
}
