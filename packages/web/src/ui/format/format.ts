import { isCurrencyCode, isFiatCode, scaleOf } from '@tern/money/currency'
import { language } from '#language'
import { shell } from '#messages/shell.ts'
import { personLocale, textLocale } from './locale.ts'

/** Amounts are decimal strings here and stay so: Intl formats them exactly, without passing through a number. */
export const exactly = (format: Intl.NumberFormat, amount: string): string =>
  format.format(amount as Intl.StringNumericLiteral)

type Moment = string | Date

const dateOf = (moment: Moment): Date => (typeof moment === 'string' ? new Date(moment) : moment)

const made = new Map<string, unknown>()

/** What `make` gives, made once for each key: a format takes a hundred times longer to make than to use. */
function once<T>(key: unknown[], make: () => T): T {
  const text = JSON.stringify(key)
  if (!made.has(text)) made.set(text, make())
  return made.get(text) as T
}

const numberFormat = (locale: string, options: Intl.NumberFormatOptions) =>
  once([locale, options], () => new Intl.NumberFormat(locale, options))

const dateText = (moment: Moment, options: Intl.DateTimeFormatOptions): string =>
  once(
    [textLocale(), options, new Date().getTimezoneOffset()],
    () => new Intl.DateTimeFormat(textLocale(), options),
  ).format(dateOf(moment))

const minus = '−'

/** Keeps figures and their unit in their own order inside a sentence from right to left. */
export const isolate = (figures: string): string => (language.direction === 'rtl' ? `\u2066${figures}\u2069` : figures)

const withoutSign = (amount: string): string => amount.replace(/^[-+−]/, '')

/** True for "0", "0.00" and the like. */
export const isZero = (amount: string): boolean => !/[1-9]/.test(amount)

export const isNegative = (amount: string): boolean => /^[-−]/.test(amount) && !isZero(amount)

interface MoneyOptions {
  /** Decimal places shown; the currency's own when left out (crypto: at least 2, at most 6). */
  places?: number | undefined
  /** 'always' sets + or − before the amount; 'negative' (default) only −. */
  sign?: 'always' | 'negative' | 'never' | undefined
  /** 'code' writes "12.00 USD" instead of "$12.00". Crypto always shows its code. */
  unit?: 'symbol' | 'code' | 'none' | undefined
  locale?: string | undefined
}

function placesOf(currency: string, places: number | undefined): Intl.NumberFormatOptions {
  if (places !== undefined) return { minimumFractionDigits: places, maximumFractionDigits: places }
  if (!isCurrencyCode(currency)) return { minimumFractionDigits: 2, maximumFractionDigits: 2 }
  const scale = scaleOf(currency)
  return {
    minimumFractionDigits: Math.min(scale, 2),
    maximumFractionDigits: isFiatCode(currency) ? scale : Math.min(scale, 8),
  }
}

/**
 * An amount with its currency: `formatMoney('1234.5', 'USD')` gives "$1,234.50", `formatMoney('200', 'USDT')` "200.00
 * USDT". `amount` is a decimal string. Places that are not shown are cut, never rounded up.
 */
export function formatMoney(amount: string, currency: string, options: MoneyOptions = {}): string {
  const { places, sign = 'negative', unit = 'symbol', locale = personLocale() } = options
  const hasSymbol = unit === 'symbol' && isCurrencyCode(currency) && isFiatCode(currency)
  const format = numberFormat(locale, {
    numberingSystem: 'latn',
    roundingMode: 'trunc',
    ...(hasSymbol ? { style: 'currency', currency, currencyDisplay: 'symbol' } : {}),
    ...placesOf(currency, places),
  })
  // English locales write Singapore's dollar as "SGD"; people there write S$.
  const figures = exactly(format, withoutSign(amount)).replace(/SGD\s?/, 'S$')
  const signed = isNegative(amount) ? minus : '+'
  const showsSign = sign !== 'never' && !isZero(amount) && (sign === 'always' || signed === minus)
  const text = `${showsSign ? signed : ''}${figures}`
  return unit === 'none' ? text : isolate(hasSymbol ? text : `${text} ${currency}`)
}

/** "12.00 USD": the amount with its code, as in breakdowns and tables. */
export const formatWithCode = (amount: string, currency: string): string =>
  formatMoney(amount, currency, { unit: 'code' })

/** "18:42". */
export const formatTime = (moment: Moment): string =>
  dateText(moment, { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' })

/** "Nov 20, 2026", in the person's own order. */
export const formatDate = (moment: Moment): string =>
  dateText(moment, { month: 'short', day: 'numeric', year: 'numeric' })

/** "Nov 20, 2026 18:42", in the person's own order. */
export const formatDateTime = (moment: Moment): string => `${formatDate(moment)} ${formatTime(moment)}`

/** "09:15:02". */
export const formatClock = (moment: Moment): string =>
  dateText(moment, { hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle: 'h23' })

const dayOf = (date: Date): number => new Date(date.getFullYear(), date.getMonth(), date.getDate()).getTime()
const dayMs = 86_400_000

/** How many calendar days ago it was where the person is: 0 today, 1 yesterday. */
export const daysAgo = (moment: Moment, now: Date = new Date()): number =>
  Math.round((dayOf(now) - dayOf(dateOf(moment))) / dayMs)

/** "Today, 18:42", "Yesterday, 21:07", "Nov 17" in this year, else "Nov 17, 2025". */
export function formatRelative(moment: Moment, now: Date = new Date()): string {
  const days = daysAgo(moment, now)
  if (days === 0) return `${shell.today}, ${formatTime(moment)}`
  if (days === 1) return `${shell.yesterday}, ${formatTime(moment)}`
  if (dateOf(moment).getFullYear() !== now.getFullYear()) return formatDate(moment)
  return dateText(moment, { month: 'short', day: 'numeric' })
}

/** "November" or "November 2025": the heading of a month in a list. */
export const formatMonth = (moment: Moment, now: Date = new Date()): string =>
  dateText(moment, {
    month: 'long',
    ...(dateOf(moment).getFullYear() === now.getFullYear() ? {} : { year: 'numeric' }),
  })

/** "IO" from "Ines Okafor", "LU" from "lucas.moreau": two letters for a monogram. */
export function initialsOf(name: string): string {
  const words = name
    .trim()
    .split(/[\s._-]+/)
    .filter(Boolean)
  const first = words[0] ?? '?'
  const last = words.length > 1 ? words.at(-1) : undefined
  return (last ? first.charAt(0) + last.charAt(0) : first.slice(0, 2)).toLocaleUpperCase()
}
