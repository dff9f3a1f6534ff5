import publicHolidays from './public-holidays.json' with { type: 'json' }

const dayMs = 24 * 60 * 60 * 1000

/** Zones by whose date a country's banks start to count. */
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

/** Public holidays as `MM-DD`, by country and year; `tools/holidays/holidays.ts` writes them. */
const lists: Readonly<Record<string, Readonly<Record<string, string>>>> = publicHolidays

const isoDay = (day: Date): string => day.toISOString().slice(0, 10)

function isHoliday(country: string, day: Date): boolean {
  const [year = '', date = ''] = isoDay(day).split(/-(.*)/)
  return lists[country]?.[year]?.split(' ').includes(date) ?? false
}

/** The local date at a moment, as noon UTC. */
function localDay(at: Date, timeZone: string): Date {
  const format = new Intl.DateTimeFormat('en-CA', { timeZone, year: 'numeric', month: '2-digit', day: '2-digit' })
  return new Date(`${format.format(at)}T12:00:00Z`)
}

const isWeekend = (day: Date): boolean => day.getUTCDay() === 0 || day.getUTCDay() === 6

/**
 * When banks of a country (ISO 3166-1 alpha-2) complete something that takes `count` business days: at noon UTC, which
 * is the same date in all of them. Weekends, public holidays and the starting day (by local date) do not count.
 */
export function afterBusinessDays(from: Date, count: number, country: string): Date {
  let day = localDay(from, zones[country] ?? 'UTC')
  for (let left = count; left > 0;) {
    // In UTC, days are equally long.
    day = new Date(day.getTime() + dayMs)
    if (!isWeekend(day) && !isHoliday(country, day)) left -= 1
  }
  return day
}
