import bankHolidays from './bank-holidays.json' with { type: 'json' }

/** A calendar day such as '2026-11-21', without time or time zone. */
export type Day = string

const zones: Readonly<Record<string, string>> = {
  US: 'America/New_York',
  GB: 'Europe/London',
  CA: 'America/Toronto',
  AU: 'Australia/Sydney',
  DE: 'Europe/Berlin',
  FR: 'Europe/Paris',
  JP: 'Asia/Tokyo',
  SG: 'Asia/Singapore',
  IN: 'Asia/Kolkata',
  BR: 'America/Sao_Paulo',
}

/** Countries whose banks have a known time zone. */
export const zonedCountries: readonly string[] = Object.keys(zones)

/** Time zone of a country's banks (ISO 3166-1 alpha-2); UTC for countries that are not listed. */
export const bankTimeZone = (country: string): string => zones[country] ?? 'UTC'

const lists: Readonly<Record<string, Readonly<Record<string, string>>>> = bankHolidays
const closingDaysCache = new Map<string, ReadonlySet<Day>>()

/**
 * Days of a year on which banks of a country (ISO 3166-1 alpha-2) are closed, besides Saturdays and Sundays. Empty for
 * a country or year that `tools/holidays/holidays.ts` does not list.
 */
export function closingDays(country: string, year: string): ReadonlySet<Day> {
  const key = `${country} ${year}`
  const days = closingDaysCache.get(key) ?? new Set(lists[country]?.[year]?.split(' ').map((day) => `${year}-${day}`))
  closingDaysCache.set(key, days)
  return days
}

const toDay = (date: string): Day => date.slice(0, 'yyyy-mm-dd'.length)

// Parsed as UTC, which has no clock changes.
const toDate = (day: Day): Date => new Date(`${day}T00:00:00Z`)

export function addDay(day: Day): Day {
  const date = toDate(day)
  date.setUTCDate(date.getUTCDate() + 1)
  return toDay(date.toISOString())
}

export const isWeekend = (day: Day): boolean => [0, 6].includes(toDate(day).getUTCDay())
