import { findCountryCode } from '../lists/countries.ts'

/** Evidence for or against a match. It affects the order of matches and clears none. */
export interface Evidence {
  readonly birthDate: 'same' | 'close' | 'differs' | 'not_given'
  readonly country: 'same' | 'differs' | 'not_given'
}

const closeYears = 1

const parseYears = (date: string): [first: number, last: number] => {
  const [first = '', last = first] = date.split('/')
  return [first, last].map((year) => Number(year.slice(0, 4))) as [number, number] // not money: a year
}

/**
 * Compares a birth date with listed ones (YYYY, YYYY-MM, YYYY-MM-DD or YYYY/YYYY): `same` to the precision of a listed
 * date, `close` within a year of one.
 */
export function compareBirthDates(ownDate: string | undefined, listedDates: readonly string[]): Evidence['birthDate'] {
  if (!ownDate || listedDates.length === 0) return 'not_given'
  const [year] = parseYears(ownDate)
  if (listedDates.some((date) => (date.includes('/') ? isWithinYears(year, date, 0) : ownDate.startsWith(date))))
    return 'same'
  return listedDates.some((date) => isWithinYears(year, date, closeYears)) ? 'close' : 'differs'
}

/**
 * Returns the least number of years between a date and the listed ones; 0 within a listed range, or if none is listed.
 */
export function countYearsApart(ownDate: string, listedDates: readonly string[]): number {
  const [year] = parseYears(ownDate)
  const distances = listedDates.map((date) => {
    const [first, last] = parseYears(date)
    return Math.max(first - year, year - last, 0)
  })
  return distances.length === 0 ? 0 : Math.min(...distances)
}

function isWithinYears(year: number, listedDate: string, tolerance: number): boolean {
  const [first, last] = parseYears(listedDate)
  return year >= first - tolerance && year <= last + tolerance
}

/** Compares a country, by name or code, with the listed codes; `not_given` if either side is unknown. */
export function compareCountries(ownCountry: string | undefined, listedCodes: readonly string[]): Evidence['country'] {
  const code = ownCountry ? findCountryCode(ownCountry) : undefined
  if (code === undefined || listedCodes.length === 0) return 'not_given'
  return listedCodes.includes(code) ? 'same' : 'differs'
}
