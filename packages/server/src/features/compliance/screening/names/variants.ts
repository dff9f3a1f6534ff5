// Folds Latin spellings of one word. Romanisations of Arabic, Persian and Russian differ mostly in vowels, doubled
// letters, and a few consonants.

const rules: readonly (readonly [pattern: RegExp, key: string])[] = [
  // The ü of Chinese passports.
  [/^([ln])(?:yu|v)$/g, '$1u'],
  // Russian endings: -off, -eff, -ow, -iev, -yev
  [/[iy]?[eo](?:ff|v|w)$/g, 'uv'],
  [/[iy]?[eo]va$/g, 'uva'],
  [/(?:iy|ii|ij|yi|yj|ey|ei|ie|ee|ej)$/g, 'i'],
  [/x/g, 'ks'],
  [/ck|q|c(?=[^heiy])/g, 'k'],
  // One letter for sh, ch and the sounds between them.
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

/** Returns the common form of a word's spellings: `muhamad` for Mohammed, Muhammad and Mohamad. */
export const normalizeSpelling = (word: string): string =>
  rules.reduce((key, [pattern, by]) => key.replaceAll(pattern, by), word) || word

/**
 * Returns the consonants of a word, for scripts that omit vowels; a dash when it has none. Drops a final `h` and one
 * that forms a digraph, since without vowels `thr` may be Tahir or Thr, and `slh` Salih.
 */
export const extractConsonants = (word: string): string =>
  normalizeSpelling(word.replaceAll('w', '').replaceAll('zh', 'z'))
    .replaceAll(/[aiu]/g, '')
    .replaceAll('x', 'sh')
    .replaceAll(/(?<=[tdz])h|(?<=..)h$/g, '')
    .replaceAll(/(.)\1+/g, '$1') || '-'

/**
 * Returns whether words lack most of their vowels, as in Arabic: at most one letter in five is a vowel. `aa`, some
 * romanisations' ayn, counts as one letter.
 */
export const areVowelsMissing = (...words: readonly string[]): boolean => {
  const letters = words.join('').replaceAll('aa', 'a')
  const vowels = letters.replaceAll(/[^aeiou]/g, '').length
  return letters.length >= minLetters && vowels * 5 <= letters.length
}
