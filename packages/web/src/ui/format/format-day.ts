import { textLocale } from './locale.ts'

/** "Tue, Nov 24" from "2026-11-24": a calendar day without a time zone; with the year unless it is the current one. */
export function formatDay(day: string, now: Date = new Date(), locale: string = textLocale()): string {
  const [year = 0, month = 1, date = 1] = day.split('-').map(Number)
  return new Intl.DateTimeFormat(locale, {
    weekday: 'short',
    month: 'short',
    day: 'numeric',
    ...(year === now.getFullYear() ? {} : { year: 'numeric' }),
  }).format(new Date(year, month - 1, date))
}
