// Words by which transactions are searched, with and without the index.

import { parseReference } from '@tern/contract/protocol/transaction-reference'
import { type CurrencyCode, currencyCodes } from '@tern/money/currency'
import { money, toDecimal } from '@tern/money/money'
import { foldText } from './fold-text.ts'
import { dateTokens, findDate, type IdRange, type SearchReader } from './search-dates.ts'

/** Searchable content of a row, including the counterparty's current names. */
export interface SearchableRow {
  readonly user_id: bigint
  readonly id: string
  readonly kind: string
  readonly created_at: Date
  readonly description: string
  readonly source_amount: bigint
  readonly source_currency: CurrencyCode
  readonly target_amount: bigint
  readonly target_currency: CurrencyCode
  readonly fee_amount: bigint
  readonly counterparty_username: string | null
  readonly counterparty_name: string | null
}

/**
 * Parsed search text. It matches a row if each of its words begins a word of the row, if it begins the row's id, or if
 * it is the row's reference or day.
 */
export interface Search {
  readonly words: readonly string[]
  /** Words that must match whole words: a day next to a month, and a date. */
  readonly whole: ReadonlySet<string>
  /** Ids that begin with the text, or the id whose reference the text is. */
  readonly ids: IdRange | undefined
  /** Date in the text: the id ranges of its days, and the words beside it, which must match too. */
  readonly dateMatch: { readonly ranges: readonly IdRange[]; readonly words: readonly string[] } | undefined
}

const longestWord = 40
// Scripts without spaces, where any character may begin a word.
const spacelessScripts = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]/u
const longestSpaceless = 12
// A number with separators, a time, a sequence of letters and digits, or a pictogram.
const wordPattern = /\d[\d.,:]*\d|[\p{L}\p{N}\p{M}]+|\p{So}/gu

