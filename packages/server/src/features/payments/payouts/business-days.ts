import { closingDays, type Day, dayAfter, isWeekend } from './bank-holidays.ts'

/** Where a country's banks keep their hours: the zone of its payment system. */
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

/** What is ordered from this hour on, by the clocks of the bank's country, is dealt with on the next business day. */
const cutOffHour = '16'

const earliestDays = 1
const expectedDays = 3

/** When money that was ordered reaches a bank, as days in the bank's country. */
export interface ExpectedArrival {
  readonly earliestOn: Day
  readonly expectedOn: Day
}

/** When a payout that is ordered at this moment reaches a bank of the country (ISO 3166-1 alpha-2). */
export function settlementPostings(country: string, orderedAt: Date): ExpectedArrival {
  const orderedOn = orderDay(country, orderedAt)
  return {
    earliestOn: addBusinessDays(country, orderedOn, earliestDays),
    expectedOn: addBusinessDays(country, orderedOn, expectedDays),
  }
}

/** The business day on which an order of this moment is dealt with. */
export function orderDay(country: string, orderedAt: Date): Day {
  const { day, hour } = localTime(country, orderedAt)
  const isInTime = isBusinessDay(country, day) && hour < cutOffHour
  return isInTime ? day : addBusinessDays(country, day, 1)
}

/** The `count`th business day after a day, which need not be one. */
export function addBusinessDays(country: string, from: Day, count: number): Day {
  let day = from
  for (let left = count; left > 0;) {
    day = dayAfter(day)
    if (isBusinessDay(country, day)) left -= 1
  }
  return day
}

/** Whether the country's banks work on a day. */
export const isBusinessDay = (country: string, day: Day): boolean =>
  !isWeekend(day) && !closingDays(country, day.slice(0, 'yyyy'.length)).has(day)

const formats = new Map<string, Intl.DateTimeFormat>()

function formatOf(country: string): Intl.DateTimeFormat {
  const known = formats.get(country)
  if (known) return known
  const format = new Intl.DateTimeFormat('en', {
    timeZone: zones[country] ?? 'UTC',
    hourCycle: 'h23',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
  })
  formats.set(country, format)
  return format
}

/** The date on the country's calendars and the hour ('00' to '23') on its clocks. */
function localTime(country: string, at: Date): { day: Day; hour: string } {
  const parts = Object.fromEntries(
    formatOf(country)
      .formatToParts(at)
      .map(({ type, value }) => [type, value]),
  )
  return { day: `${parts.year}-${parts.month}-${parts.day}`, hour: parts.hour ?? '' }
}
