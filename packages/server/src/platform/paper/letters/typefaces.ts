// Typefaces from npm packages, for letters that the product's own files lack.

import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { readTypeface } from './shape.ts'

export type Weight = 'text' | 'strong'

/** File of a typeface; `key` names it within a document. */
export interface TypefaceFile {
  readonly key: string
  readonly path: string
  /** Weight to cut from a variable file; undefined for a file of one weight. */
  readonly axis: number | undefined
}

type CodeRange = readonly [first: number, last: number]

interface Slice {
  readonly name: string
  readonly ranges: readonly CodeRange[]
}

const { resolve } = createRequire(import.meta.url)
const fontWeights: Readonly<Record<Weight, number>> = { text: 400, strong: 600 }

/** Latin, Greek and Cyrillic with every combining mark, in one file for each weight. */
const fullFontFiles: Readonly<Record<Weight, string>> = {
  text: '@expo-google-fonts/noto-sans/400Regular/NotoSans_400Regular.ttf',
  strong: '@expo-google-fonts/noto-sans/600SemiBold/NotoSans_600SemiBold.ttf',
}
const fullFontKey = 'noto-sans'
let fullFontCodes: ReadonlySet<number> | undefined

/** Code points of the files in `fullFontFiles`, the same for both weights. */
function loadFullCodes(): ReadonlySet<number> {
  fullFontCodes ??= readTypeface(readFileSync(resolve(fullFontFiles.text))).codes
  return fullFontCodes
}

const scripts = [
  'arabic',
  'hebrew',
  'devanagari',
  'thai',
  'bengali',
  'tamil',
  'telugu',
  'kannada',
  'malayalam',
  'gujarati',
  'gurmukhi',
  'oriya',
  'sinhala',
  'khmer',
  'lao',
  'myanmar',
  'georgian',
  'armenian',
  'ethiopic',
]
const hanFamilies = ['noto-sans-jp', 'noto-sans-sc', 'noto-sans-kr']
const emojiFamily = 'noto-emoji'
const families = [...scripts.map((script) => `noto-sans-${script}`), ...hanFamilies, emojiFamily]

const parseCodeRange = (text: string): CodeRange => {
  const [first = '', last = first] = text.replace('U+', '').split('-')
  return [Number.parseInt(first, 16), Number.parseInt(last, 16)] // not money: letters
}

const slices = new Map<string, readonly Slice[]>()

/** Reads the files of a family, with the ranges of code points that each declares. */
function loadSlices(family: string): readonly Slice[] {
  const cachedSlices = slices.get(family)
  if (cachedSlices) return cachedSlices
  const rangesBySlice = JSON.parse(
    readFileSync(resolve(`@fontsource-variable/${family}/unicode.json`), 'utf8'),
  ) as Readonly<Record<string, string>>
  const read = Object.entries(rangesBySlice).map(([name, ranges]) => ({
    name: name.replaceAll(/[[\]]/g, ''),
    ranges: ranges.split(',').map(parseCodeRange),
  }))
  slices.set(family, read)
  return read
}

const holds = ({ ranges }: Slice, code: number): boolean =>
  ranges.some(([first, last]) => code >= first && code <= last)

const isHan = (letter: string): boolean => /\p{sc=Han}/u.test(letter)

const isPicture = /[\p{Extended_Pictographic}\p{RI}]/u

/** Returns the families to try, in order. One with all Han letters of the text is first, so that they look alike. */
function chooseFamilies(codes: readonly number[], text: string): readonly string[] {
  if (isPicture.test(String.fromCodePoint(...codes))) return [emojiFamily, ...families]
  const han = Array.from(text).filter(isHan)
  if (han.length === 0) return families
  const isKorean = /\p{sc=Hang}/u.test(text)
  const orderedFamilies = isKorean ? hanFamilies.toReversed() : hanFamilies
  const best = orderedFamilies.find((family) =>
    han.every((letter) => loadSlices(family).some((slice) => holds(slice, letter.codePointAt(0) ?? 0))),
  )
  return best === undefined ? families : [best, ...families.filter((family) => family !== best)]
}

/** Returns the files that may draw a cluster of these code points, best first. `text` contains the cluster. */
export function chooseFiles(codes: readonly number[], text: string, weight: Weight): TypefaceFile[] {
  const fullFontCodes = loadFullCodes()
  const fullFontCandidates = codes.every((code) => fullFontCodes.has(code))
    ? [{ key: `${fullFontKey}-${weight}`, path: resolve(fullFontFiles[weight]), axis: undefined }]
    : []
  const sliceFiles = chooseFamilies(codes, text).flatMap((family) =>
    loadSlices(family)
      .filter((slice) => codes.every((code) => holds(slice, code)))
      .map(({ name }) => ({
        key: `${family}-${name}-${weight}`,
        path: resolve(`@fontsource-variable/${family}/files/${family}-${name}-wght-normal.woff2`),
        axis: fontWeights[weight],
      })),
  )
  return [...fullFontCandidates, ...sliceFiles]
}
