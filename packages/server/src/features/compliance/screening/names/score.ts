// Scores names against listed names. Raise `matcherVersion`, which screens everyone again, with every change of how
// names are folded, found or scored.

import { type ComparedName, type ComparedWord, consonantWords, foldedWords } from './compared-name.ts'
import { jaroWinkler } from './jaro-winkler.ts'
import { countTypingErrors } from './typing-errors.ts'

export const matcherVersion = 5

/** Least scores, in basis points, of a match that needs a review and of one that holds money. */
export const reviewFrom = 8500
export const holdFrom = 9500
/** Highest score that holds no money. */
export const highestOfReview = holdFrom - 1

/** Returns the weight of a spelling, above 0 and up to 1; lower the more listed names contain it. */
export type WordWeight = (spelling: string) => number

// Words below this similarity count as different.
export const minSimilarity = 0.88
const spellingMatchFactor = 0.985
const consonantSimilarity = 0.95
const similarConsonants = 0.9
const initialSimilarity = 0.9
const oneTypingError = 0.9
const minSimilarityWithErrors = 0.7

/** Returns the maximum number of typing errors between two words, by the length of the longer one. */
export const maxErrorsForLength = (letters: number): number => (letters < 4 ? 0 : letters < 6 ? 1 : letters < 9 ? 2 : 3)

// Weight of the larger share in common of the two names; the smaller share has the rest.
export const largerShareWeight = 0.6
export const maxUnmatchedWeight = 0.7

/** Least number of equal consonants for a match of words with different beginnings. */
const minConsonants = 3
/** Least number of consonants that may have a typing error. */
const manyConsonants = 5
const isVowel = (letter = '') => 'aiu'.includes(letter)

const startsAlike = (a: string, b: string): boolean => a[0] === b[0] || (isVowel(a[0]) && isVowel(b[0]))

/** Compares the consonants of words; used if the own name is written without most vowels. */
function computeConsonantSimilarity(ownWord: ComparedWord, listedWord: ComparedWord): number {
  const [a, b] = [ownWord.consonants, listedWord.consonants]
  if (a === b) {
    if (a.length >= minConsonants) return consonantSimilarity
    return startsAlike(ownWord.spelling, listedWord.spelling) ? similarConsonants : 0
  }
  if (Math.min(a.length, b.length) < manyConsonants) return 0
  return countTypingErrors(a, b, 1) <= 1 ? similarConsonants : 0
}

/**
 * Returns the similarity of two words from 0 to 1. Unless `isBare`, an initial fits any word that begins with it. If
 * `isBare`, equal or similar consonants count as well.
 */
export function computeWordSimilarity(ownWord: ComparedWord, listedWord: ComparedWord, isBare: boolean): number {
  const [a, b] = [ownWord.text, listedWord.text]
  if (a === b) return 1
  if (!isBare && (a.length === 1 || b.length === 1)) return a[0] === b[0] ? initialSimilarity : 0
  if (ownWord.spelling === listedWord.spelling) return spellingMatchFactor
  const consonantSimilarity = isBare ? computeConsonantSimilarity(ownWord, listedWord) : 0
  const similarity = Math.max(
    jaroWinkler(a, b),
    jaroWinkler(ownWord.spelling, listedWord.spelling) * spellingMatchFactor,
  )
  const maxErrors = maxErrorsForLength(Math.max(a.length, b.length))
  if (similarity < minSimilarityWithErrors || maxErrors === 0) return consonantSimilarity
  const errors = Math.min(
    countTypingErrors(a, b, maxErrors),
    countTypingErrors(ownWord.spelling, listedWord.spelling, maxErrors),
  )
  if (errors > maxErrors) return consonantSimilarity
  return Math.max(consonantSimilarity, errors === 1 ? Math.max(similarity, oneTypingError) : similarity)
}

/** Words of both names that are paired, by index. */
export interface Pair {
  readonly own: number
  readonly listed: number
  readonly similarity: number
}

/** Pairs similar words of two names, most similar first; each word has at most one pair. */
export function pairWords(ownName: ComparedName, listedName: ComparedName): Pair[] {
  const possiblePairs: Pair[] = []
  ownName.words.forEach((word, index) => {
    listedName.words.forEach((other, place) => {
      const similarity = computeWordSimilarity(word, other, ownName.isBare)
      if (similarity >= minSimilarity) possiblePairs.push({ own: index, listed: place, similarity })
    })
  })
  possiblePairs.sort((a, b) => b.similarity - a.similarity)
  const [usedOwnWords, usedListedWords] = [new Set<number>(), new Set<number>()]
  return possiblePairs.filter((pair) => {
    if (usedOwnWords.has(pair.own) || usedListedWords.has(pair.listed)) return false
    usedOwnWords.add(pair.own)
    usedListedWords.add(pair.listed)
    return true
  })
}

/** Returns whether a pair rests on an initial, which alone does not identify a person. */
const isInitial = ({ own, listed, similarity }: Pair, ownName: ComparedName, listedName: ComparedName): boolean =>
  similarity < 1 && (ownName.words[own]?.text.length === 1 || listedName.words[listed]?.text.length === 1)

