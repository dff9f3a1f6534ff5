import { language } from '#language'

/** The locale whose habits with figures the person has; the language's own while pages are rendered at build time. */
export const personLocale = (): string =>
  typeof document === 'undefined' ? language.code : navigator.language || language.code

/** The locale of what contains words, such as months: the person's own where it speaks the language of the page. */
export const textLocale = (): string =>
  (typeof document !== 'undefined' &&
    navigator.languages.find((locale) => `${locale}-`.startsWith(`${language.code}-`))) ||
  language.code
