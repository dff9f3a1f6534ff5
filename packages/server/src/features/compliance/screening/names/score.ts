// Scores names against listed names. Raise `matcherVersion`, which screens everyone again, with every change to how
// names are folded, found or scored.

import { type ComparedName, type ComparedWord, consonantWords, foldedWords } from './compared-name.ts'
import { jaroWinkler } from './jaro-winkler.ts'
import { typingErrors } from './typing-errors.ts'

export const matcherVersion = 4

/** Thresholds in basis points from which a match needs a review, and holds money. */
export const reviewFrom = 8500
export const holdFrom = 9500
/** Highest score that does not hold money. */
export const highestOfReview = holdFrom - 1

/** Returns the weight of a word, above 0 and at most 1: less for words in more listed names. */
export type WordWeight = (spelling: string) => number

// Less similar words are different words.
export const alikeFrom = 0.88
const sameSpelling = 0.985
const sameConsonants = 0.95
const similarConsonants = 0.9
const initialFits = 0.9
const oneTypingError = 0.9
const leastAlike = 0.7

/** Maximum typing errors by length; long words often share a beginning without being the same. */
export const errorsIn = (letters: number): number => (letters < 4 ? 0 : letters < 6 ? 1 : letters < 9 ? 2 : 3)

// Weight of the name with the larger share in common; the smaller share has the rest.
export const fullerShare = 0.6
export const heaviestOther = 0.7

/** Few consonants prove nothing unless both words begin alike. */
const fewConsonants = 3
/** Words with this many consonants may have one error. */
const manyConsonants = 5
const isVowel = (letter = '') => 'aiu'.includes(letter)

const beginAlike = (a: string, b: string): boolean => a[0] === b[0] || (isVowel(a[0]) && isVowel(b[0]))

/** Compares consonants where the own word is written without most vowels. */
function consonantsAlike(own: ComparedWord, listed: ComparedWord): number {
  const [a, b] = [own.consonants, listed.consonants]
  if (a === b) {
    if (a.length >= fewConsonants) return sameConsonants
    return beginAlike(own.spelling, listed.spelling) ? similarConsonants : 0
  }
  if (Math.min(a.length, b.length) < manyConsonants) return 0
  return typingErrors(a, b, 1) <= 1 ? similarConsonants : 0
}

/**
 * Returns the likeness of two words from 0 to 1. Initials fit any word with that first letter; without vowels,
 * consonants decide as well.
 */
export function wordsAlike(own: ComparedWord, listed: ComparedWord, isBare: boolean): number {
  const [a, b] = [own.text, listed.text]
  if (a === b) return 1
  if (!isBare && (a.length === 1 || b.length === 1)) return a[0] === b[0] ? initialFits : 0
  if (own.spelling === listed.spelling) return sameSpelling
  const bare = isBare ? consonantsAlike(own, listed) : 0
  const alike = Math.max(jaroWinkler(a, b), jaroWinkler(own.spelling, listed.spelling) * sameSpelling)
  const most = errorsIn(Math.max(a.length, b.length))
  if (alike < leastAlike || most === 0) return bare
  const errors = Math.min(typingErrors(a, b, most), typingErrors(own.spelling, listed.spelling, most))
  if (errors > most) return bare
  return Math.max(bare, errors === 1 ? Math.max(alike, oneTypingError) : alike)
}

/** Paired words of both names, by their places. */
export interface Pair {
  readonly own: number
  readonly listed: number
  readonly alike: number
}

/** Pairs each word with at most one of the other name, most similar first. */
export function pairedWords(own: ComparedName, listed: ComparedName): Pair[] {
  const possiblePairs: Pair[] = []
  own.words.forEach((word, index) => {
    listed.words.forEach((other, place) => {
      const alike = wordsAlike(word, other, own.isBare)
      if (alike >= alikeFrom) possiblePairs.push({ own: index, listed: place, alike })
    })
  })
  possiblePairs.sort((a, b) => b.alike - a.alike)
  const [ownTaken, listedTaken] = [new Set<number>(), new Set<number>()]
  return possiblePairs.filter((pair) => {
    if (ownTaken.has(pair.own) || listedTaken.has(pair.listed)) return false
    ownTaken.add(pair.own)
    listedTaken.add(pair.listed)
    return true
  })
}

