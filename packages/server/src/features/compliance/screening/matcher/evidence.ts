import { findCountryCode } from '../lists/countries.ts'

/** Further evidence for or against a match. It ranks matches and clears none. */
export interface Evidence {
  readonly birthDate: 'same' | 'close' | 'differs' | 'not_given'
  readonly country: 'same' | 'differs' | 'not_given'
}

const closeYears = 1

const parseYears = (listed: string): [first: number, last: number] => {
  const [first = '', last = first] = listed.split('/')
  return [first, last].map((year) => Number(year.slice(0, 4))) as [number, number] // not money: a year
}

/** Compares dates (YYYY, YYYY-MM, YYYY-MM-DD or YYYY/YYYY): `same` to the listed precision, `close` within a year. */
export function compareBirthDates(own: string | undefined, listed: readonly string[]): Evidence['birthDate'] {
  if (!own || listed.length === 0) return 'not_given'
  const [year] = parseYears(own)
  if (listed.some((date) => (date.includes('/') ? isWithin(year, date, 0) : own.startsWith(date)))) return 'same'
  return listed.some((date) => isWithin(year, date, closeYears)) ? 'close' : 'differs'
}

/**
 * Returns the least number of years between a date and the listed ones; 0 within a listed year, or when none is listed.
 */
export function yearsApart(own: string, listed: readonly string[]): number {
  const [year] = parseYears(own)
  const distances = listed.map((date) => {
    const [first, last] = parseYears(date)
    return Math.max(first - year, year - last, 0)
  })
  return distances.length === 0 ? 0 : Math.min(...distances)
}

function isWithin(year: number, listed: string, tolerance: number): boolean {
  const [first, last] = parseYears(listed)
  return year >= first - tolerance && year <= last + tolerance
}

/** Returns whether a country, by name or code, is among the listed codes. */
export function compareCountries(own: string | undefined, listed: readonly string[]): Evidence['country'] {
  const code = own ? findCountryCode(own) : undefined
  if (code === undefined || listed.length === 0) return 'not_given'
  return listed.includes(code) ? 'same' : 'differs'
}
