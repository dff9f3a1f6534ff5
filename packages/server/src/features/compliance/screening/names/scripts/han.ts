// Names in Chinese characters, with Chinese, Korean and Japanese readings.

import { createRequire } from 'node:module'
import type * as Pinyin from 'pinyin-pro'
import { koreanForms } from './hangul.ts'
import { isKana, kanaWord } from './kana.ts'
import { readNameFile } from './name-files.ts'
import { wadeGiles } from './wade-giles.ts'

let library: typeof Pinyin | undefined

/** Loads the dictionary of 11 MB on first use. */
function loadPinyin(): typeof Pinyin {
  library ??= createRequire(import.meta.url)('pinyin-pro') as typeof Pinyin
  return library
}

const maxJoinedSyllables = 4

/** Returns the syllables of a word in Hanyu Pinyin without tones. */
function splitSyllables(word: string): string[] {
  const { pinyin } = loadPinyin()
  return pinyin(word, { toneType: 'none', type: 'array', surname: 'head' }).map((part) => part.replaceAll('ü', 'u'))
}

/** Returns a name in Wade-Giles, with spaces between syllables. */
export const taiwaneseReading = (words: readonly string[]): string =>
  words.flatMap(splitSyllables).map(wadeGiles).join(' ')

/** Returns the family name, then the given name as one word; longer names with spaces between all syllables. */
export function chineseWord(word: string): string {
  const syllables = splitSyllables(word)
  if (syllables.length > maxJoinedSyllables || syllables.length < 2) return syllables.join(' ')
  return `${syllables[0]} ${syllables.slice(1).join('')}`
}

let hangulByCharacter: ReadonlyMap<string, string> | undefined

/** Loads Korean syllables by character from lines of a syllable and its characters. */
function loadKorean(): ReadonlyMap<string, string> {
  hangulByCharacter ??= new Map(
    readNameFile('korean.txt.br')
      .split('\n')
      .flatMap((line) => {
        const [syllable = '', ...characters] = Array.from(line)
        return characters.map((character) => [character, syllable] as const)
      }),
  )
  return hangulByCharacter
}

// Least number of characters: shorter names are mostly Chinese.
const shortestKorean = 3
const longestKorean = 5

/**
 * Returns the Korean readings of a name; none for names that are too short or too long, or with a character that has no
 * Korean reading.
 */
export function koreanReadings(words: readonly string[]): string[] {
  const table = loadKorean()
  const hangul = words.map((word) => Array.from(word, (character) => table.get(character) ?? ' ').join(''))
  const hangulText = hangul.join('')
  const isKorean =
    !hangulText.includes(' ') && hangulText.length >= shortestKorean && hangulText.length <= longestKorean
  return isKorean ? koreanForms(hangul) : []
}

type Readings = ReadonlyMap<string, readonly string[]>
interface JapaneseNames {
  readonly families: Readings
  readonly given: Readings
}
let japanese: JapaneseNames | undefined

const parseReadings = (lines: string): Readings =>
  new Map(
    lines.split('\n').map((line) => {
      const [name = '', ...readings] = line.split(' ')
      return [name, readings.map(kanaWord)]
    }),
  )

/** Loads Japanese names with their readings: family names, an empty line, given names. */
function loadJapanese(): JapaneseNames {
  if (!japanese) {
    const [familyLines = '', givenLines = ''] = readNameFile('japanese.txt.br').trimEnd().split('\n\n')
    japanese = { families: parseReadings(familyLines), given: parseReadings(givenLines) }
  }
  return japanese
}

// Variant and pre-1946 characters, each with the form that the dictionary uses.
const modernCharacters: Readonly<Record<string, string>> = Object.fromEntries(
  `髙高 﨑崎 澤沢 濵浜 濱浜 邊辺 邉辺 齋斎 齊斉 廣広 國国 櫻桜 眞真 惠恵 龍竜 德徳 黑黒 榮栄 實実 壽寿 靜静 淸清 曾曽 吳呉 嶋島 桒桑 瀨瀬 關関 櫛櫛 冨富 會会 藏蔵 佛仏 禮礼 藝芸 彌弥 顯顕 條条 團団 樂楽 萬万 來来 應応 繩縄 總総`
    .split(' ')
    .map((pair) => Array.from(pair) as [string, string]),
)
const modernise = (word: string): string => Array.from(word, (letter) => modernCharacters[letter] ?? letter).join('')

const findReadings = (table: Readings, word: string): readonly string[] => {
  if (isKana.test(word)) return [kanaWord(word)]
  return table.get(word) ?? table.get(modernise(word)) ?? []
}

const maxJapaneseReadings = 12

/** Returns every division of a name into family and given name; two words in either order. */
function divideName(words: readonly string[]): (readonly [family: string, given: string])[] {
  const [first = '', second = ''] = words
  if (words.length === 2) {
    return [
      [first, second],
      [second, first],
    ]
  }
  const letters = Array.from(first)
  return words.length === 1
    ? letters.slice(1).map((_, at) => [letters.slice(0, at + 1).join(''), letters.slice(at + 1).join('')] as const)
    : []
}

/** Returns the Japanese readings of a name, family name first; none unless each part is kana or in the dictionary. */
export function japaneseReadings(words: readonly string[]): string[] {
  const { families, given } = loadJapanese()
  const fullReadings = divideName(words).flatMap(([family, rest]) =>
    findReadings(families, family).flatMap((first) => findReadings(given, rest).map((last) => `${first} ${last}`)),
  )
  return [...new Set(fullReadings)].slice(0, maxJapaneseReadings)
}
