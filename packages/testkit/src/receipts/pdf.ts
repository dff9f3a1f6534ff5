// Reads PDFs of the product: texts in drawing order, with their positions, page by page.

import { inflateSync } from 'node:zlib'

/** Run of glyphs, or its replacement text for screen readers. Lengths are in points from the upper left corner. */
export interface PdfWord {
  readonly text: string
  readonly left: number
  readonly right: number
  /** Baseline. */
  readonly base: number
}

export interface PdfPage {
  readonly width: number
  readonly height: number
  readonly words: readonly PdfWord[]
}

interface PdfObject {
  readonly dictionary: string
  readonly stream: string
}

interface PdfFont {
  readonly letters: ReadonlyMap<string, string>
  /** Width of each glyph in thousandths of the font size. */
  readonly widths: readonly number[]
}

type Matrix = readonly [number, number, number, number, number, number]

const readNumber = (pattern: RegExp, text: string): number => Number(pattern.exec(text)?.[1] ?? -1) // not money: a number in a file

/** Returns the objects of a file by number, with decompressed streams. */
function readObjects(file: Buffer): Map<number, PdfObject> {
  const text = file.toString('latin1')
  const objects = new Map<number, PdfObject>()
  for (const match of text.matchAll(/(\d+) 0 obj\n([\s\S]*?)\nendobj/g)) {
    const [, number = '', body = ''] = match
    const [dictionary = '', streamText] = body.split(/stream\n/, 2)
    const streamStart = (match.index ?? 0) + match[0].indexOf('stream\n') + 'stream\n'.length
    const bytes = file.subarray(streamStart, streamStart + readNumber(/\/Length (\d+)/, dictionary))
    const isCompressed = dictionary.includes('/FlateDecode')
    const stream = streamText === undefined ? '' : (isCompressed ? inflateSync(bytes) : bytes).toString('latin1')
    objects.set(Number(number), { dictionary, stream }) // not money: a number in a file
  }
  return objects
}

const utf16 = (bytes: Buffer): string => Buffer.from(bytes).swap16().toString('utf16le')

/** Returns the characters of a font by glyph, whose code has four hexadecimal digits. */
function readGlyphs(table: string): Map<string, string> {
  const glyphs = new Map<string, string>()
  for (const [, range = ''] of table.matchAll(/beginbfrange\n([\s\S]*?)\nendbfrange/g)) {
    for (const [, first = '', letters = ''] of range.matchAll(/<(\w{4})> <\w{4}> \[([^\]]*)\]/g)) {
      ;[...letters.matchAll(/<([\w ]*)>/g)].forEach(([, letter = ''], index) => {
        const glyph = (Number.parseInt(first, 16) + index).toString(16).padStart(4, '0') // not money: a number in a file
        glyphs.set(glyph, utf16(Buffer.from(letter.replaceAll(' ', ''), 'hex')))
      })
    }
  }
  return glyphs
}

function readFonts(objects: ReadonlyMap<number, PdfObject>): Map<string, PdfFont> {
  const fonts = new Map<string, PdfFont>()
  for (const { dictionary } of objects.values()) {
    for (const [, name = '', number] of dictionary.matchAll(/\/(F\d+) (\d+) 0 R/g)) {
      const font = objects.get(Number(number))?.dictionary ?? '' // not money: a number in a file
      const table = objects.get(readNumber(/\/ToUnicode (\d+) 0 R/, font))
      const descendant = objects.get(readNumber(/\/DescendantFonts \[(\d+) 0 R/, font))?.dictionary ?? ''
      const widths = /\/W \[0 \[([^\]]*)\]/.exec(descendant)?.[1]?.split(' ').map(Number) ?? []
      if (table) fonts.set(name, { letters: readGlyphs(table.stream), widths })
    }
  }
  return fonts
}

/** Decodes a string in a content stream, which PDF encloses in parentheses. */
function decodeString(literal: string): string {
  const plain = literal.replaceAll(/\\([nrtbf\\()])/g, (_, letter: string) => escapes[letter] ?? letter)
  const bytes = Buffer.from(plain, 'latin1')
  return plain.startsWith('\u00fe\u00ff') ? utf16(bytes.subarray(2)) : plain
}

const escapes: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', b: '\b', f: '\f' }

const multiplyMatrices = ([a, b, c, d, e, f]: Matrix, [g, h, i, j, k, l]: Matrix): Matrix => [
  ...([a * g + b * i, a * h + b * j, c * g + d * i] as const),
  ...([c * h + d * j, e * g + f * i + k, e * h + f * j + l] as const),
]

const parseFigure = (text: string | undefined): number => Number(text) // not money: a number in a file
const sumFigures = (figures: readonly number[]): number => figures.reduce((sum, each) => sum + each, 0)

const operators =
  /(?<save>^q$)|(?<restore>^Q$)|^(?<transform>[-\d. ]+) cm$|\/(?<font>F\d+) (?<size>[\d.]+) Tf|1 0 0 -1 (?<x>[-\d.]+) (?<y>[-\d.]+) Tm \[(?<glyphRun>[^\]]*)\] TJ|\/Span <<\s*\/ActualText \((?<actualText>(?:\\[\s\S]|[^\\)])*)\)\s*>> BDC|(?<begin>(?:BDC|BMC)$)|(?<end>^EMC$)/gm

