import { isCurrencyCode, scaleOf } from '@tern/money/currency'
import { findSymbol } from '@tern/money/currency-symbol'
import { language } from '#language'
import { shell } from '#messages/shell.ts'
import { personLocale, textLocale } from './locale.ts'

/** Formats a decimal string exactly: Intl accepts it without a conversion to a number. */
export const formatExactly = (format: Intl.NumberFormat, amount: string): string =>
  format.format(amount as Intl.StringNumericLiteral)

type Time = string | Date

const toDate = (time: Time): Date => (typeof time === 'string' ? new Date(time) : time)

const cache = new Map<string, unknown>()

/** Caches the result of `create` by key: creating a format takes a hundred times as long as using it. */
function memoize<T>(key: unknown[], create: () => T): T {
  const text = JSON.stringify(key)
  if (!cache.has(text)) cache.set(text, create())
  return cache.get(text) as T
}

const numberFormat = (locale: string, options: Intl.NumberFormatOptions) =>
  memoize([locale, options], () => new Intl.NumberFormat(locale, options))

const dateText = (time: Time, options: Intl.DateTimeFormatOptions): string =>
  memoize(
    [textLocale(), options, new Date().getTimezoneOffset()],
    () => new Intl.DateTimeFormat(textLocale(), options),
  ).format(toDate(time))

const minus = '−'

/** Keeps figures and their unit in their own order inside a right-to-left sentence. */
export const isolate = (figures: string): string => (language.direction === 'rtl' ? `\u2066${figures}\u2069` : figures)

const removeSign = (amount: string): string => amount.replace(/^[-+−]/, '')

/** True for zero, such as "0" or "0.00". */
export const isZero = (amount: string): boolean => !/[1-9]/.test(amount)

export const isNegative = (amount: string): boolean => /^[-−]/.test(amount) && !isZero(amount)

interface MoneyOptions {
  /** Decimal places shown; the currency's own by default (crypto: at least 2, at most 8). */
  places?: number | undefined
  /** 'always' sets + or − before the amount; 'negative' (default) only −. */
  sign?: 'always' | 'negative' | 'never' | undefined
  /** 'none' omits the currency, for pages that show it elsewhere. */
  unit?: 'symbol' | 'none' | undefined
  locale?: string | undefined
}

function fractionDigits(currency: string, places: number | undefined): Intl.NumberFormatOptions {
  if (places !== undefined) return { minimumFractionDigits: places, maximumFractionDigits: places }
  if (!isCurrencyCode(currency)) return { minimumFractionDigits: 2, maximumFractionDigits: 2 }
  const scale = scaleOf(currency)
  return {
    minimumFractionDigits: Math.min(scale, 2),
    maximumFractionDigits: Math.min(scale, 8),
  }
}

/**
 * Amount with its currency: `formatMoney('1234.5', 'USD')` gives "$1,234.50", `formatMoney('200', 'USDT')` "200.00
 * USDT", with the code if the currency has no sign. `amount` is a decimal string. Hidden decimal places are cut, never
 * rounded up.
 */
export function formatMoney(amount: string, currency: string, options: MoneyOptions = {}): string {
  const { places, sign = 'negative', unit, locale = personLocale() } = options
  const symbol = unit === 'none' ? undefined : findSymbol(currency)
  const format = numberFormat(locale, {
    numberingSystem: 'latn',
    roundingMode: 'trunc',
    // Every locale has a sign for US dollars; the currency's own one replaces it.
    ...(symbol && { style: 'currency', currency: 'USD', currencyDisplay: 'narrowSymbol' }),
    ...fractionDigits(currency, places),
  })
  const figures = formatExactly(format, removeSign(amount)).replace(/[A-Z]*\$/, symbol ?? '')
  const signCharacter = isNegative(amount) ? minus : '+'
  const showsSign = sign !== 'never' && !isZero(amount) && (sign === 'always' || signCharacter === minus)
  const text = `${showsSign ? signCharacter : ''}${figures}`
  return unit === 'none' ? text : isolate(symbol ? text : `${text} ${currency}`)
}

/** Clock format (12 or 24 hours) of the person's region, independent of the language of the page. */
export function clockFormat(): Intl.DateTimeFormatOptions {
  const { hourCycle } = new Intl.DateTimeFormat(personLocale(), { hour: 'numeric' }).resolvedOptions()
  return { hour: hourCycle === 'h23' ? '2-digit' : 'numeric', minute: '2-digit', hourCycle }
}

/** "6:42 PM", or "18:42" in regions with a 24-hour clock; never broken over two lines. */
export const formatTime = (time: Time, options?: Intl.DateTimeFormatOptions): string =>
  dateText(time, { ...clockFormat(), ...options }).replaceAll(/\s/g, '\u00a0')

/** "6:42:07 PM": with seconds, for the steps of a timeline. */
export const formatClock = (time: Time): string => formatTime(time, { second: '2-digit' })

const chooseYearFormat = (time: Time, now: Date): Intl.DateTimeFormatOptions =>
  toDate(time).getFullYear() === now.getFullYear() ? {} : { year: 'numeric' }

/** "Nov 20" in the person's own order; "Nov 20, 2025" unless the year is the current one. */
export const formatDate = (time: Time, now: Date = new Date()): string =>
  dateText(time, { month: 'short', day: 'numeric', ...chooseYearFormat(time, now) })

/** "Nov 20, 6:42 PM", in the person's own date order and clock format. */
export const formatDateTime = (time: Time, now?: Date): string => `${formatDate(time, now)}, ${formatTime(time)}`

const startOfDay = (date: Date): number => new Date(date.getFullYear(), date.getMonth(), date.getDate()).getTime()
const dayMs = 86_400_000

/** Calendar days ago in local time: 0 today, 1 yesterday. */
export const daysAgo = (time: Time, now: Date = new Date()): number =>
  Math.round((startOfDay(now) - startOfDay(toDate(time))) / dayMs)

/** "Today, 6:42 PM", "Yesterday, 9:07 PM", "Nov 17" in this year, else "Nov 17, 2025". */
export function formatRelative(time: Time, now: Date = new Date()): string {
  const days = daysAgo(time, now)
  if (days === 0) return `${shell.today}, ${formatTime(time)}`
  if (days === 1) return `${shell.yesterday}, ${formatTime(time)}`
  return formatDate(time, now)
}

/** "November" or "November 2025": the heading of a month in a list. */
export const formatMonth = (time: Time, now: Date = new Date()): string =>
  dateText(time, { month: 'long', ...chooseYearFormat(time, now) })

/** "IO" from "Ines Okafor", "LM" from "lucas.moreau": two letters for a monogram. */
export function monogram(name: string): string {
  const [first = '', ...otherWords] = name.match(/[^\s._-]+/g) ?? '?'
  // Iterates by code point, so that letters beyond U+FFFF are not split.
  const [firstLetter = '', secondLetter = ''] = first
  const [lastLetter = secondLetter] = otherWords.at(-1) ?? ''
  return (firstLetter + lastLetter).toLocaleUpperCase()
}
