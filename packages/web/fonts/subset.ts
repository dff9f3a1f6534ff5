/**
 * Cuts the product's two typefaces down to the characters used in pages and PDFs. Run it again when a character is
 * missing, with `node tools/run.mjs packages/web/fonts/subset.ts`. The results are committed, so no build runs it.
 */
import { readFile, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import subsetFont from 'subset-font'

const require = createRequire(import.meta.url)
const textFace = require.resolve('@fontsource-variable/inter/files/inter-latin-wght-normal.woff2')
const extendedTextFace = require.resolve('@fontsource-variable/inter/files/inter-latin-ext-wght-normal.woff2')
const displayFace =
  require.resolve('@fontsource/hedvig-letters-serif/files/hedvig-letters-serif-latin-400-normal.woff2')

const listCharacters = (first: number, last: number): string =>
  String.fromCodePoint(...Array.from({ length: last - first + 1 }, (_, index) => first + index))

const ascii = listCharacters(0x20, 0x7e)
const latin1 = listCharacters(0xa0, 0xff)
const punctuation = '–—−‘’“”•…·×→←↑↓≈'
const currencySigns = '€£¥₹$'

interface FontSubset {
  readonly source: string
  readonly target: string
  readonly characters: string
  readonly weights?: { readonly min: number; readonly max: number }
  /** OpenType features to keep; the others are dropped, with the glyphs that only they use. */
  readonly features: readonly string[]
}

const textFeatures = ['kern', 'tnum']
const displayFeatures = ['kern']

const fontSubsets: readonly FontSubset[] = [
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

/** Characters of the PDF fonts by Fontsource subset, for names and descriptions. One file per subset and weight. */
const scripts = {
  latin: ascii + latin1 + punctuation + currencySigns + 'ŒœŸ',
  'latin-ext': listCharacters(0x100, 0x24f) + listCharacters(0x1e00, 0x1e9f) + '₹',
  cyrillic: listCharacters(0x400, 0x45f),
  greek: listCharacters(0x370, 0x3ff),
  vietnamese: listCharacters(0x1ea0, 0x1eff) + 'ĂăĐđĨĩŨũƠơƯư',
}
const pdfWeights = { text: 400, strong: 600 }
const pdfFonts: readonly (FontSubset & { readonly weight?: number })[] = [
  ...Object.entries(pdfWeights).flatMap(([name, weight]) =>
    Object.entries(scripts).map(([script, characters]) => ({
      source: require.resolve(`@fontsource-variable/inter/files/inter-${script}-wght-normal.woff2`),
      target: `${name}-${script}.ttf`,
      characters,
      weight,
      features: ['kern'],
    })),
  ),
  ...(['latin', 'latin-ext'] as const).map((script) => ({
    source: require.resolve(`@fontsource/hedvig-letters-serif/files/hedvig-letters-serif-${script}-400-normal.woff2`),
    target: `display-${script}.ttf`,
    characters: scripts[script],
    features: displayFeatures,
  })),
]

for (const { source, target, characters, weights, features } of fontSubsets) {
  const font = await subsetFont(await readFile(source), characters, {
    targetFormat: 'woff2',
    keepFeatures: [...features],
    ...(weights ? { variationAxes: { wght: weights } } : {}),
  })
  await writeFile(new URL(target, import.meta.url), font)
  process.stdout.write(`${target} ${font.length} bytes\n`)
}

for (const { source, target, characters, weight, features } of pdfFonts) {
  const font = await subsetFont(await readFile(source), characters, {
    targetFormat: 'truetype',
    keepFeatures: [...features],
    ...(weight === undefined ? {} : { variationAxes: { wght: weight } }),
  })
  await writeFile(new URL(`../../server/fonts/${target}`, import.meta.url), font)
  process.stdout.write(`${target} ${font.length} bytes\n`)
}
