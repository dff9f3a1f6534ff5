import { closingDays, type Day, addDay, isWeekend, bankTimeZone, zonedCountries } from './bank-holidays.ts'

/** Orders from this hour on, by local time of the bank's country, are processed on the next business day. */
const cutOffHour = '16'

const earliestDays = 1
const expectedDays = 3

/** Earliest and expected day on which a payout reaches a bank of a country (ISO 3166-1 alpha-2). */
export function expectedArrival(country: string, orderedAt: Date) {
  const orderedOn = orderDay(country, orderedAt)
  return {
    earliestOn: addBusinessDays(country, orderedOn, earliestDays),
    expectedOn: addBusinessDays(country, orderedOn, expectedDays),
  }
}

/** Business day on which an order of this time is processed. */
export function orderDay(country: string, orderedAt: Date): Day {
  const [day = '', hour = ''] = createFormat(country).format(orderedAt).split(' ')
  const isBeforeCutOff = isBusinessDay(country, day) && hour < cutOffHour
  return isBeforeCutOff ? day : addBusinessDays(country, day, 1)
}

/** Returns the `count`th business day after `from`, which may be any day. */
export function addBusinessDays(country: string, from: Day, count: number): Day {
  let day = from
  for (let remainingDays = count; remainingDays > 0;) {
    day = addDay(day)
    if (isBusinessDay(country, day)) remainingDays -= 1
  }
  return day
}

/** True if the country's banks are open on this day. */
export const isBusinessDay = (country: string, day: Day): boolean =>
  !isWeekend(day) && !closingDays(country, day.slice(0, 'yyyy'.length)).has(day)

const dayMs = 86_400_000

const localDay = (country: string, at: Date): Day => createFormat(country).format(at).slice(0, 'yyyy-mm-dd'.length)

/** Current day in each country whose banks have a known time zone. */
export const localDays = (at: Date): Readonly<Record<string, Day>> =>
  Object.fromEntries(zonedCountries.map((country) => [country, localDay(country, at)]))

/** Same UTC time of day on the `count`th business day after the local day of `at`. */
export function businessDaysLater(country: string, at: Date, count: number): Date {
  const day = localDay(country, at)
  const target = addBusinessDays(country, day, count)
  return new Date(at.getTime() + Math.round((Date.parse(target) - Date.parse(day)) / dayMs) * dayMs) // not money: days
}

const formats = new Map<string, Intl.DateTimeFormat>()

/** Formats local date and hour as '2026-11-21 09', the format of the Swedish locale. */
function createFormat(country: string): Intl.DateTimeFormat {
  const parts = { year: 'numeric', month: '2-digit', day: '2-digit', hour: '2-digit', hourCycle: 'h23' } as const
  const format = formats.get(country) ?? new Intl.DateTimeFormat('sv-SE', { timeZone: bankTimeZone(country), ...parts })
  formats.set(country, format)
  return format
}
