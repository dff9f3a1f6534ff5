// Finds dates in a search text: in digits, or with month names in English or the language of the user's locale.

import { lowestId } from './list-cursor.ts'
import { foldText } from './fold-text.ts'

/** Settings of the searching user for dates and amounts. */
export interface SearchReader {
  /** BCP 47 tag; an unknown one is ignored. */
  readonly locale?: string | undefined
  /** IANA name; UTC unless given. */
  readonly timeZone?: string | undefined
  /** A date without a year is searched in the next year, in this one and in the nine before. */
  readonly now: Date
}

/** Range of ids, both ends included. */
export type IdRange = readonly [low: string, high: string]

/** Date found in a text, with the text beside it. */
export interface FoundDate {
  /** Text before and after the date, without weekdays and other words of the date's notation. */
  readonly before: string
  readonly after: string
  /** ISO 8601 form of a numeric date with a year, as indexed. */
  readonly token: string | undefined
  /** Ids of rows on the possible days. */
  readonly ranges: readonly IdRange[]
}

interface Day {
  /** Undefined: any year. */
  readonly year: number | undefined
  readonly month: number
  readonly day: number
}

const searchedYears = 10
const dayMs = 86_400_000

const isDay = ({ year = 2000, month, day }: Day): boolean =>
  month >= 1 && month <= 12 && day >= 1 && day <= new Date(Date.UTC(year, month, 0)).getUTCDate()

const cache = new Map<string, unknown>()
const maxCachedFormats = 200

/**
 * Calls `make` for a locale or time zone, or for the fallback if that is unknown. Caches the result, since making a
 * format takes a hundred times as long as using it.
 */
function cachedFormat<Format>(
  use: string,
  name: string | undefined,
  fallback: string,
  make: (locale: string) => Format,
): Format {
  const key = `${use} ${name ?? fallback}`
  const cachedValue = cache.get(key)
  if (cachedValue !== undefined) return cachedValue as Format
  if (cache.size >= maxCachedFormats) cache.clear()
  const formatter = createWithFallback(name, fallback, make)
  cache.set(key, formatter)
  return formatter
}

function createWithFallback<Format>(
  name: string | undefined,
  fallback: string,
  make: (knownName: string) => Format,
): Format {
  try {
    return make(name ?? fallback)
  } catch {
    return make(fallback)
  }
}

type DateOrder = 'day' | 'month' | 'year'

/** Returns the fields that can come first in a locale's numeric dates. */
function readDayMonthOrders(locale: string | undefined): readonly DateOrder[] {
  if (locale === undefined) return ['day', 'month']
  const parts = cachedFormat('order', locale, 'en', (code) => new Intl.DateTimeFormat(code)).formatToParts(new Date(0))
  const first = parts.find(({ type }) => type === 'day' || type === 'month')
  // In locales that begin with the year, dates in another order come from elsewhere, so either order is possible.
  if (parts.find(({ type }) => type !== 'literal')?.type === 'year') return ['year', 'day', 'month']
  return [first?.type === 'month' ? 'month' : 'day']
}

/** Returns the valid days that two numbers can mean in the given orders or, if there are none, in either order. */
function parseNumericDate(
  [first, second]: readonly [number, number],
  year: number | undefined,
  orders: readonly DateOrder[],
): Day[] {
  const dayFirst = { year, day: first, month: second }
  const monthFirst = { year, day: second, month: first }
  const inOrder = orders.filter((order) => order !== 'year').map((order) => (order === 'day' ? dayFirst : monthFirst))
  const validDays = inOrder.filter(isDay)
  return validDays.length > 0 ? validDays : [dayFirst, monthFirst].filter(isDay)
}

/** Years by which the Thai calendar is ahead. */
const buddhistYears = 543
const firstBuddhistYear = 2443

/** Parses a year: two digits mean 20xx, and years from 2443 on are Thai. */
function parseFullYear(text: string): number {
  const year = Number(text.length === 2 ? `20${text}` : text) // not money: a year
  return year < firstBuddhistYear ? year : year - buddhistYears
}

