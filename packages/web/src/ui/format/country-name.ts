import { textLocale } from './locale.ts'

/** Country name in the reader's language, by ISO 3166-1 alpha-2 code. */
export const countryName = (code: string): string =>
  new Intl.DisplayNames(textLocale(), { type: 'region' }).of(code) ?? code
