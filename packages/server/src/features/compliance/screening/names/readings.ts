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
const isLatinAlready = /^[\u0000-\u024F]*$/

const mostHebrew = 16

const wordsOf = (text: string): string[] => text.split(/[\s・･,]+/u).filter(Boolean)

/** A name with letters that look alike made equal, and without tatweel and what is not seen. */
export const preparedName = (name: string): string => name.normalize('NFKC').replaceAll(/[\u0640\p{Cf}]/gu, '')

/** The readings of a name as Japanese, family name first; none where its parts are no Japanese names. */
export const readJapanese = (name: string): string[] => japaneseReadings(wordsOf(preparedName(name)))

/** The readings of a name as Korean. */
export function readKorean(name: string): string[] {
  const words = wordsOf(preparedName(name))
  return words.every((word) => isHangul.test(word) && !isHan.test(word)) ? koreanForms(words) : koreanReadings(words)
}

/**
 * A name in Latin letters, in every way in which its script is read: Chinese characters as in Beijing, Taipei and Hong Kong, as Korean
 * and as Japanese, Hangul by the usual romanisations, Hebrew by the sounds of its letters. A name in Latin letters has itself alone.
 */
export function readingsOf(name: string): string[] {
  const text = preparedName(name)
  if (isLatinAlready.test(text)) return [text]
  const usual = toLatin(text)
  if (isHebrew.test(text)) return [...new Set(hebrewSounds.map((sounds) => toLatin(text, sounds)))].slice(0, mostHebrew)
  if (!isEastAsian.test(text)) return [usual]
  if (isHangul.test(text) && !isHan.test(text)) return [...new Set([...readKorean(text), usual])]
  if (!isHan.test(text)) return [usual]
  if (isJapaneseKana.test(text)) return [...new Set([usual, ...readJapanese(text)])]
  const words = wordsOf(text)
  const chinese = [usual, taiwaneseReading(words), ...cantoneseReadings(words)]
  return [...new Set([...chinese, ...readJapanese(text), ...readKorean(text)])]
}

/** Whether a name says nothing to compare: no letter or digit, or one of a script that is not read. */
export const isUnread = (name: string): boolean => {
  const text = preparedName(name)
  return isUnreadScript.test(text) || !/[\p{L}\p{N}]/u.test(toLatin(text))
}

/** Whether a name in Chinese characters has no reading in the country that its owner is from. */
export const lacksJapaneseReading = (name: string): boolean => {
  const text = preparedName(name)
  return isHan.test(text) && isEastAsian.test(text) && readJapanese(text).length === 0
}
