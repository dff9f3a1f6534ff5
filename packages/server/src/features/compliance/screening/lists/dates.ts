// Dates as lists write them, as YYYY, YYYY-MM, YYYY-MM-DD or a range of years YYYY/YYYY.

const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']
const year = String.raw`(?:1[89]|20)\d\d`

const two = (value: string) => value.padStart(2, '0')

/** Words that say that a date is not exact. */
const roughly = /\b(?:circa|approximately|approx|about|around|between|early|mid|late|c|ca)\b\.?/g

/**
 * A date such as `19 Jun 1951`, `June 19, 1951`, `Jun 1951`, `1951`, `1951 to 1953`, `between 1951 and 1953`, `circa 1951` or
 * `1950s`; undefined for what is none.
 */
export function readWrittenDate(text: string): string | undefined {
  const plain = text
    .toLowerCase()
    .replaceAll(roughly, ' ')
    .replaceAll(/[\s,]+/g, ' ')
    .trim()
  const decade = /^((?:1[89]|20)\d)0'?s$/.exec(plain)?.[1]
  if (decade !== undefined) return `${decade}0/${decade}9`
  const range = new RegExp(`^(?:.* )?(${year})(?: to | and | ?[-–/] ?)(?:.* )?(${year})$`).exec(plain)
  if (range) return range[1] === range[2] ? range[1] : `${range[1]}/${range[2]}`
  const match =
    new RegExp(String.raw`^(?:(?<day>\d{1,2})[ -])?(?:(?<month>[a-z]{3})[a-z]*[ -])?(?<year>${year})$`).exec(plain) ??
    new RegExp(String.raw`^(?<month>[a-z]{3})[a-z]* (?<day>\d{1,2}) (?<year>${year})$`).exec(plain)
  if (!match) return readIsoDate(plain)
  const { day, month = '', year: found = '' } = match.groups ?? {}
  return precise(found, months.indexOf(month) + 1, day)
}

/** As exact as month and day are known and possible. */
function precise(found: string, month: number, day: string | undefined): string {
  if (month < 1 || month > 12) return found
  const date = `${found}-${two(String(month))}`
  return day !== undefined && /^(?:0?[1-9]|[12]\d|3[01])$/.test(day) ? `${date}-${two(day)}` : date
}

/** A date such as `19/06/1951`, where a part that is not known is written `dd` or `mm`, or as `readWrittenDate` reads it. */
export function readSlashDate(text: string): string | undefined {
  const match = new RegExp(String.raw`^(?:([\d]{1,2}|[a-z]{2}|00)/([\d]{1,2}|[a-z]{2}|00)/)?(${year})$`).exec(
    text.trim().toLowerCase(),
  )
  if (!match) return readWrittenDate(text)
  const [, day = '', month = '', found = ''] = match
  return precise(found, /^\d+$/.test(month) ? Number(month) : 0, day) // not money: a month
}

/** An ISO date of any precision, without a time behind it. */
export const readIsoDate = (text: string): string | undefined =>
  new RegExp(String.raw`^${year}(?:-\d\d(?:-\d\d)?)?`).exec(text.trim())?.[0]

/** From one year to another; one year where they are equal or only one is given. */
export function yearRange(from: string, to: string): string | undefined {
  const [first, last] = [readIsoDate(from), readIsoDate(to)].map((date) => date?.slice(0, 4))
  if (first === undefined || last === undefined || first === last) return first ?? last
  return `${first}/${last}`
}

/** A moment that a publisher states; undefined for what is none. */
export function readMoment(text: string | undefined): Date | undefined {
  const date = text ? new Date(text) : undefined
  return date && !Number.isNaN(date.getTime()) ? date : undefined
}