/** Initials alone identify no person. */
const isInitial = ({ own, listed, alike }: Pair, ownName: ComparedName, listedName: ComparedName): boolean =>
  alike < 1 && (ownName.words[own]?.text.length === 1 || listedName.words[listed]?.text.length === 1)

const sumValues = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0)

/** Returns the weighted share of words in common; the larger of both names' shares counts more. */
function wordScore(
  own: ComparedName,
  listed: ComparedName,
  { pairs, weightOf }: { pairs: readonly Pair[]; weightOf: WordWeight },
): number {
  if (pairs.every((pair) => isInitial(pair, own, listed))) return 0
  const listedWeights = listed.words.map(({ spelling }) => weightOf(spelling))
  const matched = sumValues(pairs.map((pair) => (listedWeights[pair.listed] ?? 0) * pair.alike))
  const paired = sumValues(pairs.map((pair) => listedWeights[pair.listed] ?? 0))
  // A misspelt word occurs in no other name, so its rarity would give it the highest weight.
  const others = own.words.filter((_, index) => !pairs.some((pair) => pair.own === index))
  const first =
    matched / (paired + sumValues(others.map(({ spelling }) => Math.min(heaviestOther, weightOf(spelling)))))
  const second = matched / sumValues(listedWeights)
  return fullerShare * Math.max(first, second) + (1 - fullerShare) * Math.min(first, second)
}

/** Maximum typing errors between whole names. */
export const mostLetterErrors = 2

/** Score by number of errors, with the least number of letters of the own name. */
const letterScores = [
  { errors: 0, letters: 6, score: 0.96 },
  { errors: 1, letters: 7, score: 0.9 },
  { errors: 2, letters: 10, score: 0.86 },
] as const

/** Returns the least number of typing errors between names written as one word. Any listed word may come first. */
function errorsBetween(own: readonly string[], listed: readonly string[]): number {
  const text = own.join('')
  const errorsFrom = (at: number) =>
    typingErrors(text, [...listed.slice(at), ...listed.slice(0, at)].join(''), mostLetterErrors)
  return Math.min(...listed.map((_, at) => errorsFrom(at)))
}

/** Least number of consonants by errors, for whole names without vowels. Their score never reaches a hold. */
const bareLetters = [6, 9] as const
const bareLetterScore = 0.88

function bareScore(own: ComparedName, listed: ComparedName): number {
  const consonants = consonantWords(own)
  const least = bareLetters[errorsBetween(consonants, consonantWords(listed))]
  return least !== undefined && consonants.join('').length >= least ? bareLetterScore : 0
}

/**
 * Scores whole names, folded and as written: joined or split words, two errors in one word, and errors in text that
 * folding drops or joins.
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

/**
 * Returns whether the own name contains the listed family name, and both names contain the dropped words that may be
 * names.
 */
function canStopMoney(own: ComparedName, listed: ComparedName, pairs: readonly Pair[]): boolean {
  const found = new Set(pairs.filter((pair) => !isInitial(pair, own, listed)).map((pair) => pair.listed))
  return (
    listed.family.every((place) => found.has(place)) &&
    listed.lost.every((word) => own.written.includes(word)) &&
    [...own.lost, ...own.doubtful].every((word) => listed.written.includes(word))
  )
}

/**
 * Returns how well a name fits a listed name, in basis points. A word score without the listed family name stays below
 * a hold.
 */
export function computeScore(own: ComparedName, listed: ComparedName, weightOf: WordWeight): number {
  const pairs = pairedWords(own, listed)
  const byWords = wordScore(own, listed, { pairs, weightOf })
  // A whole-name score already covers all letters.
  const byLetters = byWords * 10_000 < reviewFrom ? letterScore(own, listed) : 0
  const score = Math.round(Math.max(byWords, byLetters) * 10_000) // not money: a score
  return score < holdFrom || byLetters > byWords || canStopMoney(own, listed, pairs)
    ? score
    : Math.min(score, highestOfReview)
}