const parseNumber = (text: string | undefined): number => Number(text ?? '') // not money: a day or a month

interface WrittenDate {
  readonly index: number
  readonly length: number
  readonly days: readonly Day[]
  readonly isInFigures: boolean
}

const toWrittenDate = (match: RegExpExecArray, days: readonly Day[], isInFigures: boolean): WrittenDate | undefined =>
  days.length > 0 ? { index: match.index, length: match[0].length, days, isInFigures } : undefined

const yearFirst =
  /(?<![\d.])(?:(\d{4})([-./])\s?(\d{1,2})\2\s?(\d{1,2})(?!\d)|(\d{4})[年년]\s?(\d{1,2})[月월]\s?(\d{1,2})[日일])/gu
const yearLast = /(?<![\d.,])(\d{1,2})([./-])\s?(\d{1,2})\2\s?(\d{4}|\d{2})(?!\d|[.,]\d)/gu
const withoutYear =
  /(?<![\d./])(?:(\d{1,2})\/(\d{1,2})(?![\d/])|(\d{1,2})\.\s?(\d{1,2})\.(?!\d)|(\d{1,2})[月월]\s?(\d{1,2})[日일])/gu
/** Vietnamese notation, folded: `22 thang 11, 2026`. */
const numberedMonth = /(?<![\d.,])(\d{1,2})\s+(?:thang|thg)\s+(\d{1,2})(?:,?\s+(?:nam\s+)?(\d{4})(?!\d))?/gu

function readYearFirst(match: RegExpExecArray): WrittenDate | undefined {
  const [, year = match[5] ?? '', , month = match[6], day = match[7]] = match
  const date = { year: parseFullYear(year), month: parseNumber(month), day: parseNumber(day) }
  return toWrittenDate(match, [date].filter(isDay), true)
}

function readYearLast(match: RegExpExecArray, orders: readonly DateOrder[]): WrittenDate | undefined {
  const [, first, , second, year = ''] = match
  const mayBeYearFirst = orders.includes('year') && year.length === 2 && first?.length === 2
  const yearFirstDay: Day = { year: parseFullYear(first ?? ''), month: parseNumber(second), day: parseNumber(year) }
  const days = parseNumericDate([parseNumber(first), parseNumber(second)], parseFullYear(year), orders)
  return toWrittenDate(match, mayBeYearFirst && isDay(yearFirstDay) ? [yearFirstDay].concat(days) : days, true)
}

function readWithoutYear(match: RegExpExecArray, orders: readonly DateOrder[]): WrittenDate | undefined {
  const [, first = match[3], second = match[4], , , month, day] = match
  if (month !== undefined)
    return toWrittenDate(match, [{ year: undefined, month: parseNumber(month), day: parseNumber(day) }], true)
  return toWrittenDate(match, parseNumericDate([parseNumber(first), parseNumber(second)], undefined, orders), true)
}

function readNumberedMonth(match: RegExpExecArray): WrittenDate | undefined {
  const [, day, month, year] = match
  const date = {
    year: year === undefined ? undefined : parseFullYear(year),
    month: parseNumber(month),
    day: parseNumber(day),
  }
  return toWrittenDate(match, [date].filter(isDay), true)
}

/** Returns the first match of a pattern that is a date. */
function findFirst(
  text: string,
  pattern: RegExp,
  read: (match: RegExpExecArray) => WrittenDate | undefined,
): WrittenDate | undefined {
  for (const match of text.matchAll(pattern)) {
    const foundDate = read(match)
    if (foundDate) return foundDate
  }
  return undefined
}

const findNumericDate = (text: string, orders: readonly DateOrder[]): WrittenDate | undefined =>
  findFirst(text, yearFirst, readYearFirst) ??
  findFirst(text, numberedMonth, readNumberedMonth) ??
  findFirst(text, yearLast, (match) => readYearLast(match, orders)) ??
  findFirst(text, withoutYear, (match) => readWithoutYear(match, orders))

