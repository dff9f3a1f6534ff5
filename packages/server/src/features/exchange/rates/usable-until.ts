/** Validity and allowed jump of the rates of one kind of currency. */
export interface RatePolicy {
  readonly maxAgeSeconds: number
  /** Weekends and TARGET closing days do not count towards the age. */
  readonly skipsClosingDays: boolean
  /** Larger differences from the fix in use are held back. */
  readonly maxJumpPartsPerMillion: bigint
}

const dayMs = 86_400_000
// European Central Bank, "TARGET closing days": the reference rates are not fixed on these days either.
// https://www.ecb.europa.eu/paym/target/professional-use/holidays/html/index.en.html
const closingDates = ['01-01', '05-01', '12-25', '12-26']
const goodFriday = -2
const easterMonday = 1

const closingDaysByYear = new Map<string, ReadonlySet<string>>()

function closingDays(year: string): ReadonlySet<string> {
  const knownClosingDays = closingDaysByYear.get(year)
  if (knownClosingDays) return knownClosingDays
  const days = new Set(closingDates.map((date) => `${year}-${date}`))
  for (const distance of [goodFriday, easterMonday]) days.add(dayFromEaster(Number(year), distance)) // not money: a year
  closingDaysByYear.set(year, days)
  return days
}

/**
 * Returns the day at this distance from Easter Sunday, such as 2027-03-29, by the Gregorian computus of Meeus, Jones
 * and Butcher.
 */
function dayFromEaster(year: number, distance: number): string {
  const goldenNumber = year % 19
  const century = divideDown(year, 100)
  const yearOfCentury = year % 100
  const moonCorrection = divideDown(century - divideDown(century + 8, 25) + 1, 3)
  const epact = (19 * goldenNumber + century - divideDown(century, 4) - moonCorrection + 15) % 30
  const weekday = (32 + 2 * (century % 4) + 2 * divideDown(yearOfCentury, 4) - epact - (yearOfCentury % 4)) % 7
  const lateMoon = divideDown(goldenNumber + 11 * epact + 22 * weekday, 451)
  // Day of March, from 22 (the earliest Easter); above 31 it is in April.
  const easter = 22 + epact + weekday - 7 * lateMoon
  return new Date(Date.UTC(year, 2, easter + distance)).toISOString().slice(0, 10)
}

const divideDown = (years: number, size: number): number => Math.floor(years / size) // not money: years of a calendar

const berlinDateFormat = new Intl.DateTimeFormat('sv-SE', { timeZone: 'Europe/Berlin', dateStyle: 'short' })

// Frankfurt's days begin on a full hour of UTC all year, so the day is cached by hour: formatting it each time would
// take most of the time of a chart.
const hourMs = 3_600_000
const maxHours = 20_000
const dayByHour = new Map<number, string>()

/** Returns the day of `at` in Frankfurt, such as 2026-11-25. Reference rates are fixed there once a day. */
export function fixingDay(at: Date): string {
  const hour = Math.floor(at.getTime() / hourMs) // not money: a count of hours
  const knownDay = dayByHour.get(hour)
  if (knownDay !== undefined) return knownDay
  const day = berlinDateFormat.format(at)
  if (dayByHour.size >= maxHours) dayByHour.clear()
  dayByHour.set(hour, day)
  return day
}

/** Returns whether `at` is on a closing day in Frankfurt, on which no reference rates are fixed. */
export function isClosingDay(at: Date): boolean {
  const day = fixingDay(at)
  const weekday = new Date(`${day}T00:00:00Z`).getUTCDay()
  return weekday === 0 || weekday === 6 || closingDays(day.slice(0, 4)).has(day)
}

/** Returns the time until which a fix is usable, counted from its last confirmation. */
export function usableUntil(confirmedAt: Date, { maxAgeSeconds, skipsClosingDays }: RatePolicy): Date {
  let until = confirmedAt.getTime() + maxAgeSeconds * 1000
  if (skipsClosingDays) {
    // Each closing day extends the validity by a day.
    for (let day = confirmedAt.getTime() + dayMs; day <= until; day += dayMs)
      if (isClosingDay(new Date(day))) until += dayMs
  }
  return new Date(until)
}
