// node tools/run.mjs tools/holidays/holidays.ts: writes the lists of bank and public holidays from the package
// date-holidays, whose worldwide calendars would take 25 MB per process. A test compares the lists with the package.

import fs from 'node:fs'
import { fileURLToPath } from 'node:url'
import Holidays from 'date-holidays'
import { isMain } from '../../packages/server/src/platform/runtime/is-main.ts'

/** Days by country and year, such as `01-01 04-03`. */
type HolidayLists = Record<string, Record<string, string>>

/** Differences between a country's payment system and its public and bank holidays. */
interface Calendar {
  /** Region whose holidays the payment system observes. */
  readonly region?: string
  /** Additional days without payments, in the syntax of date-holidays. */
  readonly extraDates?: readonly string[]
  /** Listed holidays on which payments are processed. */
  readonly excludedDates?: readonly string[]
}

const firstYear = 2020
const lastYear = 2060

// TARGET closing days, on which no euro payments are processed in any country.
const targetClosing = ['01-01', 'easter -2', 'easter 1', '05-01', '12-25', '12-26']

const calendars: Readonly<Record<string, Calendar>> = {
  US: {},
  GB: { region: 'ENG' },
  // Holidays of federally regulated banks (Canada Labour Code); provincial holidays do not stop payments.
  CA: {
    extraDates: [
      ...['monday before 05-25', '2nd monday in October'],
      ...['01-01', '07-01', '09-30', '11-11'].map((day) => `${day} and if saturday,sunday then next monday`),
      ...['12-25', '12-26'].map((day) => `${day} and if saturday then next monday if sunday then next tuesday`),
    ],
  },
  // The payment system observes the holidays of Sydney.
  AU: { region: 'NSW' },
  DE: { extraDates: targetClosing },
  FR: { extraDates: targetClosing },
  JP: {},
  // Days of 2027 as gazetted; the package only estimates holidays that depend on the moon.
  SG: { extraDates: ['2027-03-10', '2027-05-17', '2027-05-20'], excludedDates: ['2027-03-09'] },
  // Nationwide holidays plus the banks' annual closing day; holidays of single states are excluded.
  IN: { extraDates: ['04-01'] },
  BR: {},
}

/** Generated files, each with the function that lists its holidays. */
export const holidayLists = [
  { file: locate('../../packages/server/src/features/payments/payouts/bank-holidays.json'), list: listBankHolidays },
  { file: locate('../../packages/sandbox/src/banks/public-holidays.json'), list: listPublicHolidays },
]

/** Returns the days on which a country's banks are closed, by year, corrected for its payment system. */
function listBankHolidays(country: string): Record<string, string> {
  const { region, extraDates = [], excludedDates = [] } = calendars[country] ?? {}
  const holidays = region === undefined ? new Holidays(country) : new Holidays(country, region)
  const added = new Holidays()
  for (const rule of extraDates) added.setHoliday(rule, { name: rule, type: 'bank' })
  return listYears((year) => {
    // US federal offices are closed on the Friday before a Saturday holiday; banks are not.
    const publicDates = holidays
      .getHolidays(year)
      .filter(({ type, substitute, date }) => (type === 'public' || type === 'bank') && !(substitute && isFriday(date)))
    return [...publicDates, ...added.getHolidays(year)].filter(({ date }) => !excludedDates.includes(date.slice(0, 10)))
  })
}

/** Returns a country's nationwide public holidays, by year. */
function listPublicHolidays(country: string): Record<string, string> {
  const holidays = new Holidays(country, { types: ['public'] })
  return listYears((year) => holidays.getHolidays(year))
}

function listYears(find: (year: number) => readonly { date: string }[]): Record<string, string> {
  const years: Record<string, string> = {}
  for (let year = firstYear; year <= lastYear; year += 1) years[year] = join(find(year))
  return years
}

/** Formats a list with one line per year, so that a diff shows the changed year. */
export function formatLists(list: (country: string) => Record<string, string>): string {
  const lists: HolidayLists = {}
  for (const country of Object.keys(calendars)) lists[country] = list(country)
  return `${JSON.stringify(lists, null, 2)}\n`
}

const join = (holidays: readonly { date: string }[]): string =>
  [...new Set(holidays.map(({ date }) => date.slice('yyyy-'.length, 'yyyy-mm-dd'.length)))].toSorted().join(' ')

const isFriday = (date: string): boolean => new Date(`${date.slice(0, 10)}T00:00:00Z`).getUTCDay() === 5

function locate(file: string): string {
  return fileURLToPath(new URL(file, import.meta.url))
}

if (isMain(import.meta)) {
  for (const { file, list } of holidayLists) fs.writeFileSync(file, formatLists(list))
}
