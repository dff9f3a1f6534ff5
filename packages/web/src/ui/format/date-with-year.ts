import { textLocale } from './locale.ts'

/**
 * "Nov 20, 2026" in the person's own order, for texts that are still read in later years, such as prerendered pages.
 */
export const formatDateWithYear = (time: string | Date, timeZone?: string): string =>
  new Intl.DateTimeFormat(textLocale(), { dateStyle: 'medium', timeZone }).format(new Date(time))