/** Returns the words that a content stream draws. */
function readWords(content: string, fonts: ReadonlyMap<string, PdfFont>, pageHeight: number): PdfWord[] {
  let matrix: Matrix = [1, 0, 0, 1, 0, 0]
  const savedMatrices: Matrix[] = []
  const spokenTexts: (string | undefined)[] = []
  const words: PdfWord[] = []
  let [font, size] = ['', 0]
  for (const { groups = {} } of content.matchAll(operators)) {
    const { transform, glyphRun, actualText } = groups
    if (groups.save !== undefined) savedMatrices.push(matrix)
    else if (groups.restore !== undefined) matrix = savedMatrices.pop() ?? matrix
    else if (transform !== undefined)
      matrix = multiplyMatrices(transform.split(' ').map(Number) as unknown as Matrix, matrix)
    else if (actualText !== undefined) spokenTexts.push(decodeString(actualText))
    else if (groups.begin !== undefined) spokenTexts.push(undefined)
    else if (groups.end !== undefined) spokenTexts.pop()
    else if (groups.font !== undefined) [font, size] = [groups.font, Number(groups.size)] // not money: a size of type
    if (glyphRun === undefined) continue
    const { letters, widths } = fonts.get(font) ?? { letters: new Map<string, string>(), widths: [] }
    const codes = [...glyphRun.matchAll(/<(\w+)>/g)].flatMap(([, hex = '']) => hex.match(/.{4}/g) ?? [])
    const adjustments = [...glyphRun.matchAll(/> ([-\d.]+) </g)].map(([, adjustment]) => parseFigure(adjustment))
    const glyphWidths = codes.map((code) => widths[Number.parseInt(code, 16)] ?? 0) // not money: a glyph
    const [left, top] = [parseFigure(groups.x), parseFigure(groups.y)]
    const rightEdge = left + ((sumFigures(glyphWidths) - sumFigures(adjustments)) * size) / 1000
    const [a, , , d, e, f] = matrix
    words.push({
      text:
        spokenTexts.findLast((each) => each !== undefined) ??
        codes.map((code) => letters.get(code) ?? '\ufffd').join(''),
      left: left * a + e,
      right: rightEdge * a + e,
      base: pageHeight - (top * d + f),
    })
  }
  return words
}

/** Reads a PDF of the product: its pages, the texts in drawing order, and the structure for screen readers. */
export function readPdf(file: Buffer) {
  const objects = readObjects(file)
  const all = [...objects.values()]
  const fonts = readFonts(objects)
  const pageTree = all.find(({ dictionary }) => dictionary.includes('/Type /Pages'))?.dictionary ?? ''
  const childPages = [...(/\/Kids \[([^\]]*)\]/.exec(pageTree)?.[1] ?? '').matchAll(/(\d+) 0 R/g)]
  const pages = childPages.map(([, number]): PdfPage => {
    const { dictionary } = objects.get(Number(number)) ?? { dictionary: '' } // not money: a number in a file
    const [width = 0, height = 0] = /\/MediaBox \[0 0 ([\d.]+) ([\d.]+)\]/.exec(dictionary)?.slice(1).map(Number) ?? []
    const content = objects.get(readNumber(/\/Contents (\d+) 0 R/, dictionary))?.stream ?? ''
    return { width, height, words: readWords(content, fonts, height) }
  })
  return {
    pages,
    texts: pages.flatMap(({ words }) => words.map(({ text }) => text)),
    parts: all.flatMap(({ dictionary }) => /\/S \/(\w+)/.exec(dictionary)?.[1] ?? []),
    head: all.map(({ dictionary }) => dictionary).join('\n'),
  }
}
