import { foldName, type NameOwner, type WrittenWord, splitWrittenWords } from './fold.ts'
import { listReadings } from './readings.ts'
import { lacksVowels } from './scripts/to-latin.ts'
import { extractConsonants, areVowelsMissing, normalizeSpelling } from './variants.ts'

export interface ComparedWord {
  readonly text: string
  readonly spelling: string
  readonly consonants: string
}

export interface ComparedName {
  readonly words: readonly ComparedWord[]
  /** Words before folding, in Latin letters; typing errors are counted in them too. */
  readonly writtenWords: readonly string[]
  /** Whether the name is written without most vowels, so that consonants are compared. */
  readonly isBare: boolean
  /** Positions of the words that a hold requires, if this is the listed name. */
  readonly familyPlaces: readonly number[]
  /**
   * Dropped words that may be names: a hold requires them in the other name. It does not require the `doubtfulWords` of
   * a listed name.
   */
  readonly droppedWords: readonly string[]
  readonly doubtfulWords: readonly string[]
}

export const foldedWords = ({ words }: ComparedName): string[] => words.map(({ text }) => text)

export const consonantWords = ({ words }: ComparedName): string[] => words.map(({ consonants }) => consonants)

const toComparedWord = (text: string): ComparedWord => ({
  text,
  spelling: normalizeSpelling(text),
  consonants: extractConsonants(text),
})

function createComparedName(words: readonly WrittenWord[], owner: NameOwner, isBare: boolean): ComparedName {
  const foldedName = foldName(words, owner)
  const writtenWords = words.map(({ text }) => text)
  return {
    words: foldedName.words.map(({ text }) => toComparedWord(text)),
    writtenWords,
    isBare: isBare || areVowelsMissing(...writtenWords),
    familyPlaces: foldedName.words.flatMap(({ isFamily }, place) => (isFamily ? [place] : [])),
    droppedWords: foldedName.droppedWords,
    doubtfulWords: foldedName.doubtfulWords,
  }
}

/** Returns the readings of a name, most common first, without readings that have no letter or digit. */
export function toComparedReadings(name: string, owner: NameOwner = 'person'): ComparedName[] {
  const isBare = lacksVowels.test(name)
  return listReadings(name)
    .map((reading) => createComparedName(splitWrittenWords(reading), owner, isBare))
    .filter(({ words }) => words.length > 0)
}

/** Returns the most common reading of a name; without words if the name has no letter or digit. */
export const toComparedName = (name: string, owner: NameOwner = 'person'): ComparedName =>
  toComparedReadings(name, owner)[0] ?? createComparedName([], owner, false)
