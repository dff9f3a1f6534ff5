import type { Language } from './language.ts'

/** English amounts and dates are written as in the United States. */
const writtenLocale = ({ code, locale }: Language): string => (code === 'en' ? 'en-US' : locale)

const currencies: ReadonlySet<string> = new Set(Intl.supportedValuesOf('currency'))

/**
 * An amount as people write it, such as '$1,234.50' for '1234.50' of 'USD'; with its code where the currency has no symbol,
 * such as '1,234.50 USDT', and then with all its decimals.
 */
export function amountInWords(language: Language, decimal: string, currency: string): string {
  const locale = writtenLocale(language)
  const exact = decimal as `${number}`
  if (!currencies.has(currency)) {
    const places = { minimumFractionDigits: 2, maximumFractionDigits: 20 }
    return `${new Intl.NumberFormat(locale, places).format(exact)} ${currency}`
  }
  // English locales write Singapore's dollar as "SGD"; people there write S$.
  return new Intl.NumberFormat(locale, { style: 'currency', currency }).format(exact).replace(/SGD\s?/, 'S$')
}

/** The same for an amount with its currency, such as '1234.50 USD'; any other text stays as it is. */
export function amountTextInWords(language: Language, text: string): string {
  const [, decimal, currency] = /^(-?\d+(?:\.\d+)?) ([A-Z]{3,5})$/.exec(text) ?? []
  return decimal === undefined || currency === undefined ? text : amountInWords(language, decimal, currency)
}

/** A rate such as '1 USD = 149.253731343284 JPY' with four decimals, or four figures where it is small. */
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
const time = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23', timeZone: 'UTC' } as const

/** A day such as 'Nov 21, 2026' from '2026-11-21'. */
export const dayInWords = (language: Language, text: string): string =>
  new Intl.DateTimeFormat(writtenLocale(language), day).format(new Date(`${text}T00:00:00Z`))

/** The day and the time of a moment in UTC, such as 'Nov 21, 2026' and '14:05'. */
export function momentInWords(language: Language, at: Date): { date: string; time: string } {
  const locale = writtenLocale(language)
  const write = (options: Intl.DateTimeFormatOptions) => new Intl.DateTimeFormat(locale, options).format(at)
  return { date: write(day), time: write(time) }
}
