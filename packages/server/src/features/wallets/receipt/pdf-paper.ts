// Writing on a PDF's paper: in the product's typefaces, tagged for screen readers, with no letter that a face lacks.

import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import PdfDocument from 'pdfkit'

export type Face = 'text' | 'strong' | 'display'

/** What a text looks like. Lengths on paper are points. */
export interface Look {
  readonly size: number
  readonly face?: Face
  readonly color?: string
  readonly align?: 'start' | 'end' | 'middle'
}

/** The files of each face by the scripts they hold, the first for what several have. */
const files: Readonly<Record<Face, readonly string[]>> = {
  text: ['latin', 'latin-ext', 'cyrillic', 'greek', 'vietnamese'].map((script) => `text-${script}`),
  strong: ['latin', 'latin-ext', 'cyrillic', 'greek', 'vietnamese'].map((script) => `strong-${script}`),
  display: ['display-latin', 'display-latin-ext', 'text-latin', 'text-latin-ext', 'text-cyrillic', 'text-greek'],
}

const pathOf = (file: string): string => fileURLToPath(new URL(`../../../../fonts/${file}.ttf`, import.meta.url))

/** The bytes of each typeface by its path, read once. */
const typefaces = new Map(
  [...new Set(Object.values(files).flat())].map((file) => [pathOf(file), readFileSync(pathOf(file))] as const),
)

/** What pdfkit keeps of the font in use; its letters are nowhere else to be asked for. */
interface WithFont {
  readonly _font: { readonly font: { hasGlyphForCodePoint(code: number): boolean } }
}

interface Run {
  readonly file: string
  text: string
}

export type Paper = ReturnType<typeof newPaper>

export interface PaperOptions {
  readonly title: string
  readonly language: string
  readonly size: 'A4' | 'LETTER'
  readonly createdAt: Date
}

type Document = PDFKit.PDFDocument

/** Finds the files that hold a text's letters. */
function lettersIn(document: Document) {
  const known = new Map<string, string | undefined>()
  const has = (file: string, code: number): boolean =>
    // oxlint-disable-next-line eslint/no-underscore-dangle -- the library's own name
    (document.font(pathOf(file)) as unknown as WithFont)._font.font.hasGlyphForCodePoint(code)

  function fileFor(face: Face, letter: string): string | undefined {
    const key = face + letter
    if (!known.has(key)) {
      const file = files[face].find((each) => has(each, letter.codePointAt(0) ?? 0))
      known.set(key, file)
    }
    return known.get(key)
  }

  return {
    isWritable: (text: string): boolean => Array.from(text).every((letter) => fileFor('text', letter) !== undefined),
    /** The text in parts of one file each. */
    runsOf(text: string, face: Face): Run[] {
      const runs: Run[] = []
      for (const letter of text) {
        const file = fileFor(face, letter)
        if (file === undefined) throw new Error('a text holds letters that no typeface of the file has')
        const last = runs.at(-1)
        if (last?.file === file) last.text += letter
        else runs.push({ file, text: letter })
      }
      return runs
    },
  }
}

/** Breaks a text into lines that are at most so wide; a word without room in one is broken. */
function broken(text: string, hasRoom: (line: string) => boolean): string[] {
  const lines: string[] = []
  let line = ''
  for (const word of text.split(/\s+/).filter(Boolean)) {
    const longer = line === '' ? word : `${line} ${word}`
    if (hasRoom(longer)) {
      line = longer
      continue
    }
    if (line !== '') lines.push(line)
    line = ''
    for (const letter of word) {
      if (line !== '' && !hasRoom(line + letter)) {
        lines.push(line)
        line = ''
      }
      line += letter
    }
  }
  return [...lines, line]
}

/** A page to write on, of a file that says its title and language. */
export function newPaper({ title, language, size, createdAt }: PaperOptions) {
  const document = new PdfDocument({
    ...{ size, margin: 0, lang: language, tagged: true, displayTitle: true, pdfVersion: '1.7' },
    // Its types do not know this one yet.
    subset: 'PDF/UA' as PDFKit.Mixins.PDFSubsets,
    font: pathOf('text-latin'),
    info: { Title: title, Creator: 'Tern', Producer: 'Tern', CreationDate: createdAt, ModDate: createdAt },
  })
  for (const [file, bytes] of typefaces) document.registerFont(file, bytes)
  const { isWritable, runsOf } = lettersIn(document)
  const widthOfRun = ({ file, text }: Run, size: number): number =>
    document.font(pathOf(file)).fontSize(size).widthOfString(text)
  const widthOf = (text: string, { size, face = 'text' }: Look): number =>
    runsOf(text, face).reduce((width, run) => width + widthOfRun(run, size), 0)

  return {
    document,
    width: document.page.width,
    height: document.page.height,
    /** Whether the typefaces hold every letter. */
    isWritable,
    widthOf,
    linesOf: (text: string, width: number, look: Look): string[] =>
      broken(text, (line) => widthOf(line, look) <= width),
    /** One line, its base at `y`. */
    write(text: string, x: number, y: number, look: Look): void {
      const { size, face = 'text', color = '#0c1f2d', align = 'start' } = look
      const width = align === 'start' ? 0 : widthOf(text, look)
      let at = align === 'end' ? x - width : align === 'middle' ? x - width / 2 : x
      for (const run of runsOf(text, face)) {
        const length = widthOfRun(run, size)
        document.fillColor(color).text(run.text, at, y, { lineBreak: false, baseline: 'alphabetic' })
        at += length
      }
    },
    /** What is only to be seen. */
    decorate(draw: () => void): void {
      document.markContent('Artifact', { type: 'Layout' })
      draw()
      document.endMarkedContent()
    },
  }
}
