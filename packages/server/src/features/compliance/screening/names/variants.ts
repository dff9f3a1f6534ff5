// Reduces Latin spellings of the same word to one form. Romanisations of Arabic, Persian and Russian differ mostly in
// vowels, doubled letters and a few consonants.

const rules: readonly (readonly [pattern: RegExp, key: string])[] = [
  // The ü of Chinese passports, written yu or v.
  [/^([ln])(?:yu|v)$/g, '$1u'],
  // Russian endings: -off, -eff, -ow, -iev, -yev
  [/[iy]?[eo](?:ff|v|w)$/g, 'uv'],
  [/[iy]?[eo]va$/g, 'uva'],
  [/(?:iy|ii|ij|yi|yj|ey|ei|ie|ee|ej)$/g, 'i'],
  [/x/g, 'ks'],
  [/ck|q|c(?=[^heiy])/g, 'k'],
  // One key for sh, ch and similar sounds.
  [/shch|sch|tsch|tch|sh|ch/g, 'x'],
  [/dzh|dj|zh/g, 'j'],
  [/ph/g, 'f'],
  [/kh/g, 'h'],
  [/gh/g, 'g'],
  [/th/g, 't'],
  [/dh/g, 'd'],
  [/(?:ai|ay|ei|ey|ie|ee|iy|yi)(?![aeiouy])/g, 'i'],
  [/(?:au|aw|ou|ow|oo|uw|wu)(?![aeiouy])/g, 'u'],
  [/w/g, 'v'],
  [/[eyi]+/g, 'i'],
  [/[ou]+/g, 'u'],
  [/(?<=[aiu])h$/g, ''],
  [/(.)\1+/g, '$1'],
]

const minLetters = 3

/** Returns the common form of the spellings of a word: `muhamad` for muhammad, mohamad and mouhammad. */
export const normalizeSpelling = (word: string): string =>
  rules.reduce((key, [pattern, by]) => key.replaceAll(pattern, by), word) || word

/**
 * Returns the consonants of a word, for scripts that omit vowels; a dash if it has none. Drops an `h` at the end and in
 * a digraph: without vowels, `thr` may be Tahir or Thr, and `slh` Salih.
 */
export const extractConsonants = (word: string): string =>
  normalizeSpelling(word.replaceAll('w', '').replaceAll('zh', 'z'))
    .replaceAll(/[aiu]/g, '')
    .replaceAll('x', 'sh')
    .replaceAll(/(?<=[tdz])h|(?<=..)h$/g, '')
    .replaceAll(/(.)\1+/g, '$1') || '-'

/**
 * Returns whether words lack most of their vowels, as Arabic ones do: at most one letter in five is a vowel. `aa`,
 * which stands for the letter ayn in some romanisations, counts as one letter.
 */
export const areVowelsMissing = (...words: readonly string[]): boolean => {
  const letters = words.join('').replaceAll('aa', 'a')
  const vowels = letters.replaceAll(/[^aeiou]/g, '').length
  return letters.length >= minLetters && vowels * 5 <= letters.length
}
