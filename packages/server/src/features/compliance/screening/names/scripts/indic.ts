// Nine scripts that Unicode lays out like Devanagari (ISCII), with corresponding letters at the same place of each
// block.

const firstBlock = 0x0900
const blockLength = 0x80
const blocks = 9

/** Matches a letter of these scripts. */
export const isIndic = /[\u0900-\u0D7F]/u

// Hunterian romanisation, as in Indian passports, without its marks.
const vowels: Readonly<Record<number, string>> = Object.fromEntries(
  ['a', 'a', 'i', 'i', 'u', 'u', 'ri', 'li', 'e', 'e', 'e', 'ai', 'o', 'o', 'o', 'au'].map((latin, at) => [
    0x05 + at,
    latin,
  ]),
)
const vowelSigns: Readonly<Record<number, string>> = Object.fromEntries(
  ['a', 'i', 'i', 'u', 'u', 'ri', 'ri', 'e', 'e', 'e', 'ai', 'o', 'o', 'o', 'au'].map((latin, at) => [
    0x3e + at,
    latin,
  ]),
)
const consonants: readonly string[] =
  'k kh g gh n ch chh j jh n t th d dh n t th d dh n n p ph b bh m y r r l l l v sh sh s h'.split(' ')
const firstConsonant = 0x15
const marks: Readonly<Record<number, string>> = { 0x01: 'n', 0x02: 'n', 0x03: 'h' }
/** Becomes `wu` after an a, as in Dawood. */
const longVowelU = 0x0a
const virama = 0x4d
const nukta = 0x3c

/** Letters with a dot that have their own code points in some blocks. */
const dottedConsonants: Readonly<Record<number, string>> = Object.fromEntries(
  ['q', 'kh', 'g', 'z', 'r', 'rh', 'f', 'y'].map((latin, at) => [0x58 + at, latin]),
)

const findPlace = (letter: string): number => {
  const from = (letter.codePointAt(0) ?? 0) - firstBlock
  return from >= 0 && from < blocks * blockLength ? from % blockLength : -1
}
const findConsonant = (place: number): string | undefined =>
  consonants[place - firstConsonant] ?? dottedConsonants[place]

/**
 * Returns a word of these scripts in Latin letters. A consonant is followed by `a` unless a vowel sign or virama
 * follows, or the word ends.
 */
export function indicWord(word: string): string {
  // Pronounced gy, as in Gyan.
  const spokenWord = word.normalize('NFC').replaceAll('ज्ञ', 'ग्य')
  const places = Array.from(spokenWord, findPlace).filter((place) => place !== nukta)
  let latin = ''
  for (const [at, place] of places.entries()) {
    const consonant = findConsonant(place)
    const next = places[at + 1]
    if (place === longVowelU && latin.endsWith('a')) latin += 'wu'
    else if (consonant === undefined) latin += vowels[place] ?? vowelSigns[place] ?? marks[place] ?? ''
    else if (next === undefined || next === virama || vowelSigns[next] !== undefined) latin += consonant
    else latin += `${consonant}a`
  }
  return latin
}
