import { findCountryCode } from '../lists/countries.ts'
import { normalizeName, readJapanese, readKorean } from './readings.ts'
import { toLatin } from './scripts/to-latin.ts'

/** Name in two parts; a single name has an empty given part. */
export interface DividedName {
  readonly family: string
  readonly given: string
}

const hasOtherScript = /(?![\p{Script=Latin}\p{Script=Common}\p{Script=Inherited}])\p{L}/u
const isEastAsian = /[\p{Script=Han}\p{Script=Hangul}\p{Script=Hiragana}\p{Script=Katakana}]/u
const isHangul = /\p{Script=Hangul}/u
const isKana = /[\p{Script=Hiragana}\p{Script=Katakana}]/u

/** Returns whether a name has letters of a script other than Latin. */
export const hasOtherScriptParts = ({ family, given }: DividedName): boolean =>
  hasOtherScript.test(`${family} ${given}`)

const capitalizeWords = (latin: string): string =>
  latin
    .trim()
    .toLowerCase()
    .replaceAll(/(?<=^|[\s-])\p{L}/gu, (letter) => letter.toUpperCase())

const chinese: ReadonlySet<string> = new Set(['CN', 'TW', 'HK', 'MO', 'SG', 'MY'])
const korean: ReadonlySet<string> = new Set(['KR', 'KP'])

/** Most Chinese family names have one character, most Japanese ones two. */
const looksJapanese = ({ family }: DividedName): boolean => Array.from(family).length > 1

/**
 * Returns the Korean or Japanese reading of a name, chosen by its script and the person's countries; undefined if it is
 * read as Chinese or has no such reading.
 */
function eastAsianReading(name: DividedName, countries: readonly (string | undefined)[]): string | undefined {
  const fullName = `${name.family} ${name.given}`.trim()
  const codes = countries.flatMap((country) => findCountryCode(country ?? '') ?? [])
  if (isHangul.test(fullName) || codes.some((code) => korean.has(code))) return readKorean(fullName)[0]
  const isJapanese = isKana.test(fullName) || codes.includes('JP') || looksJapanese(name)
  return isJapanese && !codes.some((code) => chinese.has(code)) ? readJapanese(fullName)[0] : undefined
}

/**
 * Returns a name in Latin letters. A name in another script is transliterated, Chinese characters by the person's
 * countries. A part that cannot be transliterated is empty.
 */
export function latinName(name: DividedName, countries: readonly (string | undefined)[]): DividedName {
  if (!hasOtherScriptParts(name)) return name
  const latin = (text: string) => capitalizeWords(toLatin(normalizeName(text)))
  const fullName = `${name.family}${name.given}`
  const reading = isEastAsian.test(fullName) && name.given !== '' ? eastAsianReading(name, countries) : undefined
  if (reading === undefined) return { family: latin(name.family), given: latin(name.given) }
  const [family = '', ...givenNames] = capitalizeWords(reading).split(' ')
  return { family, given: givenNames.join(' ') }
}
