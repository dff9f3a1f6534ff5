import type { ComparedWord } from '../names/compared-name.ts'
import { alikeFrom, wordsAlike } from '../names/score.ts'
import { createNearConsonants, createNearWords } from './near-words.ts'

/** Listed word that resembles another word. */
export interface AlikeWord {
  /** Index in the dictionary. */
  readonly word: number
  /** Likeness, from `alikeFrom` to 1. */
  readonly alike: number
}

export function createWordDictionary(words: readonly ComparedWord[]) {
  const nearWords = createNearWords(words)
  const nearConsonants = createNearConsonants(words)
  const placesBy = (keyOf: (word: ComparedWord) => string) =>
    Map.groupBy(words.keys(), (at) => keyOf(words[at] as ComparedWord))
  const bySpelling = placesBy(({ spelling }) => spelling)
  const initials = placesBy(({ text }) => (text.length === 1 ? text : ''))

  /** Returns the places of all words that may resemble the own word, and perhaps others. */
  function findNearPlaces(own: ComparedWord, isBare: boolean): Set<number> {
    const found = new Set<number>(bySpelling.get(own.spelling))
    if (own.text.length === 1) words.forEach(({ text }, place) => text[0] === own.text && found.add(place))
    for (const place of initials.get(own.text[0] ?? '') ?? []) found.add(place)
    nearWords.collect(own, found)
    if (isBare) nearConsonants.collect(own, found)
    return found
  }

  return {
    /** Returns all words that `wordsAlike` scores at least `alikeFrom`. */
    alikeWords(own: ComparedWord, isBare: boolean): AlikeWord[] {
      const found: AlikeWord[] = []
      for (const word of findNearPlaces(own, isBare)) {
        const alike = wordsAlike(own, words[word] as ComparedWord, isBare)
        if (alike >= alikeFrom) found.push({ word, alike })
      }
      return found
    },
  }
}

export type WordDictionary = ReturnType<typeof createWordDictionary>
