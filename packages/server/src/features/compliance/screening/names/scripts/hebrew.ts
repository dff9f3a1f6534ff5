import { readTable } from './letter-table.ts'

// The romanisation of Israeli passports. Vowels are seldom written, and four letters each stand for two sounds.
const letters = readTable(`
  א a ב b ג g ד d ה h ו v ז z ח h ט t י y כ k ך kh ל l מ m ם m נ n ן n ס s ע a פ p ף f צ tz ץ tz ק k ר r ש sh ת t
`)
const soft = readTable('ב v פ f')

/** Which of its two sounds a letter has within a word. */
export interface HebrewSounds {
  /** ו is the vowel o or u, not the consonant v. */
  readonly isVavVowel: boolean
  /** ב and פ are v and f behind the first letter. */
  readonly isSoft: boolean
  /** ש is s, not sh. */
  readonly isSin: boolean
}

/** All combinations, the most frequent one first. */
export const hebrewSounds: readonly HebrewSounds[] = [true, false].flatMap((isVavVowel) =>
  [true, false].flatMap((isSoft) => [false, true].map((isSin) => ({ isVavVowel, isSoft, isSin }))),
)

/** A Hebrew word in Latin letters, mostly consonants. */
export function hebrewWord(word: string, { isVavVowel, isSoft, isSin }: HebrewSounds): string {
  const plain = word.normalize('NFD').replaceAll(/\p{M}/gu, '').replaceAll('וו', 'ו')
  const hebrew = Array.from(plain)
  const latin = hebrew.map((letter, index) => {
    if (letter === 'ש' && isSin) return 's'
    if (index === 0) return letters[letter] ?? ''
    if (letter === 'ו' && isVavVowel && hebrew[index + 1] !== 'י') return 'o'
    // Behind a consonant these are mostly silent; an h alone would make a digraph of it.
    if (letter === 'א' || letter === 'ע') return 'a'
    if (letter === 'ה') return 'ah'
    return (isSoft ? soft[letter] : undefined) ?? letters[letter] ?? ''
  })
  return latin.join('')
}
