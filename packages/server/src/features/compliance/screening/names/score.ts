// How well a name fits a listed one. Everybody's names are screened again when `matcherVersion` goes up: raise it with
// whatever changes how names are folded, found or scored.

import { jaroWinkler } from './jaro-winkler.ts'
import { typingErrors } from './typing-errors.ts'

export const matcherVersion = 1

/** From here on a person looks at a match, or money waits for them, in basis points. */
export const reviewFrom = 8500
export const holdFrom = 9500

/** A name in the forms that are compared, word by word. */
export interface ComparedName {
  readonly words: readonly string[]
  readonly spellings: readonly string[]
  readonly consonants: readonly string[]
  /** Written without most vowels: consonants decide. */
  readonly isBare: boolean
}

/** How much a word tells about who is meant, above 0 and at most 1: less the more listed names have it. */
export type WordWeight = (spelling: string) => number

// Words that are less alike are different words.
const alikeFrom = 0.88
const sameSpelling = 0.985
const sameConsonants = 0.95
const likeConsonants = 0.9
const initialFits = 0.9
const oneTypingError = 0.9
const worthCounting = 0.7

/** Long words begin alike without being the same: so many letters may differ at most. */
const errorsIn = (letters: number): number => (letters < 4 ? 0 : letters < 6 ? 1 : letters < 9 ? 2 : 3)

// The share of the name that has more in common; the other name's counts for the rest.
const fullerShare = 0.6
const heaviestOther = 0.7

/** Consonants alone, of names that are written without vowels: one or two tell less. */
function consonantsAlike(a: string, b: string): number {
  if (a === b) return a.length >= 3 ? sameConsonants : likeConsonants
  if (Math.min(a.length, b.length) < 3) return 0
  if (jaroWinkler(a, b) >= likeConsonants) return likeConsonants
  return typingErrors(a, b, 1) <= 1 ? alikeFrom : 0
}

/** Two words, from 0 to 1. Initials fit any word that begins with them. */
function wordsAlike(own: ComparedName, index: number, listed: ComparedName, place: number): number {
  const [a = '', b = ''] = [own.words[index], listed.words[place]]
  if (a === b) return 1
  if (!own.isBare && (a.length === 1 || b.length === 1)) return a[0] === b[0] ? initialFits : 0
  const [aSpelling = '', bSpelling = ''] = [own.spellings[index], listed.spellings[place]]
  if (aSpelling === bSpelling) return sameSpelling
  const bare = own.isBare ? consonantsAlike(own.consonants[index] ?? '', listed.consonants[place] ?? '') : 0
  const alike = Math.max(jaroWinkler(a, b), jaroWinkler(aSpelling, bSpelling) * sameSpelling)
  const most = errorsIn(Math.max(a.length, b.length))
  if (alike < worthCounting || most === 0) return bare
  const errors = Math.min(typingErrors(a, b, most), typingErrors(aSpelling, bSpelling, most))
  if (errors > most) return bare
  return Math.max(bare, errors === 1 ? Math.max(alike, oneTypingError) : alike)
}

interface Pair {
  readonly own: number
  readonly listed: number
  readonly alike: number
}

/** Each word with at most one of the other name, the most alike first. */
function pairsOf(own: ComparedName, listed: ComparedName): Pair[] {
  const possible: Pair[] = []
  for (let index = 0; index < own.words.length; index += 1) {
    for (let place = 0; place < listed.words.length; place += 1) {
      const alike = wordsAlike(own, index, listed, place)
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

/** The share of words that both have, by weight: the larger of both names' shares counts more. */
function wordScore(own: ComparedName, listed: ComparedName, weightOf: WordWeight): number {
  const pairs = pairsOf(own, listed)
  if (pairs.length === 0) return 0
  const listedWeights = listed.spellings.map(weightOf)
  const matched = sumOf(pairs.map((pair) => (listedWeights[pair.listed] ?? 0) * pair.alike))
  const paired = sumOf(pairs.map((pair) => listedWeights[pair.listed] ?? 0))
  // A word with a typing error is as rare as no other, and would count most.
  const others = own.spellings.filter((_, index) => !pairs.some((pair) => pair.own === index))
  const first = matched / (paired + sumOf(others.map((spelling) => Math.min(heaviestOther, weightOf(spelling)))))
  const second = matched / sumOf(listedWeights)
  return fullerShare * Math.max(first, second) + (1 - fullerShare) * Math.min(first, second)
}

/** By how many letters of both names a typing error counts, and how long a name has to be for two. */
const letterScores = [
  { errors: 0, letters: 6, score: 0.96 },
  { errors: 1, letters: 6, score: 0.9 },
  { errors: 2, letters: 8, score: 0.86 },
] as const

/** Names as a whole: words that are joined or split, and two errors in one word. Family names may stand first or last. */
function letterScore(own: ComparedName, listed: ComparedName): number {
  const text = own.words.join('')
  const fewest = (at: number) =>
    typingErrors(text, [...listed.words.slice(at), ...listed.words.slice(0, at)].join(''), 2)
  const errors = Math.min(...listed.words.map((_, at) => fewest(at)))
  return letterScores.find((one) => one.errors === errors && one.letters <= text.length)?.score ?? 0
}

/** How well a name fits a listed one, in basis points. */
export function scoreOf(own: ComparedName, listed: ComparedName, weightOf: WordWeight): number {
  const byWords = wordScore(own, listed, weightOf)
  const isNear = byWords * 10_000 < reviewFrom
  const score = isNear ? Math.max(byWords, letterScore(own, listed)) : byWords
  return Math.round(score * 10_000) // not money: a score
}
