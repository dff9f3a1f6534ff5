// Transliterates names in other scripts to Latin letters.

import { createRequire } from 'node:module'
import type AnyAscii from 'any-ascii'
import { chooseArabicLetters, arabicWord } from './arabic.ts'
import { cyrillicWord } from './cyrillic.ts'
import { greekWord } from './greek.ts'
import { chineseWord } from './han.ts'
import { koreanForms } from './hangul.ts'
import { type HebrewSounds, hebrewSounds, hebrewWord } from './hebrew.ts'
import { indicWord, isIndic } from './indic.ts'
import { kanaWord } from './kana.ts'
import { thaiWord } from './thai.ts'

let library: typeof AnyAscii | undefined

/** Loads the tables of 0.5 MB on first use, for letters that the tables of this folder lack. */
function loadAnyAscii(): typeof AnyAscii {
  library ??= (createRequire(import.meta.url)('any-ascii') as { default: typeof AnyAscii }).default
  return library
}

const isArabic = /\p{Script=Arabic}/u
const isCyrillic = /\p{Script=Cyrillic}/u
const isGreek = /\p{Script=Greek}/u
const isHan = /\p{Script=Han}/u
const isHangul = /\p{Script=Hangul}/u
const isHebrew = /\p{Script=Hebrew}/u
const isJapanese = /[\p{Script=Hiragana}\p{Script=Katakana}]/u
const isThai = /\p{Script=Thai}/u

/** Matches a letter of a script whose transliteration is too inexact to find listed names. */
export const isUnreadScript =
  /(?![\p{Script=Latin}\p{Script=Common}\p{Script=Inherited}\p{Script=Arabic}\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Hebrew}\p{Script=Han}\p{Script=Hangul}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Armenian}\p{Script=Georgian}\p{Script=Ethiopic}\p{Script=Sinhala}\u0900-\u0D7F])\p{L}/u

/** Matches a letter of a script that omits vowels, so that consonants are compared. */
export const lacksVowels = /[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Thai}]/u

const scriptRuns =
  /[\p{Script=Arabic}\p{M}]+|\p{Script=Cyrillic}+|\p{Script=Han}+|[\p{Script=Greek}\p{M}]+|[\p{Script=Hebrew}\p{M}]+|\p{Script=Hangul}+|[\p{Script=Hiragana}\p{Script=Katakana}ー]+|[\u0900-\u0D7F]+|\p{Script=Thai}+/gu
const nonAsciiLatin = /(?![a-z])\p{Script=Latin}/gu
const nonLatinLetters = /(?![\p{Script=Latin}\p{Script=Common}\p{Script=Inherited}])[\p{L}\p{N}\p{M}]+/gu

/** Replaces Latin letters that Unicode does not decompose, such as `ᴀ` and `ɓ`, by plain lower-case letters. */
export const plainLatin = (text: string): string =>
  text.replaceAll(nonAsciiLatin, (letter) => loadAnyAscii()(letter).toLowerCase())

const koreanWord = (word: string): string => koreanForms([word.normalize('NFC')])[0] ?? ''

/** Transliterates a text to Latin letters; Hebrew with the given sounds. */
export function toLatin(text: string, sounds: HebrewSounds = hebrewSounds[0] as HebrewSounds): string {
  const languageLetters = chooseArabicLetters(text)
  return text
    .replaceAll(scriptRuns, (word) => {
      if (isHan.test(word)) return chineseWord(word)
      if (isCyrillic.test(word)) return cyrillicWord(word)
      if (isArabic.test(word)) return arabicWord(word, languageLetters)
      if (isGreek.test(word)) return greekWord(word)
      if (isHebrew.test(word)) return hebrewWord(word, sounds)
      if (isHangul.test(word)) return koreanWord(word)
      if (isJapanese.test(word)) return kanaWord(word)
      if (isIndic.test(word)) return indicWord(word)
      return isThai.test(word) ? thaiWord(word) : word
    })
    .replaceAll(nonLatinLetters, (word) => loadAnyAscii()(word))
}
