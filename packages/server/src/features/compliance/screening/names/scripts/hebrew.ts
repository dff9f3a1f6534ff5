import { readTable } from './letter-table.ts'

// Romanisation as in Israeli passports. Vowels are seldom written, and some letters have two sounds.
const letters = readTable(`
  א a ב b ג g ד d ה h ו v ז z ח h ט t י y כ k ך kh ל l מ m ם m נ n ן n ס s ע a פ p ף f צ tz ץ tz ק k ר r ש sh ת t
`)
const softLetters = readTable('ב v פ f')
/** A letter with a geresh denotes a foreign sound. */
const foreignLetters = readTable('צ׳ ch ץ׳ ch ז׳ zh ת׳ th')
/** Words in which ו is a consonant, whatever the other sounds. */
const consonantVavWords = readTable('דוד david')

/** Choice of sounds for the ambiguous letters of a name. */
export interface HebrewSounds {
  /** ו is the vowel o, not the consonant v. */
  readonly isVavVowel: boolean
  /** ב is v after the first letter. */
  readonly isBetSoft: boolean
  /** פ is f after the first letter. */
  readonly isPeSoft: boolean
  /** ש is s, not sh. */
  readonly isSin: boolean
  /** ח is written ch, not h. */
  readonly isChet: boolean
}

const trueFirst = [true, false]
const falseFirst = [false, true]

/** All combinations of sounds, most frequent first. */
export const hebrewSounds: readonly HebrewSounds[] = falseFirst.flatMap((isSin) =>
  falseFirst.flatMap((isChet) =>
    trueFirst.flatMap((isVavVowel) =>
      trueFirst.flatMap((isBetSoft) =>
        trueFirst.map((isPeSoft) => ({ isVavVowel, isBetSoft, isPeSoft, isSin, isChet })),
      ),
    ),
  ),
)

/** Returns a Hebrew word in Latin letters, with the chosen sounds; most vowels are missing. */
export function hebrewWord(word: string, sounds: HebrewSounds): string {
  const plain = word.normalize('NFD').replaceAll(/\p{M}/gu, '').replaceAll('וו', 'ו')
  const foundSound = consonantVavWords[plain]
  if (foundSound !== undefined) return foundSound
  const hebrew = plain.match(/[צץזת]׳|./gu) ?? []
  const latin = hebrew.map((letter, index) => {
    const sound = foreignLetters[letter]
    if (sound !== undefined) return sound
    if (letter === 'ש' && sounds.isSin) return 's'
    if (letter === 'ח' && sounds.isChet) return 'ch'
    if (index === 0) return letters[letter] ?? ''
    if (letter === 'ו' && sounds.isVavVowel && hebrew[index + 1] !== 'י') return 'o'
    // These letters stand for a vowel; a plain h for ה would form a digraph with the consonant before it.
    if (letter === 'א' || letter === 'ע') return 'a'
    if (letter === 'ה') return 'ah'
    const isSoft = letter === 'ב' ? sounds.isBetSoft : sounds.isPeSoft
    return (isSoft ? softLetters[letter] : undefined) ?? letters[letter] ?? ''
  })
  // A leading l before a consonant would be taken for an Arabic article.
  return latin.join('').replace(/^l(?=[^aeiouy])/, 'la')
}
