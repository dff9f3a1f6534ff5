// Dates in a search text, in the notation of the user's locale.

import { lowestId } from './list-cursor.ts'
import { foldText } from './fold-text.ts'

/** Searching user: locale and time zone for dates and amounts. */
export interface Reader {
  /** BCP 47; unknown ones count as none. */
  readonly locale?: string | undefined
  /** IANA name; UTC unless given. */
  readonly timeZone?: string | undefined
  /** Dates without a year fall within the last ten years before this. */
  readonly now: Date
}

/** Ids from `low` to `high`, both included. */
export type IdRange = readonly [low: string, high: string]

/** Date in a text, with its context. */
export interface FoundDate {
  /** Text before and after the date, without weekdays and words of its notation. */
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

const yearsBack = 10
const dayMs = 86_400_000

const isDay = ({ year = 2000, month, day }: Day): boolean =>
  month >= 1 && month <= 12 && day >= 1 && day <= new Date(Date.UTC(year, month, 0)).getUTCDate()

const cache = new Map<string, unknown>()
const mostKept = 200

/**
 * Format of a locale or time zone, or of the fallback if that is unknown. Cached, since making one takes a hundred
 * times as long as using it.
 */
function cachedFormat<Format>(
  use: string,
  name: string | undefined,
  fallback: string,
  make: (known: string) => Format,
): Format {
  const key = `${use} ${name ?? fallback}`
  const known = cache.get(key)
  if (known !== undefined) return known as Format
  if (cache.size >= mostKept) cache.clear()
  const made = makeOrFallBack(name, fallback, make)
  cache.set(key, made)
  return made
}

function makeOrFallBack<Format>(name: string | undefined, fallback: string, make: (known: string) => Format): Format {
  try {
    return make(name ?? fallback)
  } catch {
    return make(fallback)
  }
}

type Order = 'day' | 'month' | 'year'

/** Possible orders of figures in a locale's dates. */
function readDayMonthOrders(locale: string | undefined): readonly Order[] {
  if (locale === undefined) return ['day', 'month']
  const parts = cachedFormat('order', locale, 'en', (code) => new Intl.DateTimeFormat(code)).formatToParts(new Date(0))
  const first = parts.find(({ type }) => type === 'day' || type === 'month')
  // Locales that begin with the year use that order only; other dates were copied from elsewhere.
  if (parts.find(({ type }) => type !== 'literal')?.type === 'year') return ['year', 'day', 'month']
  return [first?.type === 'month' ? 'month' : 'day']
}

/** Days that two figures can mean. Orders that give no valid day are dropped. */
function interpretFigures(
  [one, two]: readonly [number, number],
  year: number | undefined,
  orders: readonly Order[],
): Day[] {
  const dayFirst = { year, day: one, month: two }
  const monthFirst = { year, day: two, month: one }
  const inOrder = orders.filter((order) => order !== 'year').map((order) => (order === 'day' ? dayFirst : monthFirst))
  const known = inOrder.filter(isDay)
  return known.length > 0 ? known : [dayFirst, monthFirst].filter(isDay)
}

/** Offset of the Thai calendar. */
const buddhistYears = 543
const firstBuddhistYear = 2443

/** Year of the common era. */
function wholeYear(text: string): number {
  const year = Number(text.length === 2 ? `20${text}` : text) // not money: a year
  return year < firstBuddhistYear ? year : year - buddhistYears
}

const figure = (text: string | undefined): number => Number(text ?? '') // not money: a day or a month

interface Written {
  readonly index: number
  readonly length: number
  readonly days: readonly Day[]
  readonly isInFigures: boolean
}

const written = (match: RegExpExecArray, days: readonly Day[], isInFigures: boolean): Written | undefined =>
  days.length > 0 ? { index: match.index, length: match[0].length, days, isInFigures } : undefined

const yearFirst =
  /(?<![\d.])(?:(\d{4})([-./])\s?(\d{1,2})\2\s?(\d{1,2})(?!\d)|(\d{4})[年년]\s?(\d{1,2})[月월]\s?(\d{1,2})[日일])/gu
const yearLast = /(?<![\d.,])(\d{1,2})([./-])\s?(\d{1,2})\2\s?(\d{4}|\d{2})(?!\d|[.,]\d)/gu
const withoutYear =
  /(?<![\d./])(?:(\d{1,2})\/(\d{1,2})(?![\d/])|(\d{1,2})\.\s?(\d{1,2})\.(?!\d)|(\d{1,2})[月월]\s?(\d{1,2})[日일])/gu
/** Vietnamese, without accents: `22 thang 11, 2026`. */
const numberedMonth = /(?<![\d.,])(\d{1,2})\s+(?:thang|thg)\s+(\d{1,2})(?:,?\s+(?:nam\s+)?(\d{4})(?!\d))?/gu

function readYearFirst(match: RegExpExecArray): Written | undefined {
  const [, year = match[5] ?? '', , month = match[6], day = match[7]] = match
  const date = { year: wholeYear(year), month: figure(month), day: figure(day) }
  return written(match, [date].filter(isDay), true)
}

function readYearLast(match: RegExpExecArray, orders: readonly Order[]): Written | undefined {
  const [, one, , two, year = ''] = match
  const mayBeYearFirst = orders.includes('year') && year.length === 2 && one?.length === 2
  const inOrder: Day = { year: wholeYear(one ?? ''), month: figure(two), day: figure(year) }
  const days = interpretFigures([figure(one), figure(two)], wholeYear(year), orders)
  return written(match, mayBeYearFirst && isDay(inOrder) ? [inOrder].concat(days) : days, true)
}

function readWithoutYear(match: RegExpExecArray, orders: readonly Order[]): Written | undefined {
  const [, one = match[3], two = match[4], , , month, day] = match
  if (month !== undefined) return written(match, [{ year: undefined, month: figure(month), day: figure(day) }], true)
  return written(match, interpretFigures([figure(one), figure(two)], undefined, orders), true)
}

function readNumberedMonth(match: RegExpExecArray): Written | undefined {
  const [, day, month, year] = match
  const date = { year: year === undefined ? undefined : wholeYear(year), month: figure(month), day: figure(day) }
  return written(match, [date].filter(isDay), true)
}

/** First match of a pattern that is a date. */
function findFirst(
  text: string,
  pattern: RegExp,
  read: (match: RegExpExecArray) => Written | undefined,
): Written | undefined {
  for (const match of text.matchAll(pattern)) {
    const found = read(match)
    if (found) return found
  }
  return undefined
}

const findInFigures = (text: string, orders: readonly Order[]): Written | undefined =>
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
/** Year in four figures or its last two; without an apostrophe, `30` and above are more likely amounts. */
const yearAfterName = String.raw`(?:,?\s+(?:de\s+|of\s+)?(\d{4}|['’]\d{2}|2\d)(?!\d|[.,:]\d))?`
const dayMonth = new RegExp(
  String.raw`(?<![\d.,])(\d{1,2})(?:st|nd|rd|th|er|º|\.)?\s+(?:de\s+|of\s+|ב)?(${letter}{3,})[.,]?${yearAfterName}`,
  'gu',
)
const monthDay = new RegExp(
  String.raw`(?<!${letter})(${letter}{3,})\.?\s+(\d{1,2})(?:st|nd|rd|th)?(?![\d]|[.,:]\d)${yearAfterName}`,
  'gu',
)

function findWithName(text: string, locale: string | undefined): Written | undefined {
  if (text.search(dayMonth) === -1 && text.search(monthDay) === -1) return undefined
  const names = monthNames(locale)
  const read = (match: RegExpExecArray, day: string | undefined, name = ''): Written | undefined => {
    const month = name.length < shortestMonth ? undefined : names.find((known) => known.name.startsWith(name))?.month
    if (month === undefined) return undefined
    const year = match[3] === undefined ? undefined : wholeYear(match[3].replace(/['’]/, ''))
    return written(match, [{ year, month, day: figure(day) }].filter(isDay), false)
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

const weekdaysIn = (locale: string, at: number): string[] =>
  weekdayStyles.map((weekday) => new Intl.DateTimeFormat(locale, { weekday, timeZone: 'UTC' }).format(at))

const literalsIn = (locale: string, at: number): string[] =>
  dateStyles
    .flatMap((dateStyle) => new Intl.DateTimeFormat(locale, { dateStyle, timeZone: 'UTC' }).formatToParts(at))
    .filter(({ type }) => type === 'literal')
    .map(({ value }) => value)

/** Folded words in a locale's dates besides figures and months: weekdays, and such as `of` or `г.`. */
function wordsBesideIn(locale: string): Set<string> {
  const days = Array.from({ length: weekLength }, (_, day) => sunday + day * dayMs)
  const texts = days.flatMap((at) => weekdaysIn(locale, at)).concat(literalsIn(locale, sunday))
  return new Set(texts.flatMap((text) => foldText(text).split(wordSeparator)))
}

const lastWord = new RegExp(String.raw`${letter}+[^\p{L}\p{Mc}\p{N}]*$`, 'u')
const firstWord = new RegExp(String.raw`^[^\p{L}\p{Mc}\p{N}]*${letter}+`, 'u')

/** Text beside a date, without the adjacent words of the date's notation. */
function withoutWords(text: string, side: RegExp, sets: readonly ReadonlySet<string>[]): string {
  const word = side.exec(text)?.[0] ?? ''
  const belongsToDate = sets.some((words) => words.has(word.split(wordSeparator).find((part) => part !== '') ?? ''))
  return belongsToDate && word !== '' ? withoutWords(text.replace(side, ' '), side, sets) : text
}

const pad = (count: number): string => String(count).padStart(2, '0')
const formatToken = ({ year = 0, month, day }: Day): string =>
  `${String(year).padStart(4, '0')}-${pad(month)}-${pad(day)}`

/** Offset of a time zone from UTC, in milliseconds. */
function offsetAt(at: number, timeZone: string | undefined): number {
  const style = { dateStyle: 'short', timeStyle: 'medium' } as const
  const format = cachedFormat(
    'clock',
    timeZone,
    'UTC',
    (known) => new Intl.DateTimeFormat('sv-SE', { ...style, timeZone: known }),
  )
  return Date.parse(`${format.format(at).replace(' ', 'T')}Z`) - at
}

/** Start of a day in a time zone. */
function computeDayStart(utcMidnight: number, timeZone: string | undefined): number {
  const near = utcMidnight - offsetAt(utcMidnight, timeZone)
  return utcMidnight - offsetAt(near, timeZone)
}

function computeIdRange({ year = 0, month, day }: Day, timeZone: string | undefined): IdRange {
  const midnight = Date.UTC(year, month - 1, day)
  const end = lowestId(new Date(computeDayStart(midnight + dayMs, timeZone) - 1))
  return [lowestId(new Date(computeDayStart(midnight, timeZone))), `${end.slice(0, 13)}-ffff-ffff-ffffffffffff`]
}

/** Expands dates without a year to each of the last years. */
const withYears = (days: readonly Day[], now: Date): Day[] =>
  days.flatMap((date) => {
    if (date.year !== undefined) return [date]
    const { month, day } = date
    const years = Array.from({ length: yearsBack + 1 }, (_, ago) => now.getUTCFullYear() + 1 - ago)
    return years.map((year) => ({ year, month, day })).filter(isDay)
  })

/** First date in a folded text, if any. */
export function findDate(text: string, { locale, timeZone, now }: Reader): FoundDate | undefined {
  if (!/\d/.test(text)) return undefined
  const found = findInFigures(text, readDayMonthOrders(locale)) ?? findWithName(text, locale)
  if (!found) return undefined
  const { index, length, days, isInFigures } = found
  const [date] = days
  const beside = [undefined, locale].map((code) => cachedFormat('words', code, 'en', wordsBesideIn))
  return {
    before: withoutWords(text.slice(0, index), lastWord, beside),
    after: withoutWords(text.slice(index + length), firstWord, beside),
    token: isInFigures && date?.year !== undefined ? formatToken(date) : undefined,
    ranges: withYears(days, now).map((day) => computeIdRange(day, timeZone)),
  }
}

/** ISO forms of numeric dates with a year in a folded text, in each possible order. */
export function dateTokens(text: string): string[] {
  if (!/\d[-./年년]\s?\d/u.test(text)) return []
  const found = [
    ...Array.from(text.matchAll(yearFirst), readYearFirst),
    ...Array.from(text.matchAll(yearLast), (match) => readYearLast(match, ['day', 'month'])),
  ]
  return found.flatMap((date) => date?.days.map(formatToken) ?? [])
}