const sumValues = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0)

/** Returns the weighted share of words in common. Of the shares of both names, the larger has more weight. */
function computeWordScore(
  ownName: ComparedName,
  listedName: ComparedName,
  { pairs, weightOf }: { pairs: readonly Pair[]; weightOf: WordWeight },
): number {
  if (pairs.every((pair) => isInitial(pair, ownName, listedName))) return 0
  const listedWeights = listedName.words.map(({ spelling }) => weightOf(spelling))
  const matchedWeight = sumValues(pairs.map((pair) => (listedWeights[pair.listed] ?? 0) * pair.similarity))
  const pairedWeight = sumValues(pairs.map((pair) => listedWeights[pair.listed] ?? 0))
  // Limits the weight of unmatched words: a misspelt word occurs in no listed name and would have the highest one.
  const unmatchedWords = ownName.words.filter((_, index) => !pairs.some((pair) => pair.own === index))
  const ownShare =
    matchedWeight /
    (pairedWeight + sumValues(unmatchedWords.map(({ spelling }) => Math.min(maxUnmatchedWeight, weightOf(spelling)))))
  const listedShare = matchedWeight / sumValues(listedWeights)
  return largerShareWeight * Math.max(ownShare, listedShare) + (1 - largerShareWeight) * Math.min(ownShare, listedShare)
}

/** Maximum number of typing errors between whole names. */
export const maxLetterErrors = 2

/** Score of whole names by number of errors, and the least number of letters that the own name must have. */
const letterScores = [
  { errors: 0, letters: 6, score: 0.96 },
  { errors: 1, letters: 7, score: 0.9 },
  { errors: 2, letters: 10, score: 0.86 },
] as const

/**
 * Returns the least number of typing errors between two names written as one word, whichever listed word comes first.
 */
function countNameErrors(ownWords: readonly string[], listedWords: readonly string[]): number {
  const text = ownWords.join('')
  const countErrorsFrom = (at: number) =>
    countTypingErrors(text, [...listedWords.slice(at), ...listedWords.slice(0, at)].join(''), maxLetterErrors)
  return Math.min(...listedWords.map((_, at) => countErrorsFrom(at)))
}

/** Least number of consonants for 0 and 1 errors between names without vowels; their score holds no money. */
const bareLetters = [6, 9] as const
const bareLetterScore = 0.88

function computeBareScore(ownName: ComparedName, listedName: ComparedName): number {
  const consonants = consonantWords(ownName)
  const minLetters = bareLetters[countNameErrors(consonants, consonantWords(listedName))]
  return minLetters !== undefined && consonants.join('').length >= minLetters ? bareLetterScore : 0
}

/**
 * Scores whole names, folded and as written. Finds joined or split words, two errors in one word, and errors in text
 * that folding drops or joins.
 */
function computeLetterScore(ownName: ComparedName, listedName: ComparedName): number {
  const forms = [
    [foldedWords(ownName), foldedWords(listedName)],
    [ownName.writtenWords, listedName.writtenWords],
  ] as const
  const scores = forms.map(([ownWords, listedWords]) => {
    const errors = countNameErrors(ownWords, listedWords)
    const letters = ownWords.join('').length
    return letterScores.find((rule) => rule.errors === errors && rule.letters <= letters)?.score ?? 0
  })
  return Math.max(...scores, ownName.isBare ? computeBareScore(ownName, listedName) : 0)
}

/**
 * Returns whether a match may hold money: the own name contains the listed family name, and each name contains the
 * dropped words of the other that may be names.
 */
function canStopMoney(ownName: ComparedName, listedName: ComparedName, pairs: readonly Pair[]): boolean {
  const matchedPlaces = new Set(
    pairs.filter((pair) => !isInitial(pair, ownName, listedName)).map((pair) => pair.listed),
  )
  return (
    listedName.familyPlaces.every((place) => matchedPlaces.has(place)) &&
    listedName.droppedWords.every((word) => ownName.writtenWords.includes(word)) &&
    [...ownName.droppedWords, ...ownName.doubtfulWords].every((word) => listedName.writtenWords.includes(word))
  )
}

/**
 * Returns how well a name fits a listed name, in basis points. A score by words stays below `holdFrom` unless
 * `canStopMoney`.
 */
export function computeScore(ownName: ComparedName, listedName: ComparedName, weightOf: WordWeight): number {
  const pairs = pairWords(ownName, listedName)
  const wordScore = computeWordScore(ownName, listedName, { pairs, weightOf })
  // Names that share enough words need no comparison as a whole.
  const letterScore = wordScore * 10_000 < reviewFrom ? computeLetterScore(ownName, listedName) : 0
  const score = Math.round(Math.max(wordScore, letterScore) * 10_000) // not money: a score
  return score < holdFrom || letterScore > wordScore || canStopMoney(ownName, listedName, pairs)
    ? score
    : Math.min(score, highestOfReview)
}
