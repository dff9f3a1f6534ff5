import type { ComparedWord } from '../names/compared-name.ts'
import { minSimilarity, maxErrorsForLength } from '../names/score.ts'
import { createErrorCounter } from './error-count.ts'
import { bitsPerError, countBits, toLetterSet } from './letter-sets.ts'

/** Words that agree in the lengths and first letters of text and spelling. */
interface WordGroup {
  readonly length: number
  readonly spellingLength: number
  readonly first: string
  readonly spellingFirst: string
  readonly places: Uint32Array
  readonly letters: Int32Array
  readonly spellingLetters: Int32Array
}

function groupWords(words: readonly ComparedWord[]): WordGroup[] {
  const toShapeKey = ({ text, spelling }: ComparedWord) =>
    [text.length, spelling.length, text[0], spelling[0]].join(' ')
  const groups = Map.groupBy(words.entries(), ([, word]) => toShapeKey(word))
  return Array.from(groups.values(), (group) => {
    const [, { text, spelling }] = group[0] as [number, ComparedWord]
    return {
      ...{
        length: text.length,
        spellingLength: spelling.length,
        first: text[0] ?? '',
        spellingFirst: spelling[0] ?? '',
      },
      places: Uint32Array.from(group, ([place]) => place),
      letters: Int32Array.from(group, ([, word]) => toLetterSet(word.text)),
      spellingLetters: Int32Array.from(group, ([, word]) => toLetterSet(word.spelling)),
    }
  })
}

/**
 * Returns the maximum difference, in bits, between the letter sets of two texts of these lengths that begin with
 * different letters, and have at most one typing error or a Jaro similarity of at least `minSimilarity`.
 */
function computeMaxBitDifference(a: number, b: number): number {
  const minShare = 3 * minSimilarity - 1
  const minCommonLetters = Math.ceil((minShare * a * b) / (a + b) - 1e-9) // not money: letters
  return Math.max(bitsPerError, a + b - 2 * minCommonLetters)
}

/** Creates a search for words within a few typing errors, by text or by spelling. */
export function createNearWords(words: readonly ComparedWord[]) {
  const groups = groupWords(words)
  return {
    /** Adds the indexes of all words that `computeWordSimilarity` may accept by their letters; may add others. */
    collect({ text, spelling }: ComparedWord, found: Set<number>): void {
      const [ownLetters, ownSpelling] = [toLetterSet(text), toLetterSet(spelling)]
      const [countErrors, countSpellingErrors] = [createErrorCounter(text), createErrorCounter(spelling)]
      for (const { length, spellingLength, first, spellingFirst, places, letters, spellingLetters } of groups) {
        const maxErrors = maxErrorsForLength(Math.max(text.length, length))
        const maxTextBits = Math.abs(length - text.length) <= maxErrors ? bitsPerError * maxErrors : -1
        const maxSpellingBits = Math.abs(spellingLength - spelling.length) <= maxErrors ? bitsPerError * maxErrors : -1
        if (maxErrors === 0 || (maxTextBits < 0 && maxSpellingBits < 0)) continue
        const isSameFirst = first === text[0] || spellingFirst === spelling[0]
        const maxBitDifference = isSameFirst ? Infinity : computeMaxBitDifference(length, text.length)
        const maxSpellingBitDifference = isSameFirst
          ? Infinity
          : computeMaxBitDifference(spellingLength, spelling.length)
        for (let index = 0; index < letters.length; index += 1) {
          const differentBits = countBits((letters[index] as number) ^ ownLetters)
          const spellingDifferentBits = countBits((spellingLetters[index] as number) ^ ownSpelling)
          if (differentBits > maxTextBits && spellingDifferentBits > maxSpellingBits) continue
          if (differentBits > maxBitDifference && spellingDifferentBits > maxSpellingBitDifference) continue
          const place = places[index] as number
          const word = words[place] as ComparedWord
          if (
            (differentBits <= maxTextBits && countErrors(word.text) <= maxErrors) ||
            (spellingDifferentBits <= maxSpellingBits && countSpellingErrors(word.spelling) <= maxErrors)
          )
            found.add(place)
        }
      }
    },
  }
}

/** Creates a search for words whose consonants have at most one typing error. */
export function createNearConsonants(words: readonly ComparedWord[]) {
  const lengths = Uint16Array.from(words, ({ consonants }) => consonants.length)
  const letters = Int32Array.from(words, ({ consonants }) => toLetterSet(consonants))
  return {
    /** Adds the indexes of all words whose consonants have at most one typing error; may add others. */
    collect({ consonants }: ComparedWord, found: Set<number>): void {
      const ownLetters = toLetterSet(consonants)
      const countErrors = createErrorCounter(consonants)
      for (let place = 0; place < lengths.length; place += 1) {
        if (Math.abs((lengths[place] as number) - consonants.length) > 1) continue
        if (countBits((letters[place] as number) ^ ownLetters) > bitsPerError) continue
        if (countErrors(words[place]?.consonants ?? '') <= 1) found.add(place)
      }
    },
  }
}
