import Holidays from 'date-holidays'

interface Calendar {
  timeZone: string
  holidays: Holidays
  /** Public holidays as `YYYY-MM-DD`, by year. */
  byYear: Map<number, ReadonlySet<string>>
}

const dayMs = 24 * 60 * 60 * 1000
const calendars = new Map<string, Calendar>()

function calendarOf(country: string): Calendar {
  const known = calendars.get(country)
  if (known) return known
  const holidays = new Holidays(country, { types: ['public'] })
  // A country's first zone is its banks': New York, Toronto, Sydney, São Paulo.
  const calendar: Calendar = { timeZone: holidays.getTimezones()?.[0] ?? 'UTC', holidays, byYear: new Map() }
  calendars.set(country, calendar)
  return calendar
}

const isoDay = (day: Date): string => day.toISOString().slice(0, 10)

function isHoliday({ holidays, byYear }: Calendar, day: Date): boolean {
  const year = day.getUTCFullYear()
  const days = byYear.get(year) ?? new Set(holidays.getHolidays(year).map(({ date }) => date.slice(0, 10)))
  byYear.set(year, days)
  return days.has(isoDay(day))
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
  const calendar = calendarOf(country)
  let day = localDay(from, calendar.timeZone)
  for (let left = count; left > 0;) {
    // In UTC, days are equally long.
    day = new Date(day.getTime() + dayMs)
    if (!isWeekend(day) && !isHoliday(calendar, day)) left -= 1
  }
  return day
}
