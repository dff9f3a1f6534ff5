// Typefaces from npm packages for letters that the product's own files lack, and their coverage.

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

type Range = readonly [first: number, last: number]

interface Slice {
  readonly name: string
  readonly ranges: readonly Range[]
}

const { resolve } = createRequire(import.meta.url)
const axes: Readonly<Record<Weight, number>> = { text: 400, strong: 600 }

/** Latin, Greek and Cyrillic with every combining mark, in one file for each weight. */
const wholeFiles: Readonly<Record<Weight, string>> = {
  text: '@expo-google-fonts/noto-sans/400Regular/NotoSans_400Regular.ttf',
  strong: '@expo-google-fonts/noto-sans/600SemiBold/NotoSans_600SemiBold.ttf',
}
const wholeKey = 'noto-sans'
let wholeCodes: ReadonlySet<number> | undefined

/** Letters of the whole files; both weights have the same. */
function loadWholeCodes(): ReadonlySet<number> {
  wholeCodes ??= readTypeface(readFileSync(resolve(wholeFiles.text))).codes
  return wholeCodes
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

const parseCodeRange = (text: string): Range => {
  const [first = '', last = first] = text.replace('U+', '').split('-')
  return [Number.parseInt(first, 16), Number.parseInt(last, 16)] // not money: letters
}

const slices = new Map<string, readonly Slice[]>()

/** Files of a family with the letters that each declares. */
function loadSlices(family: string): readonly Slice[] {
  const known = slices.get(family)
  if (known) return known
  const stored = JSON.parse(readFileSync(resolve(`@fontsource-variable/${family}/unicode.json`), 'utf8')) as Readonly<
    Record<string, string>
  >
  const read = Object.entries(stored).map(([name, ranges]) => ({
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

/** Families in the order of trial: one that has all Han letters of a text comes first, so that they match. */
function familiesFor(codes: readonly number[], text: string): readonly string[] {
  if (isPicture.test(String.fromCodePoint(...codes))) return [emojiFamily, ...families]
  const han = Array.from(text).filter(isHan)
  if (han.length === 0) return families
  const isKorean = /\p{sc=Hang}/u.test(text)
  const tried = isKorean ? hanFamilies.toReversed() : hanFamilies
  const best = tried.find((family) =>
    han.every((letter) => loadSlices(family).some((slice) => holds(slice, letter.codePointAt(0) ?? 0))),
  )
  return best === undefined ? families : [best, ...families.filter((family) => family !== best)]
}

/** Files that may draw a cluster of these code points, best first. `text` is its context. */
export function filesFor(codes: readonly number[], text: string, weight: Weight): TypefaceFile[] {
  const known = loadWholeCodes()
  const completeFace = codes.every((code) => known.has(code))
    ? [{ key: `${wholeKey}-${weight}`, path: resolve(wholeFiles[weight]), axis: undefined }]
    : []
  const sliced = familiesFor(codes, text).flatMap((family) =>
    loadSlices(family)
      .filter((slice) => codes.every((code) => holds(slice, code)))
      .map(({ name }) => ({
        key: `${family}-${name}-${weight}`,
        path: resolve(`@fontsource-variable/${family}/files/${family}-${name}-wght-normal.woff2`),
        axis: axes[weight],
      })),
  )
  return [...completeFace, ...sliced]
}
