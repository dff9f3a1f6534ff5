import type { Language } from './language.ts'

/** English amounts are written as in the United States, while its dates are those of Britain. */
const amountLocale = ({ code, locale }: Language): string => (code === 'en' ? 'en-US' : locale)

/** An amount as people write it, such as '$1,234.50' for '1234.50' of 'USD'. */
export const amountInWords = (language: Language, decimal: string, currency: string): string =>
  new Intl.NumberFormat(amountLocale(language), { style: 'currency', currency }).format(decimal as `${number}`)

/** A day such as '21 November 2026' from '2026-11-21'. */
export const dayInWords = ({ locale }: Language, day: string): string =>
  new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'long', year: 'numeric', timeZone: 'UTC' }).format(
    new Date(`${day}T00:00:00Z`),
  )
