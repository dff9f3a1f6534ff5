import { readTable } from './letter-table.ts'

// The romanisation of Israeli passports. Vowels are seldom written, and four letters each stand for two sounds.
const letters = readTable(`
  א a ב b ג g ד d ה h ו v ז z ח h ט t י y כ k ך kh ל l מ m ם m נ n ן n ס s ע a פ p ף f צ tz ץ tz ק k ר r ש sh ת t
`)
const soft = readTable('ב v פ f')
/** A geresh behind a letter stands for a sound of other languages. */
const foreign = readTable('צ׳ ch ץ׳ ch ז׳ zh ת׳ th')
/** Its ו is a consonant, whichever it is elsewhere in a name. */
const withConsonant = readTable('דוד david')

/** Which of its two sounds a letter has within a word. */
export interface HebrewSounds {
  /** ו is the vowel o or u, not the consonant v. */
  readonly isVavVowel: boolean
  /** ב is v behind the first letter. */
  readonly isBetSoft: boolean
  /** פ is f behind the first letter. */
  readonly isPeSoft: boolean
  /** ש is s, not sh. */
  readonly isSin: boolean
  /** ח is written ch, not h. */
  readonly isChet: boolean
}

const yes = [true, false]
const no = [false, true]

/** All combinations, the most frequent ones first. */
export const hebrewSounds: readonly HebrewSounds[] = no.flatMap((isSin) =>
  no.flatMap((isChet) =>
    yes.flatMap((isVavVowel) =>
      yes.flatMap((isBetSoft) => yes.map((isPeSoft) => ({ isVavVowel, isBetSoft, isPeSoft, isSin, isChet }))),
    ),
  ),
)

/** A Hebrew word in Latin letters, mostly consonants. */
export function hebrewWord(word: string, sounds: HebrewSounds): string {
  const plain = word.normalize('NFD').replaceAll(/\p{M}/gu, '').replaceAll('וו', 'ו')
  const known = withConsonant[plain]
  if (known !== undefined) return known
  const hebrew = plain.match(/[צץזת]׳|./gu) ?? []
  const latin = hebrew.map((letter, index) => {
    const sound = foreign[letter]
    if (sound !== undefined) return sound
    if (letter === 'ש' && sounds.isSin) return 's'
    if (letter === 'ח' && sounds.isChet) return 'ch'
    if (index === 0) return letters[letter] ?? ''
    if (letter === 'ו' && sounds.isVavVowel && hebrew[index + 1] !== 'י') return 'o'
    // Behind a consonant these are mostly silent; an h alone would make a digraph of it.
    if (letter === 'א' || letter === 'ע') return 'a'
    if (letter === 'ה') return 'ah'
    const isSoft = letter === 'ב' ? sounds.isBetSoft : sounds.isPeSoft
    return (isSoft ? soft[letter] : undefined) ?? letters[letter] ?? ''
  })
  // An l before a consonant would be taken for an Arabic article.
  return latin.join('').replace(/^l(?=[^aeiouy])/, 'la')
}
