// PDF document with tags for screen readers, whose texts are set in the product's typefaces. Lengths are CSS pixels, 96
// per inch.

import PdfDocument from 'pdfkit'
import type { Face, Faces } from './letters/faces.ts'
import { breakLines, type Direction, type Line, type GlyphRun, setLine } from './letters/lines.ts'
import type { Glyph } from './letters/shape.ts'

export interface TextLook {
  readonly size: number
  readonly face?: Face
  readonly color?: string
  readonly align?: 'start' | 'end' | 'middle'
  /** Direction of the paragraph. */
  readonly direction?: Direction
}

export type PaperSize = 'A4' | 'LETTER'

export const sheets = { A4: { width: 793.7, height: 1122.5 }, LETTER: { width: 816, height: 1056 } } as const

/** Members of pdfkit's current font by which glyphs that are already shaped are drawn. */
interface EmbeddedFont {
  readonly id: string
  layout: (text: string) => unknown
  /** Embeds the glyphs from `layout` in the file, and returns their codes. */
  encode(text: string): readonly [codes: readonly string[], positions: unknown]
  ref(): unknown
}

/** Members of pdfkit's document that its types leave out. */
interface Internals {
  readonly _font: EmbeddedFont
  readonly page: { readonly fonts: Record<string, unknown> }
  addContent(content: string): unknown
}

export interface PaperOptions {
  readonly title: string
  readonly creator: string
  readonly language: string
  readonly size: PaperSize
  readonly createdAt: Date
  readonly faces: Faces
}

export type Paper = ReturnType<typeof newPaper>

const pointsPerPixel = 0.75
/** Most typeset texts that are kept for use again. */
const maxKeptLines = 2000
export const ink = '#0c1f2d'

/** Formats a number of a content stream, rounded to a thousandth. */
const formatNumber = (value: number): string => String(Math.round(value * 1000) / 1000) // not money: a place on paper

/** Converts glyphs to the result of pdfkit's `layout`, of which only ids, widths and code points are read. */
const toLayout = (glyphs: readonly Glyph[], unitsPerEm: number) => ({
  glyphs: glyphs.map(({ id, codePoints, width }) => ({ id, codePoints, advanceWidth: (width * unitsPerEm) / 1000 })),
  positions: [],
})

interface PlacedText {
  readonly code: string
  /** Text for screen readers if the run is read letter by letter; empty for combining marks. */
  readonly said: string
  /** Distance of its origin from the start of the run. */
  readonly x: number
  readonly y: number
  readonly width: number
}

/** Lam with alef is drawn as one glyph. PDF readers reverse its letters unless it is given as one code point. */
const pairs: Readonly<Record<string, string>> = { لآ: 'ﻵ', لأ: 'ﻷ', لإ: 'ﻹ', لا: 'ﻻ' }

/** Computes the positions of the glyphs, in thousandths of the type size. */
function placeText(codes: readonly string[], glyphs: readonly Glyph[]): PlacedText[] {
  let pen = 0
  return glyphs.map(({ width, xAdvance, xOffset, yOffset, text }, index) => {
    const glyph = { code: codes[index] ?? '0000', said: pairs[text] ?? text, x: pen + xOffset, y: yOffset, width }
    pen += xAdvance
    return glyph
  })
}

/**
 * PDF operator that shows glyphs on one baseline: their codes, with an offset wherever a glyph does not begin at the end
 * of the previous one.
 */
function encodeGlyphs(glyphs: readonly PlacedText[]): string {
  let end: number | undefined
  const parts: string[] = []
  for (const { code, x, width } of glyphs) {
    const startOffset = end === undefined ? 0 : end - x
    if (end === undefined || Math.abs(startOffset) > 0.01) {
      if (end !== undefined) parts.push(`> ${formatNumber(startOffset)} `)
      parts.push('<')
    }
    parts.push(code)
    end = x + width
  }
  return `[${parts.join('')}>] TJ`
}

/** PDF operators that show glyphs of one height in a line that begins at `x` and has its baseline at `y`. */
function encodePlacedText(glyphs: readonly PlacedText[], x: number, y: number, size: number): string {
  const [first] = glyphs
  const startX = x + ((first?.x ?? 0) * size) / 1000
  const base = y - ((first?.y ?? 0) * size) / 1000
  return `1 0 0 -1 ${formatNumber(startX)} ${formatNumber(base)} Tm ${encodeGlyphs(glyphs)}`
}

