// Typefaces of one document: the product's own, and those that its texts need besides.

import { readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import subsetFont from 'subset-font'
import { splitClusters, visibleCodes } from './clusters.ts'
import { readTypeface, type Typeface } from './shape.ts'
import { filesFor, type TypefaceFile, type Weight } from './typefaces.ts'

export type Face = Weight | 'display'

/** Text and its face. */
export interface Setting {
  readonly text: string
  readonly face: Face
}

const latinScripts = ['latin', 'latin-ext', 'cyrillic', 'greek', 'vietnamese']
const displayFiles = ['display-latin', 'display-latin-ext']

/** The product's own files by face. */
const ownFiles: Readonly<Record<Face, readonly string[]>> = {
  text: latinScripts.map((script) => `text-${script}`),
  strong: latinScripts.map((script) => `strong-${script}`),
  display: displayFiles,
}

const own = new Map<string, Typeface>(
  [...new Set(Object.values(ownFiles).flat())].map((file) => [
    file,
    readTypeface(readFileSync(fileURLToPath(new URL(`../../../../../fonts/${file}.ttf`, import.meta.url)))),
  ]),
)

/** Files tried for a letter, since some promise letters that they lack. */
const mostTurns = 8

const covers = ({ codes }: Typeface, requiredCodes: readonly number[]): boolean =>
  requiredCodes.every((code) => codes.has(code))

const ownFileFor = (face: Face, codes: readonly number[]): string | undefined =>
  ownFiles[face].find((file) => {
    const typeface = own.get(file)
    return typeface !== undefined && covers(typeface, codes)
  })

/** The display face sets Latin only; a text with one other letter of the text face is set in that face whole. */
function faceFor({ text, face }: Setting): Face {
  if (face !== 'display') return face
  const isMixed = splitClusters(text).some((cluster) => {
    const codes = visibleCodes(cluster)
    return ownFileFor('display', codes) === undefined && ownFileFor('text', codes) !== undefined
  })
  return isMixed ? 'text' : 'display'
}

const chooseWeight = (face: Face): Weight => (face === 'strong' ? 'strong' : 'text')

/** Letters that shaping inserts: a space, a circle for marks without a base, parts of Thai, Lao and Khmer vowels. */
const substitutes = ' \u25cc\u0e4d\u0e32\u0ecd\u0eb2\u17c1'

/** Cuts a typeface to the parts that a file needs for these letters. */
async function cut({ path, axis }: TypefaceFile, letters: string): Promise<Typeface> {
  const bytes = await subsetFont(await readFile(path), letters + letters.normalize('NFD') + substitutes, {
    targetFormat: 'truetype',
    ...(axis === undefined ? {} : { variationAxes: { wght: axis } }),
  })
  return readTypeface(bytes)
}

interface Foreign {
  readonly cluster: string
  readonly codes: readonly number[]
  readonly candidates: readonly TypefaceFile[]
}

const foreignKey = (weight: Weight, cluster: string): string => `${weight} ${cluster}`

/** More marks on a letter than any script has; they would overprint other lines. */
const tooManyMarks = /(\p{Mn}{6})\p{Mn}+/gu

/** Clusters that the product's own files lack, once per weight. */
function foreignIn(settings: readonly Setting[]): Map<string, Foreign> {
  const found = new Map<string, Foreign>()
  for (const { text, face } of settings) {
    const weight = chooseWeight(face)
    for (const each of splitClusters(text)) {
      const cluster = each.replaceAll(tooManyMarks, '$1')
      const codes = visibleCodes(cluster)
      const key = foreignKey(weight, cluster)
      if (found.has(key) || ownFileFor(face, codes) !== undefined || ownFileFor(weight, codes) !== undefined) continue
      found.set(key, { cluster, codes, candidates: filesFor(codes, text, weight) })
    }
  }
  return found
}

/** Text and the file that draws it. */
export interface Drawn {
  readonly file: string
  readonly text: string
  /** Letter represented by a replacement sign. */
  readonly said: string | undefined
}

/** Faces that draw foreign clusters, and the font files cut for them. */
interface Found {
  readonly cuts: Map<string, Typeface>
  /** Names of the cut files by `foreignKey`. */
  readonly chosen: Map<string, string>
}

/** Tries the candidates of all clusters in turn, each file once for all clusters of its turn. */
async function findFiles(foreign: ReadonlyMap<string, Foreign>, pass: string): Promise<Found> {
  const cuts = new Map<string, Typeface>()
  const chosen = new Map<string, string>()
  let open = [...foreign]
  for (let turn = 0; open.length > 0 && turn < mostTurns; turn += 1) {
    const formatFontName = (file: TypefaceFile) => `${file.key}-${pass}${turn}`
    const letters = new Map<TypefaceFile['key'], { file: TypefaceFile; text: string }>()
    for (const [, { cluster, candidates }] of open) {
      const file = candidates[turn]
      if (file) letters.set(file.key, { file, text: (letters.get(file.key)?.text ?? '') + cluster })
    }
    for (const { file, text } of letters.values()) cuts.set(formatFontName(file), await cut(file, text))
    open = open.filter(([key, { codes, candidates }]) => {
      const file = candidates[turn]
      const typeface = file && cuts.get(formatFontName(file))
      if (!file || !typeface) return false
      if (!covers(typeface, codes)) return true
      chosen.set(key, formatFontName(file))
      return false
    })
  }
  return { cuts, chosen }
}

/** Clusters that no file draws as a whole, letter by letter. */
function divideClusters(foreign: ReadonlyMap<string, Foreign>, { chosen }: Found): Setting[] {
  const missing = [...foreign].filter(([key, { codes }]) => codes.length > 1 && !chosen.has(key))
  return missing.flatMap(([key, { cluster }]) =>
    Array.from(cluster, (text): Setting => ({ text, face: key.startsWith('strong') ? 'strong' : 'text' })),
  )
}

/** Replacement for letters that no typeface has. */
const sign = '\ufffd'

export type Faces = Awaited<ReturnType<typeof loadFaces>>

/** Loads the typefaces that these texts need. */
export async function loadFaces(settings: readonly Setting[]) {
  const signs = (['text', 'strong'] as const).map((face): Setting => ({ text: sign, face }))
  const foreign = foreignIn([...settings, ...signs])
  const completeFiles = await findFiles(foreign, '')
  const single = await findFiles(foreignIn(divideClusters(foreign, completeFiles)), 'x')
  const chosen = new Map([...single.chosen, ...completeFiles.chosen])
  const typefaces: ReadonlyMap<string, Typeface> = new Map([...own, ...completeFiles.cuts, ...single.cuts])

  function fileFor(face: Face, cluster: string): string | undefined {
    const codes = visibleCodes(cluster)
    const weight = chooseWeight(face)
    return ownFileFor(face, codes) ?? ownFileFor(weight, codes) ?? chosen.get(foreignKey(weight, cluster))
  }

  return {
    faceFor,
    typefaces,
    /** Faces that draw a cluster: one for all of it, or one per letter, or the replacement sign. */
    drawnBy(face: Face, cluster: string): Drawn[] {
      const drawn = cluster.replaceAll(tooManyMarks, '$1')
      const file = fileFor(face, drawn)
      if (file !== undefined) return [{ file, text: drawn, said: drawn === cluster ? undefined : cluster }]
      return Array.from(cluster)
        .filter((letter) => visibleCodes(letter).length > 0)
        .map((letter): Drawn => {
          const own = fileFor(face, letter)
          if (own !== undefined) return { file: own, text: letter, said: undefined }
          return { file: fileFor(face, sign) ?? '', text: sign, said: letter }
        })
    },
  }
}
