import type { ComparedWord } from '../names/compared-name.ts'
import { alikeFrom, errorsIn, wordsAlike } from '../names/score.ts'
import { countBits, lettersIn } from './letter-sets.ts'
import { createNearTexts } from './near-texts.ts'

/** A listed word that counts as the one asked for. */
export interface AlikeWord {
  /** Its place in the dictionary. */
  readonly word: number
  /** From `alikeFrom` to 1. */
  readonly alike: number
}

// Consonants are alike from 0.9 by Jaro and Winkler, of which an equal beginning adds at most two fifths of what is missing
// from 1. So both shares of letters in common add up to 1.5 at least, and to 1.7 where the first letters differ.
const leastShared = { sameFirstLetter: 1.499, otherFirstLetter: 1.699 } as const

/** Finds consonants that may be alike by the letters they have in common, apart from typing errors. */
function createNearConsonants(texts: readonly string[]) {
  const letters = Int32Array.from(texts, lettersIn)
  return {
    collect(text: string, found: Set<number>): void {
      const own = lettersIn(text)
      texts.forEach((other, place) => {
        const others = letters[place] ?? 0
        const common = Math.min(text.length - countBits(own & ~others), other.length - countBits(others & ~own))
        const isSameFirst = text[0] === other[0]
        const least = isSameFirst ? leastShared.sameFirstLetter : leastShared.otherFirstLetter
        if (common / text.length + common / other.length >= least) found.add(place)
      })
    },
  }
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
  const consonants = words.map((word) => word.consonants)
  const likeConsonants = createNearConsonants(consonants)
  const nearConsonants = createNearTexts(consonants, lengths)
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
    likeConsonants.collect(own.consonants, found)
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
