import type { ComparedWord } from '../names/compared-name.ts'
import { alikeFrom, errorsIn, wordsAlike } from '../names/score.ts'
import { createNearTexts } from './near-texts.ts'

/** A listed word that counts as the one asked for. */
export interface AlikeWord {
  /** Its place in the dictionary. */
  readonly word: number
  /** From `alikeFrom` to 1. */
  readonly alike: number
}

/** Every word of the lists once, to find those that count as another word. */
export function createWordDictionary(words: readonly ComparedWord[]) {
  const lengths = Uint16Array.from(words, ({ text }) => text.length)
  const nearTexts = createNearTexts(
    words.map(({ text }) => text),
    lengths,
  )
  const nearSpellings = createNearTexts(
    words.map(({ spelling }) => spelling),
    lengths,
  )
  const nearConsonants = createNearTexts(
    words.map(({ consonants }) => consonants),
    lengths,
  )
  const placesBy = (keyOf: (word: ComparedWord) => string) =>
    Map.groupBy(words.keys(), (at) => keyOf(words[at] as ComparedWord))
  const bySpelling = placesBy(({ spelling }) => spelling)
  const initials = placesBy(({ text }) => (text.length === 1 ? text : ''))

  /** Places of all words that may count as the own one, and perhaps others. */
  function placesNear(own: ComparedWord, isBare: boolean): Set<number> {
    const found = new Set<number>(bySpelling.get(own.spelling))
    if (own.text.length === 1) words.forEach(({ text }, place) => text[0] === own.text && found.add(place))
    for (const place of initials.get(own.text[0] ?? '') ?? []) found.add(place)
    const mostErrors = (wordLength: number) => errorsIn(Math.max(own.text.length, wordLength))
    nearTexts.collect(own.text, mostErrors, found)
    nearSpellings.collect(own.spelling, mostErrors, found)
    if (!isBare) return found
    nearConsonants.collect(own.consonants, () => 1, found)
    return found
  }

  return {
    /** All words of `wordsAlike` from `alikeFrom` on. */
    alikeWords(own: ComparedWord, isBare: boolean): AlikeWord[] {
      const found: AlikeWord[] = []
      for (const word of placesNear(own, isBare)) {
        const alike = wordsAlike(own, words[word] as ComparedWord, isBare)
        if (alike >= alikeFrom) found.push({ word, alike })
      }
      return found
    },
  }
}

export type WordDictionary = ReturnType<typeof createWordDictionary>