const signs: readonly (readonly [RegExp, string])[] = [
  [/(?<![a-z])us\$/g, ' usd '],
  [/(?<![a-z])ca?\$/g, ' cad '],
  [/(?<![a-z])a\$/g, ' aud '],
  [/(?<![a-z])s\$/g, ' sgd '],
  [/(?<![a-z])r\$/g, ' brl '],
  [/€/g, ' eur '],
  [/£/g, ' gbp '],
  [/[¥￥]/g, ' jpy '],
  [/₹/g, ' inr '],
  [/₿/g, ' btc '],
  [/₮/g, ' usdt '],
]
/** Thousands separators besides the comma: spaces of any width, and apostrophes. */
const thousands = /(?<=\d)(?:[\u00a0\u2009\u202f'’](?=\d{3}(?!\d))| (?=\d{3}(?: \d{3})*[.,]\d{1,2}(?!\d)))/gu

/** True for printable ASCII without digits or `$`, which only needs lower case. */
const isSimple = (text: string): boolean => !/[^ -#%-/:-~]/.test(text)

/** Folds a text, replaces currency signs by codes, and removes thousands separators that would split a number. */
function prepare(text: string): string {
  if (isSimple(text)) return text.toLowerCase()
  const foldedText = foldText(text.replaceAll(thousands, '').replaceAll('٬', '').replaceAll('٫', '.'))
  return /[€£¥￥₹₿₮$]/.test(foldedText)
    ? signs.reduce((replacedText, [sign, code]) => replacedText.replaceAll(sign, code), foldedText)
    : foldedText
}

const codes = currencyCodes.join('|').toLowerCase()
const adjacentCurrencyPattern = new RegExp(
  String.raw`(?<![\p{L}\p{N}])(?:${codes})(?=\d)|(?<=\d)(?:${codes})(?![\p{L}\p{N}])`,
  'gu',
)

/** Separates numbers from adjacent currencies, as in `5eur` and `500円`. */
const insertSpaces = (preparedText: string): string =>
  /\d/.test(preparedText)
    ? preparedText.replaceAll(adjacentCurrencyPattern, ' $& ').replaceAll(/(?<=\d ?)円/gu, ' jpy ')
    : preparedText

/** True if a locale writes thousands with a point: `1.234`. */
function hasPointGroups(locale: string | undefined): boolean {
  if (locale === undefined) return false
  try {
    return new Intl.NumberFormat(locale).format(12_345.5).startsWith('12.345')
  } catch {
    return false
  }
}

/** Returns the indexed form of a number such as `1,234.50`, `1.234,50` or `1,23,456`; splits other texts into parts. */
function numberWords(text: string, locale?: string): string[] {
  if (/^\d{1,3}(\.\d{3})+$/.test(text) && hasPointGroups(locale)) return [text.replaceAll('.', '')]
  if (/^\d+,\d+$/.test(text) && hasPointGroups(locale)) return [text.replace(',', '.')]
  if (/^\d+$/.test(text) || /^\d{1,2}:\d{2}$/.test(text)) return [text]
  const parts = text.split(/[.,:]/).filter((part) => part !== '')
  const decimal =
    /^\d{1,3}(,\d{2,3})*,\d{3}(\.\d+)?$/.test(text) || /^\d+\.\d+$/.test(text)
      ? text.replaceAll(',', '')
      : /^\d{1,3}(\.\d{3})+,\d+$/.test(text) || /^\d{1,3}(\.\d{3}){2,}$/.test(text) || /^\d+,\d+$/.test(text)
        ? text.replaceAll('.', '').replace(',', '.')
        : undefined
  return decimal === undefined ? parts : [decimal]
}

const isNumber = (word: string): boolean => /^\d[\d.,:]*\d$/.test(word)

/** Splits a prepared search text into words. */
function splitIntoWords(text: string, locale: string | undefined): string[] {
  return [...insertSpaces(text).matchAll(wordPattern)].flatMap(([word]) => {
    if (isNumber(word)) return numberWords(word, locale)
    if (!spacelessScripts.test(word)) return [word.slice(0, longestWord)]
    const characters = Array.from(word)
    return characters.flatMap((_, index) =>
      index % longestSpaceless === 0 ? [characters.slice(index, index + longestSpaceless).join('')] : [],
    )
  })
}

/**
 * Words to index for a text: the words of a search for it, its words from each character on in scripts without spaces,
 * parts of numbers, names without apostrophes, and dates.
 */
function indexedWords(text: string): string[] {
  const preparedText = prepare(text)
  const spacedText = insertSpaces(preparedText)
  const searchedText = spacedText === preparedText ? preparedText : `${preparedText} ${spacedText}`
  const words = [...searchedText.matchAll(wordPattern)].flatMap(([word]) => {
    if (isNumber(word)) return numberWords(word).concat(word.split(/[.,:]/))
    if (!spacelessScripts.test(word)) return [word.slice(0, longestWord)]
    const characters = Array.from(word)
    return characters.map((_, index) => characters.slice(index, index + longestSpaceless).join(''))
  })
  return words.concat(listNamesWithoutApostrophes(preparedText), dateTokens(preparedText))
}

const withApostrophes = /[\p{L}--[ʻʼ]]+(?:['’‘ʻʼ`´][\p{L}--[ʻʼ]]+)+/gv
const apostrophes = /['’‘ʻʼ`´]/gu

/** Names such as O'Brien, without their apostrophes. */
const listNamesWithoutApostrophes = (text: string): string[] =>
  text.search(apostrophes) === -1
    ? []
    : [...text.matchAll(withApostrophes)].map(([name]) => name.replaceAll(apostrophes, '').slice(0, longestWord))

const months = 'january february march april may june july august september october november december'.split(' ')
const shortestMonth = 3
const isMonth = (word: string): boolean =>
  word.length >= shortestMonth && months.some((month) => month.startsWith(word))

/** Words of a time: `november`, `02`, `2`, `2026`, `07:17`, in UTC. */
function timeWords(at: Date): string[] {
  const iso = at.toISOString()
  const day = iso.slice(8, 10)
  return [months[at.getUTCMonth()] ?? '', day, day.replace(/^0/, ''), iso.slice(0, 4), iso.slice(11, 16)]
}

/** Returns the search words of a row: description, counterparty, kind, currencies, time and displayed amounts. */
export function listTerms(row: SearchableRow): string[] {
  const source = money(row.source_currency, row.source_amount)
  const target = money(row.target_currency, row.target_amount)
  // The recipient must not find out the sender's fee.
  const isIncoming = row.kind === 'RECEIVE' || row.kind === 'DEPOSIT'
  const amount = isIncoming ? target : money(row.source_currency, row.source_amount + row.fee_amount)
  const names = [row.counterparty_username, row.counterparty_name].filter((name) => name !== null)
  return [
    ...new Set([
      ...indexedWords([row.description, ...names].join(' ')),
      row.kind.toLowerCase(),
      row.source_currency.toLowerCase(),
      row.target_currency.toLowerCase(),
      ...timeWords(row.created_at),
      ...[source, target, amount].map(toDecimal),
    ]),
  ].filter((word) => word !== '')
}

const uuidForm = '00000000-0000-0000-0000-000000000000'
const uuidPattern = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
const shortestId = 8

/** Parses a search text; undefined if it contains no word. */
export function parseSearch(text: string, reader: SearchReader = { now: new Date() }): Search | undefined {
  const preparedText = prepare(text)
  const date = findDate(preparedText, reader)
  const surroundingWords = date && splitIntoWords(`${date.before} ${date.after}`, reader.locale)
  const isToken = date?.token !== undefined
  const searchWords = isToken ? [...(surroundingWords ?? []), date.token] : splitIntoWords(preparedText, reader.locale)
  const words = [...new Set(searchWords)]
  const isNextToMonth = (place: number) =>
    [searchWords[place - 1], searchWords[place + 1]].some((word) => isMonth(word ?? ''))
  const fullWords = new Set(
    searchWords.filter((word, place) => word === date?.token || (/^\d{1,2}$/.test(word) && isNextToMonth(place))),
  )
  const prefix = text.trim().toLowerCase()
  const low = prefix + uuidForm.slice(prefix.length)
  const isId = prefix.length >= shortestId && uuidPattern.test(low)
  const ids = isId
    ? ([low, prefix + uuidForm.replaceAll('0', 'f').slice(prefix.length)] as const)
    : parseReference(text)
  const dateMatch = date && surroundingWords && { ranges: date.ranges, words: [...new Set(surroundingWords)] }
  return words.length === 0 ? undefined : { words, whole: fullWords, ids, dateMatch }
}

const isInIdRange = (id: string, [low, high]: IdRange): boolean => low <= id && id <= high

/** True if a row matches a search; does not use the index. */
export function matchesSearch({ words, whole, ids, dateMatch }: Search, row: SearchableRow): boolean {
  if (ids && isInIdRange(row.id, ids)) return true
  const isDated = dateMatch?.ranges.some((range) => isInIdRange(row.id, range)) ?? false
  if (isDated && dateMatch?.words.length === 0) return true
  const terms = listTerms(row)
  const hasWord = (word: string) => terms.some((term) => (whole.has(word) ? term === word : term.startsWith(word)))
  return words.every(hasWord) || (isDated && (dateMatch?.words.every(hasWord) ?? false))
}

const lexeme = (userId: bigint, word: string): string => `${userId.toString(36)}:${word}`

/** Lexeme that marks a row's counterparty, by which the row is found after a name change. */
export const counterpartyLexeme = (otherId: bigint): string => `@${otherId}`

/** Lexemes of a row for the index; none contains a space. */
export const listLexemes = (row: SearchableRow, otherId: bigint | null): string[] => [
  ...listTerms(row).map((term) => lexeme(row.user_id, term)),
  ...(otherId === null ? [] : [counterpartyLexeme(otherId)]),
]

/** Returns the word of a lexeme; undefined for that of a counterparty. */
export function extractWord(text: string): string | undefined {
  const end = text.indexOf(':')
  return end === -1 ? undefined : text.slice(end + 1)
}

export const isYear = (word: string): boolean => /^20\d\d$/.test(word)

/** True if all words with this beginning are counted. Those that begin with a digit are not: they are too many. */
export const isCountable = (word: string): boolean => !/^\d/.test(word)

/** True if this word is counted: if it begins with no digit, or is a year. */
export const isCountedWord = (word: string): boolean => isCountable(word) || isYear(word)

/** Word of a search; `found` are the indexed words that begin with it, if few and known. */
export interface SearchWord {
  readonly word: string
  readonly found: readonly string[] | undefined
  /** True for a year that occurs in most rows. */
  readonly isEverywhere: boolean
}

/** PostgreSQL `tsquery` for one user. Uses whole words if known, which take half the time of prefixes. */
export const buildTsquery = (userId: bigint, words: readonly SearchWord[]): string =>
  words
    .map(({ word, found }) =>
      found?.length
        ? `(${found.map((word) => `'${lexeme(userId, word)}'`).join(' | ')})`
        : `'${lexeme(userId, word)}':*`,
    )
    .join(' & ')