const monthNumbers = Array.from({ length: 12 }, (_, month) => month + 1)
const shortestMonth = 3

interface MonthName {
  readonly name: string
  readonly month: number
}

/** Folded month names of a locale. */
const readMonthNames = (locale: string): MonthName[] =>
  (['long', 'short'] as const).flatMap((style) => {
    const format = new Intl.DateTimeFormat(locale, { month: style, day: 'numeric', timeZone: 'UTC' })
    return monthNumbers.map((month) => {
      const parts = format.formatToParts(new Date(Date.UTC(2001, month - 1, 1)))
      const name = foldText(parts.find(({ type }) => type === 'month')?.value ?? '')
      return { name: name.replaceAll(/[^\p{L}\p{Mc}]/gu, ''), month }
    })
  })

/** Folded month names, in English and in a locale. */
const monthNames = (locale: string | undefined): MonthName[] =>
  [undefined, locale].flatMap((code) => cachedFormat('months', code, 'en', readMonthNames))

const letter = String.raw`[\p{L}\p{Mc}]`
/** Year in four digits, or its last two: any with an apostrophe, else only 20 to 29, since others may be amounts. */
const yearAfterName = String.raw`(?:,?\s+(?:de\s+|of\s+)?(\d{4}|['’]\d{2}|2\d)(?!\d|[.,:]\d))?`
const dayMonth = new RegExp(
  String.raw`(?<![\d.,])(\d{1,2})(?:st|nd|rd|th|er|º|\.)?\s+(?:de\s+|of\s+|ב)?(${letter}{3,})[.,]?${yearAfterName}`,
  'gu',
)
const monthDay = new RegExp(
  String.raw`(?<!${letter})(${letter}{3,})\.?\s+(\d{1,2})(?:st|nd|rd|th)?(?![\d]|[.,:]\d)${yearAfterName}`,
  'gu',
)

