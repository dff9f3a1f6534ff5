// What a transaction is found by: words. One implementation for what is indexed and for what is not yet.

import type { CurrencyCode } from '@tern/money/currency'
import { money, toDecimal } from '@tern/money/money'

/** What of a row a list is searched by, and the names its counterparty has now. */
export interface Searchable {
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

/** What somebody searches for: every word must begin a word of the row, or the text must begin its id. */
export interface Search {
  readonly words: readonly string[]
  /** Those of them that must be words of the row as they are: the day beside a month. */
  readonly whole: ReadonlySet<string>
  /** The lowest and the highest id that begins with the text. */
  readonly ids: readonly [low: string, high: string] | undefined
}

const longestWord = 40
// Scripts that are written without spaces: every character may begin a word.
const spaceless = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]/u
const longestSpaceless = 12
// A number with its separators or a time, a run of letters and digits, or one pictogram.
const wordPattern = /\d[\d.,:]*\d|[\p{L}\p{N}\p{M}]+|\p{So}/gu

/** Lower case, without accents, in one form whatever way it was typed. */
const fold = (text: string): string =>
  text
    .normalize('NFKD')
    .replaceAll(/\p{Mn}/gu, '')
    .normalize('NFC')
    .toLowerCase()

/** A number as it is indexed: `1,234.50`, `1.234,50` and `1234.50` are one; anything else falls into its parts. */
function numberWords(text: string): string[] {
  if (/^\d+$/.test(text) || /^\d{1,2}:\d{2}$/.test(text)) return [text]
  const parts = text.split(/[.,:]/).filter((part) => part !== '')
  const decimal =
    /^\d{1,3}(,\d{3})+(\.\d+)?$/.test(text) || /^\d+\.\d+$/.test(text)
      ? text.replaceAll(',', '')
      : /^\d{1,3}(\.\d{3})+,\d+$/.test(text) || /^\d{1,3}(\.\d{3}){2,}$/.test(text) || /^\d+,\d+$/.test(text)
        ? text.replaceAll('.', '').replace(',', '.')
        : undefined
  return decimal === undefined ? parts : [decimal]
}

const isNumber = (word: string): boolean => /^\d[\d.,:]*\d$/.test(word)

/** The words of a text as it is searched for. */
export function wordsOf(text: string): string[] {
  return [...fold(text).matchAll(wordPattern)].flatMap(([word]) => {
    if (isNumber(word)) return numberWords(word)
    if (!spaceless.test(word)) return [word.slice(0, longestWord)]
    const characters = Array.from(word)
    return characters.flatMap((_, index) =>
      index % longestSpaceless === 0 ? [characters.slice(index, index + longestSpaceless).join('')] : [],
    )
  })
}

/** The words a text is indexed by: those of a search, and where more words may begin inside them, these too. */
function indexedWords(text: string): string[] {
  return [...fold(text).matchAll(wordPattern)].flatMap(([word]) => {
    if (isNumber(word)) return numberWords(word).concat(word.split(/[.,:]/))
    if (!spaceless.test(word)) return [word.slice(0, longestWord)]
    const characters = Array.from(word)
    return characters.map((_, index) => characters.slice(index, index + longestSpaceless).join(''))
  })
}

const months = 'january february march april may june july august september october november december'.split(' ')
const shortestMonth = 3
const isMonth = (word: string): boolean =>
  word.length >= shortestMonth && months.some((month) => month.startsWith(word))

/** A time as its words: `november`, `02`, `2`, `2026`, `07:17`, in UTC. */
function timeWords(at: Date): string[] {
  const iso = at.toISOString()
  const day = iso.slice(8, 10)
  return [months[at.getUTCMonth()] ?? '', day, day.replace(/^0/, ''), iso.slice(0, 4), iso.slice(11, 16)]
}

