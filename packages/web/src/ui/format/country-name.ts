import { textLocale } from './locale.ts'

/** A country's name in the reader's language, by its ISO 3166-1 alpha-2 code. */
export const countryName = (code: string): string =>
  new Intl.DisplayNames(textLocale(), { type: 'region' }).of(code) ?? code
