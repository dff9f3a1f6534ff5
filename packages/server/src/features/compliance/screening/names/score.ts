// How well a name fits a listed one. Everybody's names are screened again when `matcherVersion` goes up: raise it with
// whatever changes how names are folded, found or scored.

import { type ComparedName, type ComparedWord, consonantWords, foldedWords } from './compared-name.ts'
import { jaroWinkler } from './jaro-winkler.ts'
import { typingErrors } from './typing-errors.ts'

export const matcherVersion = 4

/** From here on a person looks at a match, or money waits for them, in basis points. */
export const reviewFrom = 8500
export const holdFrom = 9500
/** The highest score of what a person only looks at. */
export const highestOfReview = holdFrom - 1

/** How much a word tells about who is meant, above 0 and at most 1: less the more listed names have it. */
export type WordWeight = (spelling: string) => number

// Words that are less alike are different words.
export const alikeFrom = 0.88
const sameSpelling = 0.985
const sameConsonants = 0.95
const likeConsonants = 0.9
const initialFits = 0.9
const oneTypingError = 0.9
const worthCounting = 0.7

/** Long words begin alike without being the same: so many letters may differ at most. */
export const errorsIn = (letters: number): number => (letters < 4 ? 0 : letters < 6 ? 1 : letters < 9 ? 2 : 3)

// The share of the name that has more in common; the other name's counts for the rest.
export const fullerShare = 0.6
export const heaviestOther = 0.7

/** Consonants alone tell nothing where they are few, unless both words begin alike. */
const fewConsonants = 3
/** With so many, one error leaves enough. */
const manyConsonants = 5
const isVowel = (letter = '') => 'aiu'.includes(letter)

const beginAlike = (a: string, b: string): boolean => a[0] === b[0] || (isVowel(a[0]) && isVowel(b[0]))

/** Words of which the own one is written without most vowels. */
function consonantsAlike(own: ComparedWord, listed: ComparedWord): number {
  const [a, b] = [own.consonants, listed.consonants]
  if (a === b) {
    if (a.length >= fewConsonants) return sameConsonants
    return beginAlike(own.spelling, listed.spelling) ? likeConsonants : 0
  }
  if (Math.min(a.length, b.length) < manyConsonants) return 0
  return typingErrors(a, b, 1) <= 1 ? likeConsonants : 0
}

/** Two words, from 0 to 1. Initials fit any word that begins with them; without vowels, consonants decide as well. */
export function wordsAlike(own: ComparedWord, listed: ComparedWord, isBare: boolean): number {
  const [a, b] = [own.text, listed.text]
  if (a === b) return 1
  if (!isBare && (a.length === 1 || b.length === 1)) return a[0] === b[0] ? initialFits : 0
  if (own.spelling === listed.spelling) return sameSpelling
  const bare = isBare ? consonantsAlike(own, listed) : 0
  const alike = Math.max(jaroWinkler(a, b), jaroWinkler(own.spelling, listed.spelling) * sameSpelling)
  const most = errorsIn(Math.max(a.length, b.length))
  if (alike < worthCounting || most === 0) return bare
  const errors = Math.min(typingErrors(a, b, most), typingErrors(own.spelling, listed.spelling, most))
  if (errors > most) return bare
  return Math.max(bare, errors === 1 ? Math.max(alike, oneTypingError) : alike)
}

/** A word of each name, by their places. */
export interface Pair {
  readonly own: number
  readonly listed: number
  readonly alike: number
}

/** Each word with at most one of the other name, the most alike first. */
export function pairedWords(own: ComparedName, listed: ComparedName): Pair[] {
  const possible: Pair[] = []
  own.words.forEach((word, index) => {
    listed.words.forEach((other, place) => {
      const alike = wordsAlike(word, other, own.isBare)
      if (alike >= alikeFrom) possible.push({ own: index, listed: place, alike })
    })
  })
  possible.sort((a, b) => b.alike - a.alike)
  const [ownTaken, listedTaken] = [new Set<number>(), new Set<number>()]
  return possible.filter((pair) => {
    if (ownTaken.has(pair.own) || listedTaken.has(pair.listed)) return false
    ownTaken.add(pair.own)
    listedTaken.add(pair.listed)
    return true
  })
}

