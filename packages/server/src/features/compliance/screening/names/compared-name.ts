import { foldWords, writtenWords } from './fold.ts'
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

const isArabic = /\p{Script=Arabic}/u

/** A name as it is compared; without words where nothing of it is a letter or a digit. */
export function comparedName(name: string): ComparedName {
  const written = writtenWords(name)
  const words = foldWords(written)
  return { words: words.map(comparedWord), written, isBare: isArabic.test(name) || lackVowels(...written) }
}
