// Typefaces of a document: the product's own, and others for letters that these lack.

import { readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import subsetFont from 'subset-font'
import { splitClusters, visibleCodes } from './clusters.ts'
import { readTypeface, type Typeface } from './shape.ts'
import { chooseFiles, type TypefaceFile, type Weight } from './typefaces.ts'

export type Face = Weight | 'display'

export interface FacedText {
  readonly text: string
  readonly face: Face
}

const latinScripts = ['latin', 'latin-ext', 'cyrillic', 'greek', 'vietnamese']
const displayFiles = ['display-latin', 'display-latin-ext']

/** Names of the product's own font files, by face. */
const ownFiles: Readonly<Record<Face, readonly string[]>> = {
  text: latinScripts.map((script) => `text-${script}`),
  strong: latinScripts.map((script) => `strong-${script}`),
  display: displayFiles,
}

const own = new Map<string, Typeface>(
  [...new Set(Object.values(ownFiles).flat())].map((file) => [
    file,
    readTypeface(readFileSync(fileURLToPath(new URL(`../../../../fonts/${file}.ttf`, import.meta.url)))),
  ]),
)

/** Maximum of files tried for a cluster; some declare letters that they lack. */
const maxRounds = 8

const coversCodes = ({ codes }: Typeface, requiredCodes: readonly number[]): boolean =>
  requiredCodes.every((code) => codes.has(code))

const findOwnFile = (face: Face, codes: readonly number[]): string | undefined =>
  ownFiles[face].find((file) => {
    const typeface = own.get(file)
    return typeface !== undefined && coversCodes(typeface, codes)
  })

/** Chooses a text's face: the display face is Latin only, so a text with other letters of the text face uses that. */
function chooseFace({ text, face }: FacedText): Face {
  if (face !== 'display') return face
  const isMixed = splitClusters(text).some((cluster) => {
    const codes = visibleCodes(cluster)
    return findOwnFile('display', codes) === undefined && findOwnFile('text', codes) !== undefined
  })
  return isMixed ? 'text' : 'display'
}

const chooseWeight = (face: Face): Weight => (face === 'strong' ? 'strong' : 'text')

/** Letters that shaping may insert: a space, a dotted circle for single marks, parts of Thai, Lao and Khmer vowels. */
const substitutes = ' \u25cc\u0e4d\u0e32\u0ecd\u0eb2\u17c1'

/** Subsets a typeface to these letters, at the file's weight. */
async function subsetTypeface({ path, axis }: TypefaceFile, letters: string): Promise<Typeface> {
  const bytes = await subsetFont(await readFile(path), letters + letters.normalize('NFD') + substitutes, {
    targetFormat: 'truetype',
    ...(axis === undefined ? {} : { variationAxes: { wght: axis } }),
  })
  return readTypeface(bytes)
}

interface ForeignCluster {
  readonly cluster: string
  readonly codes: readonly number[]
  readonly candidates: readonly TypefaceFile[]
}

const foreignKey = (weight: Weight, cluster: string): string => `${weight} ${cluster}`

/** More than six marks on a letter: no script has so many, and they would cover other lines. */
const stackedMarks = /(\p{Mn}{6})\p{Mn}+/gu

/** Finds the clusters that the product's own files lack, once per weight. */
function findForeignClusters(settings: readonly FacedText[]): Map<string, ForeignCluster> {
  const found = new Map<string, ForeignCluster>()
  for (const { text, face } of settings) {
    const weight = chooseWeight(face)
    for (const each of splitClusters(text)) {
      const cluster = each.replaceAll(stackedMarks, '$1')
      const codes = visibleCodes(cluster)
      const key = foreignKey(weight, cluster)
      if (found.has(key) || findOwnFile(face, codes) !== undefined || findOwnFile(weight, codes) !== undefined) continue
      found.set(key, { cluster, codes, candidates: chooseFiles(codes, text, weight) })
    }
  }
  return found
}

/** Text with the font file that draws it. */
export interface DrawnText {
  readonly file: string
  readonly text: string
  /** Original text, if a replacement sign or a text with fewer marks is drawn instead. */
  readonly said: string | undefined
}

/** Font files that were subset for foreign clusters, by name. */
interface FontFiles {
  readonly cuts: Map<string, Typeface>
  /** Names of these files by `foreignKey`. */
  readonly chosen: Map<string, string>
}

/** Finds a file for each cluster: each round tries the next candidate of all open clusters, each file once. */
async function findFiles(foreignClusters: ReadonlyMap<string, ForeignCluster>, pass: string): Promise<FontFiles> {
  const cuts = new Map<string, Typeface>()
  const chosen = new Map<string, string>()
  let open = [...foreignClusters]
  for (let round = 0; open.length > 0 && round < maxRounds; round += 1) {
    const formatFontName = (file: TypefaceFile) => `${file.key}-${pass}${round}`
    const letters = new Map<TypefaceFile['key'], { file: TypefaceFile; text: string }>()
    for (const [, { cluster, candidates }] of open) {
      const file = candidates[round]
      if (file) letters.set(file.key, { file, text: (letters.get(file.key)?.text ?? '') + cluster })
    }
    for (const { file, text } of letters.values()) cuts.set(formatFontName(file), await subsetTypeface(file, text))
    open = open.filter(([key, { codes, candidates }]) => {
      const file = candidates[round]
      const typeface = file && cuts.get(formatFontName(file))
      if (!file || !typeface) return false
      if (!coversCodes(typeface, codes)) return true
      chosen.set(key, formatFontName(file))
      return false
    })
  }
  return { cuts, chosen }
}

/** Splits the clusters that no file draws as a whole into letters. */
function divideClusters(foreignClusters: ReadonlyMap<string, ForeignCluster>, { chosen }: FontFiles): FacedText[] {
  const missing = [...foreignClusters].filter(([key, { codes }]) => codes.length > 1 && !chosen.has(key))
  return missing.flatMap(([key, { cluster }]) =>
    Array.from(cluster, (text): FacedText => ({ text, face: key.startsWith('strong') ? 'strong' : 'text' })),
  )
}

/** Replacement sign for letters that no typeface has. */
const sign = '\ufffd'

export type Faces = Awaited<ReturnType<typeof loadFaces>>

/** Loads the typefaces that these texts need. */
export async function loadFaces(settings: readonly FacedText[]) {
  const signs = (['text', 'strong'] as const).map((face): FacedText => ({ text: sign, face }))
  const foreignClusters = findForeignClusters([...settings, ...signs])
  const completeFiles = await findFiles(foreignClusters, '')
  const singleFiles = await findFiles(findForeignClusters(divideClusters(foreignClusters, completeFiles)), 'x')
  const fileByCluster = new Map([...singleFiles.chosen, ...completeFiles.chosen])
  const typefaces: ReadonlyMap<string, Typeface> = new Map([...own, ...completeFiles.cuts, ...singleFiles.cuts])

  function findFile(face: Face, cluster: string): string | undefined {
    const codes = visibleCodes(cluster)
    const weight = chooseWeight(face)
    return findOwnFile(face, codes) ?? findOwnFile(weight, codes) ?? fileByCluster.get(foreignKey(weight, cluster))
  }

  return {
    chooseFace,
    typefaces,
    /** Returns the files that draw a cluster: one for all of it, or one per letter, with `sign` for missing letters. */
    drawnBy(face: Face, cluster: string): DrawnText[] {
      const drawableCluster = cluster.replaceAll(stackedMarks, '$1')
      const file = findFile(face, drawableCluster)
      if (file !== undefined)
        return [{ file, text: drawableCluster, said: drawableCluster === cluster ? undefined : cluster }]
      return Array.from(cluster)
        .filter((letter) => visibleCodes(letter).length > 0)
        .map((letter): DrawnText => {
          const fileOfFace = findFile(face, letter)
          if (fileOfFace !== undefined) return { file: fileOfFace, text: letter, said: undefined }
          return { file: findFile(face, sign) ?? '', text: sign, said: letter }
        })
    },
  }
}
