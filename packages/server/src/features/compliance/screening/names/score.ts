// How well a name fits a listed one. Everybody's names are screened again when `matcherVersion` goes up: raise it with
// whatever changes how names are folded, found or scored.

import { jaroWinkler } from './jaro-winkler.ts'
import { consonantsOf } from './variants.ts'

export const matcherVersion = 1

/** From here on a person looks at a match, or money waits for them, in basis points. */
export const reviewFrom = 8500
export const holdFrom = 9500

/** A name in the forms that are compared, word by word. */
export interface ComparedName {
  readonly words: readonly string[]
  readonly spellings: readonly string[]
}

/** How much a word tells about who is meant, above 0 and at most 1: less the more listed names have it. */
export type WordWeight = (spelling: string) => number

// Words that are less alike are different words.
const alikeFrom = 0.88
const sameSpelling = 0.985
const sameConsonants = 0.95
const initialFits = 0.9
// A word of one name that the other lacks counts less than half.
const fullerShare = 0.65
const fewestConsonants = 3

const isWithoutVowels = (word: string): boolean => {
  const vowels = word.replaceAll(/[^aeiouy]/g, '').length
  return word.length >= fewestConsonants && vowels * 4 <= word.length
}

/** Two words, from 0 to 1. Initials fit any word that begins with them. */
function wordsAlike(a: string, aSpelling: string, b: string, bSpelling: string): number {
  if (a === b) return 1
  if (a.length === 1 || b.length === 1) return a[0] === b[0] ? initialFits : 0
  if (aSpelling === bSpelling) return sameSpelling
  const alike = Math.max(jaroWinkler(a, b), jaroWinkler(aSpelling, bSpelling) * sameSpelling)
  if (isWithoutVowels(a) || isWithoutVowels(b)) {
    const [first, second] = [consonantsOf(a), consonantsOf(b)]
    if (first === second && first.length >= fewestConsonants) return Math.max(alike, sameConsonants)
  }
  return alike
}

interface Pair {
  readonly own: number
  readonly listed: number
  readonly alike: number
}

/** Each word with at most one of the other name, the most alike first. */
function pairsOf(own: ComparedName, listed: ComparedName): Pair[] {
  const possible: Pair[] = []
  for (const [index, word] of own.words.entries()) {
    for (const [place, other] of listed.words.entries()) {
      const alike = wordsAlike(word, own.spellings[index] ?? '', other, listed.spellings[place] ?? '')
      if (alike >= alikeFrom) possible.push({ own: index, listed: place, alike })
    }
  }
  possible.sort((a, b) => b.alike - a.alike)
  const [ownTaken, listedTaken] = [new Set<number>(), new Set<number>()]
  return possible.filter((pair) => {
    if (ownTaken.has(pair.own) || listedTaken.has(pair.listed)) return false
    ownTaken.add(pair.own)
    listedTaken.add(pair.listed)
    return true
  })
}

const sumOf = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0)

/**
 * How well a name fits a listed one, in basis points: the share of its words, by weight, that the listed name has too,
 * and the other way round, of which the larger counts more. The order of words counts nothing.
 */
export function scoreOf(own: ComparedName, listed: ComparedName, weightOf: WordWeight): number {
  const pairs = pairsOf(own, listed)
  const ownWeights = own.spellings.map(weightOf)
  const listedWeights = listed.spellings.map(weightOf)
  const share = (weights: readonly number[], side: 'own' | 'listed') =>
    sumOf(pairs.map((pair) => (weights[pair[side]] ?? 0) * pair.alike)) / sumOf(weights)
  const [first, second] = [share(ownWeights, 'own'), share(listedWeights, 'listed')]
  const score = fullerShare * Math.max(first, second) + (1 - fullerShare) * Math.min(first, second)
  return Math.round(score * 10_000) // not money: a score
}
