// node tools/run.mjs tools/holidays/holidays.ts: writes the lists of bank holidays from the package date-holidays, which
// the product itself does not load: with its calendars of the world it takes 25 MB in every process. A test compares the lists with the package.

import fs from 'node:fs'
import { fileURLToPath } from 'node:url'
import Holidays from 'date-holidays'
import { isMain } from '../../packages/server/src/platform/runtime/is-main.ts'

/** Days such as `01-01 04-03`, by country and year. */
type HolidayLists = Record<string, Record<string, string>>

/** A country's payment system, where it differs from the list of the country's public and bank holidays. */
interface Calendar {
  /** The part of the country whose holidays it keeps. */
  readonly region?: string
  /** Days on which payments rest beside those listed, in the grammar of date-holidays. */
  readonly also?: readonly string[]
  /** Listed days on which payments do not rest. */
  readonly not?: readonly string[]
}

const firstYear = 2020
const lastYear = 2060

// Payments in euros rest on these in every country (TARGET).
const targetClosing = ['01-01', 'easter -2', 'easter 1', '05-01', '12-25', '12-26']

const calendars: Readonly<Record<string, Calendar>> = {
  US: {},
  GB: { region: 'ENG' },
  // What federally regulated banks keep (Canada Labour Code); the holidays of single provinces do not stop payments.
  CA: {
    also: [
      ...['monday before 05-25', '2nd monday in October'],
      ...['01-01', '07-01', '09-30', '11-11'].map((day) => `${day} and if saturday,sunday then next monday`),
      ...['12-25', '12-26'].map((day) => `${day} and if saturday then next monday if sunday then next tuesday`),
    ],
  },
  // The payment system keeps Sydney's hours.
  AU: { region: 'NSW' },
  DE: { also: targetClosing },
  FR: { also: targetClosing },
  JP: {},
  // The days of 2027 as gazetted; what depends on the moon is only estimated by the package.
  SG: { also: ['2027-03-10', '2027-05-17', '2027-05-20'], not: ['2027-03-09'] },
  // Beside the nationwide ones the day on which banks close their yearly accounts; those of single states are left out.
  IN: { also: ['04-01'] },
  BR: {},
}

/** The lists in the repository: what is in each, and where it lies. */
export const holidayLists = [
  { file: locate('../../packages/server/src/features/payments/payouts/bank-holidays.json'), list: listBankHolidays },
  { file: locate('../../packages/sandbox/src/banks/public-holidays.json'), list: listPublicHolidays },
]

/** Days of each year on which a country's banks rest, corrected for its payment system. */
function listBankHolidays(country: string): Record<string, string> {
  const { region, also = [], not = [] } = calendars[country] ?? {}
  const holidays = region === undefined ? new Holidays(country) : new Holidays(country, region)
  const added = new Holidays()
  for (const rule of also) added.setHoliday(rule, { name: rule, type: 'bank' })
  return listYears((year) => {
    // Federal offices of the US close on the Friday before a holiday that falls on a Saturday; banks do not.
    const listed = holidays
      .getHolidays(year)
      .filter(({ type, substitute, date }) => (type === 'public' || type === 'bank') && !(substitute && isFriday(date)))
    return [...listed, ...added.getHolidays(year)].filter(({ date }) => !not.includes(date.slice(0, 10)))
  })
}

/** Public holidays of each year in a whole country. */
function listPublicHolidays(country: string): Record<string, string> {
  const holidays = new Holidays(country, { types: ['public'] })
  return listYears((year) => holidays.getHolidays(year))
}

function listYears(find: (year: number) => readonly { date: string }[]): Record<string, string> {
  const years: Record<string, string> = {}
  for (let year = firstYear; year <= lastYear; year += 1) years[year] = join(find(year))
  return years
}

/** Text of a file of lists: one line per year, so that a changed day shows. */
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
