// Dates as lists write them, as YYYY, YYYY-MM, YYYY-MM-DD or a range of years YYYY/YYYY.

const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']
const year = String.raw`(?:1[89]|20)\d\d`

const two = (value: string) => value.padStart(2, '0')

/** A date such as `19 Jun 1951`, `Jun 1951`, `1951`, `1951 to 1953` or `circa 1951`; undefined for what is none. */
export function readWrittenDate(text: string): string | undefined {
  const plain = text.toLowerCase().replace('circa', '').trim()
  const range = new RegExp(`^(?:.* )?(${year})(?: to |-)(?:.* )?(${year})$`).exec(plain)
  if (range) return range[1] === range[2] ? range[1] : `${range[1]}/${range[2]}`
  const match = new RegExp(String.raw`^(?:(\d{1,2}) )?(?:([a-z]{3})[a-z]* )?(${year})$`).exec(plain)
  if (!match) return undefined
  const [, day, month = '', found = ''] = match
  const number = months.indexOf(month) + 1
  if (number === 0) return found
  return day ? `${found}-${two(String(number))}-${two(day)}` : `${found}-${two(String(number))}`
}

/** A date such as `19/06/1951`, where a part that is not known is written `dd` or `mm`, or only a year. */
export function readSlashDate(text: string): string | undefined {
  const match = new RegExp(String.raw`^(?:([\d]{1,2}|[a-z]{2}|00)/([\d]{1,2}|[a-z]{2}|00)/)?(${year})$`).exec(
    text.trim().toLowerCase(),
  )
  if (!match) return undefined
  const [, day = '', month = '', found = ''] = match
  const isKnown = (part: string) => /^\d+$/.test(part) && !/^0+$/.test(part)
  if (!isKnown(month)) return found
  return isKnown(day) ? `${found}-${two(month)}-${two(day)}` : `${found}-${two(month)}`
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