/** Initials alone mean anybody. */
const isInitial = ({ own, listed, alike }: Pair, ownName: ComparedName, listedName: ComparedName): boolean =>
  alike < 1 && (ownName.words[own]?.text.length === 1 || listedName.words[listed]?.text.length === 1)

const sumOf = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0)

/** The share of words that both have, by weight: the larger of both names' shares counts more. */
function wordScore(
  own: ComparedName,
  listed: ComparedName,
  { pairs, weightOf }: { pairs: readonly Pair[]; weightOf: WordWeight },
): number {
  if (pairs.every((pair) => isInitial(pair, own, listed))) return 0
  const listedWeights = listed.words.map(({ spelling }) => weightOf(spelling))
  const matched = sumOf(pairs.map((pair) => (listedWeights[pair.listed] ?? 0) * pair.alike))
  const paired = sumOf(pairs.map((pair) => listedWeights[pair.listed] ?? 0))
  // A word with a typing error is as rare as no other, and would count most.
  const others = own.words.filter((_, index) => !pairs.some((pair) => pair.own === index))
  const first = matched / (paired + sumOf(others.map(({ spelling }) => Math.min(heaviestOther, weightOf(spelling)))))
  const second = matched / sumOf(listedWeights)
  return fullerShare * Math.max(first, second) + (1 - fullerShare) * Math.min(first, second)
}

/** How many typing errors names as a whole may have, by their letters. */
export const mostLetterErrors = 2

/** By how many letters of both names a typing error counts, and how long a name has to be for two. */
const letterScores = [
  { errors: 0, letters: 6, score: 0.96 },
  { errors: 1, letters: 7, score: 0.9 },
  { errors: 2, letters: 10, score: 0.86 },
] as const

/** The fewest typing errors between names written as one word. Family names may stand first or last. */
function errorsBetween(own: readonly string[], listed: readonly string[]): number {
  const text = own.join('')
  const errorsFrom = (at: number) =>
    typingErrors(text, [...listed.slice(at), ...listed.slice(0, at)].join(''), mostLetterErrors)
  return Math.min(...listed.map((_, at) => errorsFrom(at)))
}

/** How many consonants a name without vowels takes as a whole, by errors; it never holds. */
const bareLetters = [6, 9] as const
const bareLetterScore = 0.88

function bareScore(own: ComparedName, listed: ComparedName): number {
  const consonants = consonantWords(own)
  const least = bareLetters[errorsBetween(consonants, consonantWords(listed))]
  return least !== undefined && consonants.join('').length >= least ? bareLetterScore : 0
}

/**
 * Names as a whole, folded and as they are written: words that are joined or split, two errors in one word, and errors in
 * what folding would have dropped or joined.
 */
function letterScore(own: ComparedName, listed: ComparedName): number {
  const forms = [
    [foldedWords(own), foldedWords(listed)],
    [own.written, listed.written],
  ] as const
  const scores = forms.map(([ownWords, listedWords]) => {
    const errors = errorsBetween(ownWords, listedWords)
    const letters = ownWords.join('').length
    return letterScores.find((one) => one.errors === errors && one.letters <= letters)?.score ?? 0
  })
  return Math.max(...scores, own.isBare ? bareScore(own, listed) : 0)
}

/** Whether the listed family name is in the own name, and words that folding left out and that may be names are in both. */
function mayHold(own: ComparedName, listed: ComparedName, pairs: readonly Pair[]): boolean {
  const found = new Set(pairs.filter((pair) => !isInitial(pair, own, listed)).map((pair) => pair.listed))
  return (
    listed.family.every((place) => found.has(place)) &&
    listed.lost.every((word) => own.written.includes(word)) &&
    [...own.lost, ...own.doubtful].every((word) => listed.written.includes(word))
  )
}

/** How well a name fits a listed one, in basis points. Without the listed family name it is never enough for a hold. */
export function scoreOf(own: ComparedName, listed: ComparedName, weightOf: WordWeight): number {
  const pairs = pairedWords(own, listed)
  const byWords = wordScore(own, listed, { pairs, weightOf })
  // Names as a whole fit with all their letters.
  const byLetters = byWords * 10_000 < reviewFrom ? letterScore(own, listed) : 0
  const score = Math.round(Math.max(byWords, byLetters) * 10_000) // not money: a score
  return score < holdFrom || byLetters > byWords || mayHold(own, listed, pairs)
    ? score
    : Math.min(score, highestOfReview)
}
