import { findSymbol } from '@tern/money/currency-symbol'
import type { Language } from './language.ts'
import type { Params } from './message.ts'

/** Locale of amounts and dates; English uses the formats of the United States. */
const writtenLocale = ({ code, locale }: Language): string => (code === 'en' ? 'en-US' : locale)

/**
 * Formats an amount, such as '1234.50' of 'USD' as '$1,234.50'. A currency without a symbol is formatted with its code,
 * without trailing zeros beyond two decimals, such as '1,234.50 USDT'.
 */
export function amountInWords(language: Language, decimal: string, currency: string): string {
  const locale = writtenLocale(language)
  const exact = decimal as `${number}`
  const symbol = findSymbol(currency)
  if (symbol === undefined) {
    const places = { minimumFractionDigits: 2, maximumFractionDigits: 20 }
    return `${new Intl.NumberFormat(locale, places).format(exact)} ${currency}`
  }
  const format = new Intl.NumberFormat(locale, { style: 'currency', currency, currencyDisplay: 'narrowSymbol' })
  return format.format(exact).replace(/[A-Z]*\p{Sc}|[A-Z]{3}/u, symbol)
}

/** Formats a text that is an amount with its currency, such as '1234.50 USD'; returns any other text unchanged. */
export function amountTextInWords(language: Language, text: string): string {
  const [, decimal, currency] = /^(-?\d+(?:\.\d+)?) ([A-Z]{3,5})$/.exec(text) ?? []
  return decimal === undefined || currency === undefined ? text : amountInWords(language, decimal, currency)
}

/** Formats those parameters of a sentence that are amounts. */
export const paramsInWords = (language: Language, params: Params): Params =>
  Object.fromEntries(
    Object.entries(params).map(([name, value]) => [
      name,
      typeof value === 'string' ? amountTextInWords(language, value) : value,
    ]),
  )

/**
 * Formats a rate such as '1 USD = 149.253731343284 JPY', with four decimals or, if that is more precise, four
 * significant digits. Returns any other text unchanged.
 */
export function rateTextInWords(language: Language, text: string): string {
  const [, source, rate, target] = /^1 ([A-Z]{3,5}) = (\d+(?:\.\d+)?) ([A-Z]{3,5})$/.exec(text) ?? []
  if (rate === undefined) return text
  const format = new Intl.NumberFormat(writtenLocale(language), {
    minimumFractionDigits: 4,
    maximumFractionDigits: 4,
    maximumSignificantDigits: 4,
    roundingPriority: 'morePrecision',
  })
  return `1 ${source} = ${format.format(rate as `${number}`)} ${target}`
}

const day = { day: 'numeric', month: 'short', year: 'numeric', timeZone: 'UTC' } as const
const time = { hour: 'numeric', minute: '2-digit', timeZone: 'UTC' } as const

/** Formats a month: in English, '2026-11' becomes 'November 2026'. */
export const monthInWords = (language: Language, text: string): string =>
  new Intl.DateTimeFormat(writtenLocale(language), { month: 'long', year: 'numeric', timeZone: 'UTC' }).format(
    new Date(`${text}-01T00:00:00Z`),
  )

/** Formats an ISO date: in English, '2026-11-21' becomes 'Nov 21, 2026'. */
export const dayInWords = (language: Language, text: string): string =>
  new Intl.DateTimeFormat(writtenLocale(language), day).format(new Date(`${text}T00:00:00Z`))

/** Formats the date and the time of a moment in UTC, such as 'Nov 21, 2026' and '2:05 PM'. */
export function momentInWords(language: Language, at: Date): { date: string; time: string } {
  const locale = writtenLocale(language)
  const write = (options: Intl.DateTimeFormatOptions) => new Intl.DateTimeFormat(locale, options).format(at)
  return { date: write(day), time: write(time).replaceAll(/\s/g, ' ') }
}