function findDateWithMonthName(text: string, locale: string | undefined): WrittenDate | undefined {
  if (text.search(dayMonth) === -1 && text.search(monthDay) === -1) return undefined
  const names = monthNames(locale)
  const read = (match: RegExpExecArray, day: string | undefined, name = ''): WrittenDate | undefined => {
    const month =
      name.length < shortestMonth ? undefined : names.find((monthName) => monthName.name.startsWith(name))?.month
    if (month === undefined) return undefined
    const year = match[3] === undefined ? undefined : parseFullYear(match[3].replace(/['’]/, ''))
    return toWrittenDate(match, [{ year, month, day: parseNumber(day) }].filter(isDay), false)
  }
  return (
    findFirst(text, dayMonth, (match) => read(match, match[1], match[2])) ??
    findFirst(text, monthDay, (match) => read(match, match[2], match[1]))
  )
}

const weekLength = 7
const sunday = Date.UTC(2001, 0, 7)
const wordSeparator = /[^\p{L}\p{Mc}]+/u
const dateStyles = ['medium', 'long', 'full'] as const
const weekdayStyles = ['long', 'short'] as const

const listWeekdays = (locale: string, at: number): string[] =>
  weekdayStyles.map((weekday) => new Intl.DateTimeFormat(locale, { weekday, timeZone: 'UTC' }).format(at))

const listLiterals = (locale: string, at: number): string[] =>
  dateStyles
    .flatMap((dateStyle) => new Intl.DateTimeFormat(locale, { dateStyle, timeZone: 'UTC' }).formatToParts(at))
    .filter(({ type }) => type === 'literal')
    .map(({ value }) => value)

/** Folded words of a locale's dates besides months: weekdays, and words such as `of` or `г.`. */
function listDateWords(locale: string): Set<string> {
  const days = Array.from({ length: weekLength }, (_, day) => sunday + day * dayMs)
  const texts = days.flatMap((at) => listWeekdays(locale, at)).concat(listLiterals(locale, sunday))
  return new Set(texts.flatMap((text) => foldText(text).split(wordSeparator)))
}

const lastWord = new RegExp(String.raw`${letter}+[^\p{L}\p{Mc}\p{N}]*$`, 'u')
const firstWord = new RegExp(String.raw`^[^\p{L}\p{Mc}\p{N}]*${letter}+`, 'u')

/** Removes the words of the date's notation that are adjacent to the date. */
function withoutWords(text: string, side: RegExp, sets: readonly ReadonlySet<string>[]): string {
  const word = side.exec(text)?.[0] ?? ''
  const belongsToDate = sets.some((words) => words.has(word.split(wordSeparator).find((part) => part !== '') ?? ''))
  return belongsToDate && word !== '' ? withoutWords(text.replace(side, ' '), side, sets) : text
}

const pad = (count: number): string => String(count).padStart(2, '0')
const formatToken = ({ year = 0, month, day }: Day): string =>
  `${String(year).padStart(4, '0')}-${pad(month)}-${pad(day)}`

/** Offset of a time zone from UTC, in milliseconds. */
function computeOffset(at: number, timeZone: string | undefined): number {
  const style = { dateStyle: 'short', timeStyle: 'medium' } as const
  const format = cachedFormat(
    'clock',
    timeZone,
    'UTC',
    (zoneName) => new Intl.DateTimeFormat('sv-SE', { ...style, timeZone: zoneName }),
  )
  return Date.parse(`${format.format(at).replace(' ', 'T')}Z`) - at
}

/** Start of a day in a time zone. */
function computeDayStart(utcMidnight: number, timeZone: string | undefined): number {
  const approximateMs = utcMidnight - computeOffset(utcMidnight, timeZone)
  return utcMidnight - computeOffset(approximateMs, timeZone)
}

function computeIdRange({ year = 0, month, day }: Day, timeZone: string | undefined): IdRange {
  const midnight = Date.UTC(year, month - 1, day)
  const end = lowestId(new Date(computeDayStart(midnight + dayMs, timeZone) - 1))
  return [lowestId(new Date(computeDayStart(midnight, timeZone))), `${end.slice(0, 13)}-ffff-ffff-ffffffffffff`]
}

/** Expands a date without a year to each searched year. */
const withYears = (days: readonly Day[], now: Date): Day[] =>
  days.flatMap((date) => {
    if (date.year !== undefined) return [date]
    const { month, day } = date
    const years = Array.from({ length: searchedYears + 1 }, (_, yearsAgo) => now.getUTCFullYear() + 1 - yearsAgo)
    return years.map((year) => ({ year, month, day })).filter(isDay)
  })

/** Date in a folded text, if any. Numeric notations are tried before month names. */
export function findDate(text: string, { locale, timeZone, now }: SearchReader): FoundDate | undefined {
  if (!/\d/.test(text)) return undefined
  const foundDate = findNumericDate(text, readDayMonthOrders(locale)) ?? findDateWithMonthName(text, locale)
  if (!foundDate) return undefined
  const { index, length, days, isInFigures } = foundDate
  const [date] = days
  const besideWords = [undefined, locale].map((code) => cachedFormat('words', code, 'en', listDateWords))
  return {
    before: withoutWords(text.slice(0, index), lastWord, besideWords),
    after: withoutWords(text.slice(index + length), firstWord, besideWords),
    token: isInFigures && date?.year !== undefined ? formatToken(date) : undefined,
    ranges: withYears(days, now).map((day) => computeIdRange(day, timeZone)),
  }
}

/** ISO 8601 forms of the numeric dates with a year in a folded text, in each possible order of day and month. */
export function dateTokens(text: string): string[] {
  if (!/\d[-./年년]\s?\d/u.test(text)) return []
  const candidates = [
    ...Array.from(text.matchAll(yearFirst), readYearFirst),
    ...Array.from(text.matchAll(yearLast), (match) => readYearLast(match, ['day', 'month'])),
  ]
  return candidates.flatMap((date) => date?.days.map(formatToken) ?? [])
}
