import { foldName } from './fold.ts'
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
  /** Written without most vowels: consonants decide. */
  readonly isBare: boolean
}

/** The forms of a folded word. */
export const comparedWord = (text: string): ComparedWord => ({
  text,
  spelling: spellingOf(text),
  consonants: consonantsOf(text),
})

const isArabic = /\p{Script=Arabic}/u

/** A name as it is compared; without words where nothing of it is a letter or a digit. */
export function comparedName(name: string): ComparedName {
  const words = foldName(name)
  return { words: words.map(comparedWord), isBare: isArabic.test(name) || lackVowels(...words) }
}
