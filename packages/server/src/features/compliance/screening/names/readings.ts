import { cantoneseReadings } from './scripts/cantonese.ts'
import { japaneseReadings, koreanReadings, taiwaneseReading } from './scripts/han.ts'
import { koreanForms } from './scripts/hangul.ts'
import { hebrewSounds } from './scripts/hebrew.ts'
import { isUnreadScript, toLatin } from './scripts/to-latin.ts'

const isEastAsian = /^[\p{Script=Han}\p{Script=Hangul}\p{Script=Hiragana}\p{Script=Katakana}ー\s・･,]+$/u
const isHan = /\p{Script=Han}/u
const isHangul = /\p{Script=Hangul}/u
const isHebrew = /\p{Script=Hebrew}/u
const isJapaneseKana = /[\p{Script=Hiragana}\p{Script=Katakana}]/u

// oxlint-disable-next-line no-control-regex -- all of ASCII and extended Latin
const latinPattern = /^[\u0000-\u024F]*$/

const maxHebrewReadings = 16

const splitWords = (text: string): string[] => text.split(/[\s・･,]+/u).filter(Boolean)

/** Normalizes compatibility characters, and removes tatweel and invisible characters. */
export const normalizeName = (name: string): string => name.normalize('NFKC').replaceAll(/[\u0640\p{Cf}]/gu, '')

/** Returns the Japanese readings of a name, family name first; none unless each part is kana or in the dictionary. */
export const readJapanese = (name: string): string[] => japaneseReadings(splitWords(normalizeName(name)))

export function readKorean(name: string): string[] {
  const words = splitWords(normalizeName(name))
  return words.every((word) => isHangul.test(word) && !isHan.test(word)) ? koreanForms(words) : koreanReadings(words)
}

/**
 * Returns the readings of a name in Latin letters. Chinese characters: as in Beijing, Taipei and Hong Kong, and as
 * Korean and Japanese. Hangul: by the common romanisations. Hebrew: by the possible sounds of its letters. Any other
 * name has one reading.
 */
export function listReadings(name: string): string[] {
  const text = normalizeName(name)
  if (latinPattern.test(text)) return [text]
  const commonReading = toLatin(text)
  if (isHebrew.test(text))
    return [...new Set(hebrewSounds.map((sounds) => toLatin(text, sounds)))].slice(0, maxHebrewReadings)
  if (!isEastAsian.test(text)) return [commonReading]
  if (isHangul.test(text) && !isHan.test(text)) return [...new Set([...readKorean(text), commonReading])]
  if (!isHan.test(text)) return [commonReading]
  if (isJapaneseKana.test(text)) return [...new Set([commonReading, ...readJapanese(text)])]
  const words = splitWords(text)
  const chinese = [commonReading, taiwaneseReading(words), ...cantoneseReadings(words)]
  return [...new Set([...chinese, ...readJapanese(text), ...readKorean(text)])]
}

/** Returns whether a name cannot be compared: it has no letter or digit, or letters of an unsupported script. */
export const isUnread = (name: string): boolean => {
  const text = normalizeName(name)
  return isUnreadScript.test(text) || !/[\p{L}\p{N}]/u.test(toLatin(text))
}

/** Returns whether a name has Chinese characters and no Japanese reading. */
export const lacksJapaneseReading = (name: string): boolean => {
  const text = normalizeName(name)
  return isHan.test(text) && isEastAsian.test(text) && readJapanese(text).length === 0
}
