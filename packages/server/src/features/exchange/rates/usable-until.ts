/** How long a rate can be used once its source has confirmed it. */
export interface RatePolicy {
  readonly maxAgeSeconds: number
  /** Weekends and TARGET closing days do not count. */
  readonly skipsClosingDays: boolean
  /** A fix that differs by more from the one before is held back. */
  readonly maxJumpPartsPerMillion: bigint
}

const dayMs = 86_400_000
// European Central Bank, "TARGET closing days": the reference rates are not fixed on these days either.
// https://www.ecb.europa.eu/paym/target/professional-use/holidays/html/index.en.html
const closingDates = ['01-01', '05-01', '12-25', '12-26']
const goodFriday = -2
const easterMonday = 1

const known = new Map<string, ReadonlySet<string>>()

function closingDays(year: string): ReadonlySet<string> {
  const found = known.get(year)
  if (found) return found
  const days = new Set(closingDates.map((date) => `${year}-${date}`))
  for (const distance of [goodFriday, easterMonday]) days.add(dayFromEaster(Number(year), distance)) // not money: a year
  known.set(year, days)
  return days
}

/** The day at a distance in days from Easter Sunday, such as 2027-03-29: the Gregorian computus of Meeus, Jones and Butcher. */
function dayFromEaster(year: number, distance: number): string {
  const golden = year % 19
  const century = wholeParts(year, 100)
  const yearOfCentury = year % 100
  const moonCorrection = wholeParts(century - wholeParts(century + 8, 25) + 1, 3)
  const epact = (19 * golden + century - wholeParts(century, 4) - moonCorrection + 15) % 30
  const weekday = (32 + 2 * (century % 4) + 2 * wholeParts(yearOfCentury, 4) - epact - (yearOfCentury % 4)) % 7
  const lateMoon = wholeParts(golden + 11 * epact + 22 * weekday, 451)
  // Counted from 22 March, the earliest Easter.
  const easter = 22 + epact + weekday - 7 * lateMoon
  return new Date(Date.UTC(year, 2, easter + distance)).toISOString().slice(0, 10)
}

const wholeParts = (years: number, size: number): number => Math.floor(years / size) // not money: years of a calendar

const berlinDay = new Intl.DateTimeFormat('sv-SE', { timeZone: 'Europe/Berlin', dateStyle: 'short' })

// A day there begins with an hour of UTC, in summer as in winter. Formatting takes most of the time that a chart takes.
const hourMs = 3_600_000
const mostHours = 20_000
const dayOfHour = new Map<number, string>()

/** The day of `at` in Frankfurt, such as 2026-11-25: reference rates are fixed once a day there. */
export function fixingDay(at: Date): string {
  const hour = Math.floor(at.getTime() / hourMs) // not money: a count of hours
  const found = dayOfHour.get(hour)
  if (found !== undefined) return found
  const day = berlinDay.format(at)
  if (dayOfHour.size >= mostHours) dayOfHour.clear()
  dayOfHour.set(hour, day)
  return day
}

/** Whether euro payments rest on the day of `at` in Frankfurt: no reference rate is fixed. */
export function isClosingDay(at: Date): boolean {
  const day = fixingDay(at)
  const weekday = new Date(`${day}T00:00:00Z`).getUTCDay()
  return weekday === 0 || weekday === 6 || closingDays(day.slice(0, 4)).has(day)
}

/** Until when a rate of `asOf` can be used. */
export function usableUntil(asOf: Date, { maxAgeSeconds, skipsClosingDays }: RatePolicy): Date {
  let until = asOf.getTime() + maxAgeSeconds * 1000
  if (skipsClosingDays) {
    // Each day on which nothing is fixed moves the end by a day.
    for (let day = asOf.getTime() + dayMs; day <= until; day += dayMs) if (isClosingDay(new Date(day))) until += dayMs
  }
  return new Date(until)
}
