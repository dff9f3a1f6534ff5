import { textLocale } from '../../ui/format/locale.ts'

const atNoon = (date: string): Date => new Date(`${date}T12:00:00Z`)

/** Calendar day, such as "Nov 27", and weekday, such as "Friday"; with the year unless it is the current one. */
export function formatDayParts(date: string): { day: string; weekday: string } {
  const isOtherYear = date.slice(0, 4) !== String(new Date().getFullYear())
  const day = new Intl.DateTimeFormat(textLocale(), {
    ...{ month: 'short', day: 'numeric', timeZone: 'UTC' },
    ...(isOtherYear ? { year: 'numeric' } : {}),
  })
  const weekday = new Intl.DateTimeFormat(textLocale(), { weekday: 'long', timeZone: 'UTC' })
  return { day: day.format(atNoon(date)), weekday: weekday.format(atNoon(date)) }
}

export const shortDay = (date: string): string => formatDayParts(date).day