/** Every word by which a row is found: description, counterparty, kind, currencies, time, and the amounts as they are shown. */
export function termsOf(row: Searchable): string[] {
  const source = money(row.source_currency, row.source_amount)
  const target = money(row.target_currency, row.target_amount)
  // What the sender paid on top is not the recipient's to know.
  const isIncoming = row.kind === 'RECEIVE' || row.kind === 'DEPOSIT'
  const shown = isIncoming ? target : money(row.source_currency, row.source_amount + row.fee_amount)
  const names = [row.counterparty_username, row.counterparty_name].filter((name) => name !== null)
  return [
    ...new Set([
      ...indexedWords([row.description, ...names].join(' ')),
      row.kind.toLowerCase(),
      row.source_currency.toLowerCase(),
      row.target_currency.toLowerCase(),
      ...timeWords(row.created_at),
      ...[source, target, shown].map(toDecimal),
    ]),
  ].filter((word) => word !== '')
}

const uuidForm = '00000000-0000-0000-0000-000000000000'
const uuidPattern = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
const shortestId = 8

/** What a text searches for, or undefined when it has nothing that could be found. */
export function searchOf(text: string): Search | undefined {
  const written = wordsOf(text)
  const words = [...new Set(written)]
  const isBesideMonth = (place: number) => [written[place - 1], written[place + 1]].some((word) => isMonth(word ?? ''))
  const whole = new Set(written.filter((word, place) => /^\d{1,2}$/.test(word) && isBesideMonth(place)))
  const begun = text.trim().toLowerCase()
  const low = begun + uuidForm.slice(begun.length)
  const isId = begun.length >= shortestId && uuidPattern.test(low)
  const ids = isId ? ([low, begun + uuidForm.replaceAll('0', 'f').slice(begun.length)] as const) : undefined
  return words.length === 0 ? undefined : { words, whole, ids }
}

/** Whether a search finds a row, decided without the index. */
export function finds({ words, whole, ids }: Search, row: Searchable): boolean {
  if (ids && ids[0] <= row.id && row.id <= ids[1]) return true
  const terms = termsOf(row)
  return words.every((word) => terms.some((term) => (whole.has(word) ? term === word : term.startsWith(word))))
}

const lexeme = (userId: bigint, word: string): string => `${userId.toString(36)}:${word}`

/** Marks whom a row names, so that it is found again when they have changed their name. */
export const counterpartyLexeme = (otherId: bigint): string => `@${otherId}`

/** The lexemes a row is indexed by. None holds a space. */
export const lexemesOf = (row: Searchable, otherId: bigint | null): string[] => [
  ...termsOf(row).map((term) => lexeme(row.user_id, term)),
  ...(otherId === null ? [] : [counterpartyLexeme(otherId)]),
]

/** The word of a lexeme of a user, or undefined for a mark. */
export function wordOfLexeme(text: string): string | undefined {
  const end = text.indexOf(':')
  return end === -1 ? undefined : text.slice(end + 1)
}

export const isYear = (word: string): boolean => /^20\d\d$/.test(word)

/** Whether all words that begin with this one are counted: numbers are too many. */
export const isWhollyCounted = (word: string): boolean => !/^\d/.test(word)

/** Whether rows are counted by this word. */
export const isCountedWord = (word: string): boolean => isWhollyCounted(word) || isYear(word)

/** A word that is searched for, and the words that begin with it, where they are known and few. */
export interface SoughtWord {
  readonly word: string
  readonly found: readonly string[] | undefined
  /** Nearly every row has it. */
  readonly isEverywhere: boolean
}

/** A search of one user's rows as a PostgreSQL `tsquery`. Whole words are found in half the time of beginnings. */
export const tsqueryOf = (userId: bigint, words: readonly SoughtWord[]): string =>
  words
    .map(({ word, found }) =>
      found?.length
        ? `(${found.map((whole) => `'${lexeme(userId, whole)}'`).join(' | ')})`
        : `'${lexeme(userId, word)}':*`,
    )
    .join(' & ')
