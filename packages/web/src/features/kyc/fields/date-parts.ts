export interface DateParts {
  readonly year: string
  readonly month: string
  readonly day: string
}
export type DatePart = keyof DateParts

const isPart = (name: string): name is DatePart => name === 'year' || name === 'month' || name === 'day'

export const getPartOrder = (locale: string): DatePart[] =>
  new Intl.DateTimeFormat(locale, { year: 'numeric', month: '2-digit', day: '2-digit' })
    .formatToParts(0)
    .flatMap(({ type }) => (isPart(type) ? [type] : []))

/** "1990-02-03" from its parts. An incomplete date keeps the given parts: "1990--03". Empty without any. */
export function joinDate({ year, month, day }: DateParts): string {
  const twoDigits = (part: string) => (part === '' ? '' : part.padStart(2, '0'))
  const paddedParts = [year, twoDigits(month), twoDigits(day)]
  return paddedParts.every((part) => part === '') ? '' : paddedParts.join('-')
}

export function splitDate(date: string): DateParts {
  const [year = '', month = '', day = ''] = date.split('-')
  return { year, month, day }
}

/**
 * Parses a full date as pasted or autofilled: "1990-02-03", "03/02/1990", "3.2.1990" or "03021990". The year comes
 * first or last, day and month follow `order` unless only the reverse is valid. Undefined for other text.
 */
export function readDate(text: string, order: readonly DatePart[]): DateParts | undefined {
  const parsed = parseDateParts(text.trim())
  if (!parsed) return undefined
  const { year, rest } = parsed
  const [first, second] = rest
  const isMonthFirst = parsed.isYearFirst || order.indexOf('month') < order.indexOf('day')
  const [month, day] = isMonthFirst ? [first, second] : [second, first]
  // not money: a month
  return Number(month) > 12 && Number(day) <= 12 ? { year, month: day, day: month } : { year, month, day }
}

interface ParsedDate {
  readonly year: string
  readonly rest: readonly [string, string]
  readonly isYearFirst: boolean
}

function parseDateParts(text: string): ParsedDate | undefined {
  const dateText = text.replace(/T.*$/, '')
  const [, year, firstPart, secondPart] =
    /^(\d{4})[-/. ]+(\d{1,2})[-/. ]+(\d{1,2})$/.exec(dateText) ?? /^((?:19|20)\d\d)(\d\d)(\d\d)$/.exec(dateText) ?? []
  if (year && firstPart && secondPart) return { year, rest: [firstPart, secondPart], isYearFirst: true }
  const [, first, second, lastPart] =
    /^(\d{1,2})[-/. ]+(\d{1,2})[-/. ]+(\d{4})$/.exec(dateText) ?? /^(\d\d)(\d\d)(\d{4})$/.exec(dateText) ?? []
  return first && second && lastPart ? { year: lastPart, rest: [first, second], isYearFirst: false } : undefined
}
