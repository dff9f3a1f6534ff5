import { personLocale } from './locale.ts'

/** "6,204": a whole count in the person's number format. */
export const formatCount = (count: number, locale: string = personLocale()): string =>
  new Intl.NumberFormat(locale, { numberingSystem: 'latn', maximumFractionDigits: 0 }).format(count)
