import Holidays from 'date-holidays'

/** A calendar day such as '2026-11-21': a date on a wall, without time or time zone. */
export type Day = string

/** A country's payment system, where it differs from the list of the country's public and bank holidays. */
interface Calendar {
  readonly zone: string
  /** The part of the country whose holidays it keeps. */
  readonly region?: string
  /** Days on which payments rest beside those listed, in the grammar of date-holidays. */
  readonly also?: readonly string[]
  /** Listed days on which payments do not rest. */
  readonly not?: readonly string[]
}

// Payments in euros rest on these in every country (TARGET).
const targetClosing = ['01-01', 'easter -2', 'easter 1', '05-01', '12-25', '12-26']

const calendars: Readonly<Record<string, Calendar>> = {
  US: { zone: 'America/New_York' },
  GB: { zone: 'Europe/London', region: 'ENG' },
  // What federally regulated banks keep (Canada Labour Code); the holidays of single provinces do not stop payments.
  CA: {
    zone: 'America/Toronto',
    also: [
      ...['monday before 05-25', '2nd monday in October'],
      ...['01-01', '07-01', '09-30', '11-11'].map((day) => `${day} and if saturday,sunday then next monday`),
      ...['12-25', '12-26'].map((day) => `${day} and if saturday then next monday if sunday then next tuesday`),
    ],
  },
  // The payment system keeps Sydney's hours.
  AU: { zone: 'Australia/Sydney', region: 'NSW' },
  DE: { zone: 'Europe/Berlin', also: targetClosing },
  FR: { zone: 'Europe/Paris', also: targetClosing },
  JP: { zone: 'Asia/Tokyo' },
  // The days of 2027 as gazetted; what depends on the moon is only estimated by the list.
  SG: { zone: 'Asia/Singapore', also: ['2027-03-10', '2027-05-17', '2027-05-20'], not: ['2027-03-09'] },
  // Beside the nationwide ones the day on which banks close their yearly accounts; those of single states are left out.
  IN: { zone: 'Asia/Kolkata', also: ['04-01'] },
  BR: { zone: 'America/Sao_Paulo' },
}

/** Where a country's banks keep their hours. */
export const zoneOf = (country: string): string => calendars[country]?.zone ?? 'UTC'

const known = new Map<string, ReadonlySet<Day>>()

/** The days of a year on which banks of a country (ISO 3166-1 alpha-2) rest, beside Saturdays and Sundays. */
export function closingDays(country: string, year: string): ReadonlySet<Day> {
  const key = `${country} ${year}`
  const days = known.get(key) ?? listDays(country, year)
  known.set(key, days)
  return days
}

function listDays(country: string, year: string): ReadonlySet<Day> {
  const { region, also = [], not = [] }: Partial<Calendar> = calendars[country] ?? {}
  const holidays = region === undefined ? new Holidays(country) : new Holidays(country, region)
  // Federal offices of the US close on the Friday before a holiday that falls on a Saturday; banks do not.
  const listed = holidays
    .getHolidays(year)
    .filter(({ type, substitute, date }) => (type === 'public' || type === 'bank') && !(substitute && isFriday(date)))
  const added = new Holidays()
  for (const rule of also) added.setHoliday(rule, { name: rule, type: 'bank' })
  const days = new Set([...listed, ...added.getHolidays(year)].map(({ date }) => dayOf(date)))
  for (const day of not) days.delete(day)
  return days
}

const dayOf = (date: string): Day => date.slice(0, 'yyyy-mm-dd'.length)

// A day is counted on a calendar without a zone, in which every day is equally long.
const asDate = (day: Day): Date => new Date(`${day}T00:00:00Z`)

export function dayAfter(day: Day): Day {
  const date = asDate(day)
  date.setUTCDate(date.getUTCDate() + 1)
  return dayOf(date.toISOString())
}

const isFriday = (date: string): boolean => asDate(dayOf(date)).getUTCDay() === 5

export const isWeekend = (day: Day): boolean => [0, 6].includes(asDate(day).getUTCDay())