/** Groups consecutive glyphs of the same height. */
function groupByHeight(glyphs: readonly PlacedText[]): PlacedText[][] {
  const all: PlacedText[][] = []
  for (const glyph of glyphs) {
    const last = all.at(-1)
    if (last?.[0]?.y === glyph.y) last.push(glyph)
    else all.push([glyph])
  }
  return all
}

/** Creates a document without pages. */
export function newPaper({ title, creator, language, size, createdAt, faces }: PaperOptions) {
  const document = new PdfDocument({
    ...{ size, margin: 0, lang: language, tagged: true, displayTitle: true, pdfVersion: '1.7' },
    autoFirstPage: false,
    // The types of pdfkit lack this value.
    subset: 'PDF/UA' as PDFKit.Mixins.PDFSubsets,
    font: '',
    info: { Title: title, Creator: creator, Producer: creator, CreationDate: createdAt, ModDate: createdAt },
  })
  for (const [file, { bytes }] of faces.typefaces) document.registerFont(file, bytes)
  const lines = new Map<string, Line>()
  const internals = document as unknown as Internals

  function findLine(text: string, { face = 'text', direction = 'ltr' }: TextLook): Line {
    const key = `${face} ${direction} ${text}`
    const textLine = lines.get(key) ?? setLine(faces, text, face, direction)
    // Long documents have too many texts to keep.
    if (lines.size >= maxKeptLines) lines.clear()
    lines.set(key, textLine)
    return textLine
  }

  const measureWidth = (text: string, textLook: TextLook): number =>
    (findLine(text, textLook).width * textLook.size) / 1000

  function drawRun({ file, text, glyphs, said, isRightToLeft }: GlyphRun, x: number, y: number, size: number): void {
    const unitsPerEm = faces.typefaces.get(file)?.unitsPerEm ?? 1000
    document.font(file)
    // oxlint-disable-next-line eslint/no-underscore-dangle -- the library's own name
    const font = internals._font
    font.layout = () => toLayout(glyphs, unitsPerEm)
    const [codes] = font.encode(text)
    internals.page.fonts[font.id] ??= font.ref()
    const all = placeText(codes, glyphs)
    const show = (part: readonly PlacedText[]) => {
      internals.addContent(`BT /${font.id} ${formatNumber(size)} Tf`)
      for (const level of groupByHeight(part)) internals.addContent(encodePlacedText(level, x, y, size))
      internals.addContent('ET')
    }
    const tagActualText = (actual: string, part: readonly PlacedText[]) => {
      document.markContent('Span', { actual })
      show(part)
      document.endMarkedContent()
    }
    if (said !== undefined) tagActualText(said, all)
    else if (isRightToLeft) for (const glyph of all) tagActualText(glyph.said, [glyph])
    else show(all)
  }

  return {
    document,
    addPage(): void {
      document.addPage()
      document.scale(pointsPerPixel)
    },
    measureWidth,
    breakLines: (text: string, width: number, textLook: TextLook): string[] =>
      breakLines(text, (line) => measureWidth(line, textLook) <= width),
    /** Writes one line with its baseline at `y`. */
    write(text: string, x: number, y: number, textLook: TextLook): void {
      const { size, color = ink, align = 'start' } = textLook
      const line = findLine(text, textLook)
      const width = (line.width * size) / 1000
      let at = align === 'end' ? x - width : align === 'middle' ? x - width / 2 : x
      document.fillColor(color)
      for (const run of line.runs) {
        drawRun(run, at, y, size)
        at += (run.width * size) / 1000
      }
    },
    /** Draws content that screen readers skip. */
    decorate(draw: () => void): void {
      document.markContent('Artifact', { type: 'Layout' })
      draw()
      document.endMarkedContent()
    },
  }
}

/** Returns the bytes of a document once it has ended. */
export function collectBytes({ document }: Paper): Promise<Buffer> {
  const chunks: Buffer[] = []
  return new Promise((resolve, reject) => {
    document.on('data', (chunk: Buffer) => chunks.push(chunk))
    document.on('end', () => resolve(Buffer.concat(chunks)))
    document.on('error', reject)
  })
}
