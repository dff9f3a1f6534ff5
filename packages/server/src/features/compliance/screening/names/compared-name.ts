import { foldName, type NameOwner, type WrittenWord, writtenWords } from './fold.ts'
import { readingsOf } from './readings.ts'
import { lacksVowels } from './scripts/to-latin.ts'
import { consonantsOf, lackVowels, spellingOf } from './variants.ts'

/** A folded word in the forms that are compared. */
export interface ComparedWord {
  readonly text: string
  readonly spelling: string
  readonly consonants: string
}

/** A name in the forms that are compared, word by word. */
export interface ComparedName {
  readonly words: readonly ComparedWord[]
  /** As it is written, in Latin letters: typing errors are made there. */
  readonly written: readonly string[]
  /** Written without most vowels: consonants decide. */
  readonly isBare: boolean
  /** Places of the words that a hold needs, where the name is the listed one. */
  readonly family: readonly number[]
  /** Words left out that may be names; a hold needs them in the other name. Of a listed name only `lost` ones count. */
  readonly lost: readonly string[]
  readonly doubtful: readonly string[]
}

/** The folded words of a name. */
export const foldedWords = ({ words }: ComparedName): string[] => words.map(({ text }) => text)

/** The consonants of its words. */
export const consonantWords = ({ words }: ComparedName): string[] => words.map(({ consonants }) => consonants)

const comparedWord = (text: string): ComparedWord => ({
  text,
  spelling: spellingOf(text),
  consonants: consonantsOf(text),
})

function compared(words: readonly WrittenWord[], owner: NameOwner, isBare: boolean): ComparedName {
  const folded = foldName(words, owner)
  const written = words.map(({ text }) => text)
  return {
    words: folded.words.map(({ text }) => comparedWord(text)),
    written,
    isBare: isBare || lackVowels(...written),
    family: folded.words.flatMap(({ isFamily }, place) => (isFamily ? [place] : [])),
    lost: folded.lost,
    doubtful: folded.doubtful,
  }
}

/** A name in each of its readings as it is compared, the most usual one first; readings without a letter or digit are left out. */
export function comparedReadings(name: string, owner: NameOwner = 'person'): ComparedName[] {
  const isBare = lacksVowels.test(name)
  return readingsOf(name)
    .map((reading) => compared(writtenWords(reading), owner, isBare))
    .filter(({ words }) => words.length > 0)
}

/** A name as it is compared; without words where nothing of it is a letter or a digit. */
export const comparedName = (name: string, owner: NameOwner = 'person'): ComparedName =>
  comparedReadings(name, owner)[0] ?? compared([], owner, false)
