/**
 * Cuts the two faces of the product down to the characters it shows. Run it again when a character is missing:
 * `npm run fonts -w packages/web`. The four results are committed, so that a build needs no font work.
 */
import { readFile, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import subsetFont from 'subset-font'

const require = createRequire(import.meta.url)
const textFace = require.resolve('@fontsource-variable/inter/files/inter-latin-wght-normal.woff2')
const extendedTextFace = require.resolve('@fontsource-variable/inter/files/inter-latin-ext-wght-normal.woff2')
const displayFace =
  require.resolve('@fontsource/hedvig-letters-serif/files/hedvig-letters-serif-latin-400-normal.woff2')

const between = (first: number, last: number): string =>
  String.fromCodePoint(...Array.from({ length: last - first + 1 }, (_, index) => first + index))

const ascii = between(0x20, 0x7e)
const latin1 = between(0xa0, 0xff)
const punctuation = '–—−‘’“”•…·×→←↑↓≈'
const currencySigns = '€£¥₹$'

interface Cut {
  readonly source: string
  readonly target: string
  readonly characters: string
  readonly weights?: { readonly min: number; readonly max: number }
  /** OpenType features kept; all others are dropped with the glyphs only they reach. */
  readonly features: readonly string[]
}

const textFeatures = ['kern', 'tnum']
const displayFeatures = ['kern']

const cuts: readonly Cut[] = [
  {
    source: textFace,
    target: 'text.woff2',
    characters: ascii + latin1 + punctuation + currencySigns + 'ŒœŠšŽžŸ',
    weights: { min: 400, max: 700 },
    features: textFeatures,
  },
  {
    source: extendedTextFace,
    target: 'text-signs.woff2',
    characters: '₹',
    weights: { min: 400, max: 700 },
    features: [],
  },
  {
    source: textFace,
    target: 'text-marketing.woff2',
    characters: ascii + '–—−’·×…ãé©€£¥',
    weights: { min: 400, max: 700 },
    features: textFeatures,
  },
  {
    source: displayFace,
    target: 'display.woff2',
    characters: ascii + latin1 + punctuation + currencySigns,
    features: displayFeatures,
  },
  { source: displayFace, target: 'display-marketing.woff2', characters: ascii + '–—−’·…', features: displayFeatures },
]

for (const { source, target, characters, weights, features } of cuts) {
  const font = await subsetFont(await readFile(source), characters, {
    targetFormat: 'woff2',
    keepFeatures: [...features],
    ...(weights ? { variationAxes: { wght: weights } } : {}),
  })
  await writeFile(new URL(target, import.meta.url), font)
  process.stdout.write(`${target} ${font.length} bytes\n`)
}
