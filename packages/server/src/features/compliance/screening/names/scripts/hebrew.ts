import { readTable } from './letter-table.ts'

// Romanisation of Israeli passports. Vowels are seldom written, and some letters have two sounds.
const letters = readTable(`
  א a ב b ג g ד d ה h ו v ז z ח h ט t י y כ k ך kh ל l מ m ם m נ n ן n ס s ע a פ p ף f צ tz ץ tz ק k ר r ש sh ת t
`)
const softLetters = readTable('ב v פ f')
/** A letter with a geresh denotes a foreign sound. */
const foreignLetters = readTable('צ׳ ch ץ׳ ch ז׳ zh ת׳ th')
/** Its ו is always a consonant. */
const consonantVavWords = readTable('דוד david')

/** Sounds of the ambiguous letters within a word. */
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

/** All combinations, most frequent first. */
export const hebrewSounds: readonly HebrewSounds[] = falseFirst.flatMap((isSin) =>
  falseFirst.flatMap((isChet) =>
    trueFirst.flatMap((isVavVowel) =>
      trueFirst.flatMap((isBetSoft) =>
        trueFirst.map((isPeSoft) => ({ isVavVowel, isBetSoft, isPeSoft, isSin, isChet })),
      ),
    ),
  ),
)

/** Returns a Hebrew word in Latin letters, mostly consonants. */
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
    // Mostly silent after a consonant; a plain h would form a digraph.
    if (letter === 'א' || letter === 'ע') return 'a'
    if (letter === 'ה') return 'ah'
    const isSoft = letter === 'ב' ? sounds.isBetSoft : sounds.isPeSoft
    return (isSoft ? softLetters[letter] : undefined) ?? letters[letter] ?? ''
  })
  // An l before a consonant would read as an Arabic article.
  return latin.join('').replace(/^l(?=[^aeiouy])/, 'la')
}
