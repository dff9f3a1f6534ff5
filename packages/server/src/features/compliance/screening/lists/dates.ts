// Parses dates of lists to YYYY, YYYY-MM, YYYY-MM-DD or a range of years YYYY/YYYY.

const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']
const year = String.raw`(?:1[89]|20)\d\d`

const padTwoDigits = (value: string) => value.padStart(2, '0')

/** Words and characters that mark inexact dates. */
const approximateWords =
  /\b(?:circa|approximately|approx|about|around|between|early|mid|late|born|in|c|ca)\b[.-]?|[~()?]/g

/**
 * Reads a date such as `19 Jun 1951`, `June 19, 1951`, `Jun 1951`, `1951`, `1951 to 1953`, `1951 or 1952`, `between
 * 1951 and 1953`, `circa 1951` or `1950s`; undefined if it is not a date.
 */
export function readWrittenDate(text: string): string | undefined {
  const plain = text
    .toLowerCase()
    .replaceAll(approximateWords, ' ')
    .replaceAll(/(?<=[a-z])\./g, ' ')
    .replaceAll(/[\s,]+/g, ' ')
    .trim()
  const decade = /^((?:1[89]|20)\d)0'?s$/.exec(plain)?.[1]
  if (decade !== undefined) return `${decade}0/${decade}9`
  const range = new RegExp(`^(?:.* )?(${year})(?: to | and | or | ?[-–/] ?)(?:.* )?(${year})$`).exec(plain)
  if (range) return formatYearRange(range[1] ?? '', range[2] ?? '')
  const monthRange = new RegExp(`^[a-z]+(?: ?[-–/] ?| to | or )[a-z]+ (${year})$`).exec(plain)
  if (monthRange) return monthRange[1]
  const match =
    new RegExp(String.raw`^(?:(?<day>\d{1,2})[ -])?(?:(?<month>[a-z]{3})[a-z]*[ -])?(?<year>${year})$`).exec(plain) ??
    new RegExp(String.raw`^(?<month>[a-z]{3})[a-z]* (?<day>\d{1,2}) (?<year>${year})$`).exec(plain)
  if (!match) return readIsoDate(plain)
  const { day, month = '', year: found = '' } = match.groups ?? {}
  return formatKnownDate(found, months.indexOf(month) + 1, day)
}

/** Returns a range of two years in order, or one year if they are equal. */
function formatYearRange(a: string, b: string): string {
  const [first, last] = a < b ? [a, b] : [b, a]
  return first === last ? first : `${first}/${last}`
}

/** Returns a date without an unknown or invalid month or day. */
function formatKnownDate(yearText: string, month: number, day: string | undefined): string {
  if (month < 1 || month > 12) return yearText
  const date = `${yearText}-${padTwoDigits(String(month))}`
  const isDay = day !== undefined && /^(?:0?[1-9]|[12]\d|3[01])$/.test(day)
  // `Date` moves a day that the month lacks to the next month.
  return isDay && new Date(`${date}-${padTwoDigits(day)}`).toISOString().startsWith(date)
    ? `${date}-${padTwoDigits(day)}`
    : date
}

/** Reads a date such as `19/06/1951`, with `dd` or `mm` for unknown parts, or a date of `readWrittenDate`. */
export function readSlashDate(text: string): string | undefined {
  const match = new RegExp(String.raw`^(?:([\d]{1,2}|[a-z]{2})[/.-]([\d]{1,2}|[a-z]{2})[/.-])?(${year})$`).exec(
    text.trim().toLowerCase(),
  )
  if (!match) return readWrittenDate(text)
  const [, day = '', month = '', found = ''] = match
  return formatKnownDate(found, /^\d+$/.test(month) ? Number(month) : 0, day) // not money: a month
}

/** Reads an ISO date, without time and unknown parts: `1951-00-00` becomes `1951`. */
export function readIsoDate(text: string): string | undefined {
  const [, found, month = '', day] =
    new RegExp(String.raw`^(${year})(?:[-.](\d\d?)(?:[-.](\d\d?))?)?`).exec(text.trim()) ?? []
  return found === undefined ? undefined : formatKnownDate(found, Number(month), day) // not money: a month
}

/** Returns a range of years; one year if they are equal or only one is given. */
export function yearRange(from: string, to: string): string | undefined {
  const [first, last] = [readIsoDate(from), readIsoDate(to)].map((date) => date?.slice(0, 4))
  return first === undefined || last === undefined ? (first ?? last) : formatYearRange(first, last)
}

/** Parses a publisher's timestamp; undefined if it is invalid. */
export function readMoment(text: string | undefined): Date | undefined {
  const date = text ? new Date(text) : undefined
  return date && !Number.isNaN(date.getTime()) ? date : undefined
}
