import type { ComparedWord } from '../names/compared-name.ts'
import { minSimilarity, computeWordSimilarity } from '../names/score.ts'
import { createNearConsonants, createNearWords } from './near-words.ts'

/** Word of the dictionary that is similar to another word. */
export interface SimilarWord {
  /** Index of the word. */
  readonly word: number
  /** From `minSimilarity` to 1. */
  readonly similarity: number
}

export function createWordDictionary(words: readonly ComparedWord[]) {
  const nearWords = createNearWords(words)
  const nearConsonants = createNearConsonants(words)
  const groupPlacesBy = (keyOf: (word: ComparedWord) => string) =>
    Map.groupBy(words.keys(), (at) => keyOf(words[at] as ComparedWord))
  const placesBySpelling = groupPlacesBy(({ spelling }) => spelling)
  const placesByInitial = groupPlacesBy(({ text }) => (text.length === 1 ? text : ''))

  /** Returns the indexes of all words that may be similar to the own word; may return others. */
  function findNearPlaces(ownWord: ComparedWord, isBare: boolean): Set<number> {
    const found = new Set<number>(placesBySpelling.get(ownWord.spelling))
    if (ownWord.text.length === 1) words.forEach(({ text }, place) => text[0] === ownWord.text && found.add(place))
    for (const place of placesByInitial.get(ownWord.text[0] ?? '') ?? []) found.add(place)
    nearWords.collect(ownWord, found)
    if (isBare) nearConsonants.collect(ownWord, found)
    return found
  }

  return {
    /** Returns all words to which `computeWordSimilarity` gives at least `minSimilarity`. */
    findSimilarWords(ownWord: ComparedWord, isBare: boolean): SimilarWord[] {
      const similarWords: SimilarWord[] = []
      for (const word of findNearPlaces(ownWord, isBare)) {
        const similarity = computeWordSimilarity(ownWord, words[word] as ComparedWord, isBare)
        if (similarity >= minSimilarity) similarWords.push({ word, similarity })
      }
      return similarWords
    },
  }
}

export type WordDictionary = ReturnType<typeof createWordDictionary>
