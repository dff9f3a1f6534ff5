// Dates of a schedule, as calendar dates without a time zone.

import type { Recurrence } from '@tern/contract/schedules/schedules'

/** Dates of a schedule; `anchorOn` is the first. */
export interface Dates {
  readonly recurrence: Recurrence
  readonly anchorOn: string
}

const dayMs = 86_400_000
const daysApart: Partial<Record<Recurrence, number>> = { weekly: 7, biweekly: 14 }

const formatDate = (ms: number): string => new Date(ms).toISOString().slice(0, 10)
const parseDate = (date: string): number => Date.parse(`${date}T00:00:00Z`)

export const addDays = (date: string, days: number): string => formatDate(parseDate(date) + days * dayMs)

const toMonthIndex = (date: string): number => {
  const at = new Date(parseDate(date))
  return at.getUTCFullYear() * 12 + at.getUTCMonth()
}

/** Returns this day of a month, or the last day of a shorter month. */
function toDateInMonth(month: number, day: number): string {
  const last = new Date(Date.UTC(0, 0, 1))
  last.setUTCFullYear((month - (month % 12)) / 12, (month % 12) + 1, 0)
  last.setUTCDate(Math.min(day, last.getUTCDate()))
  return formatDate(last.getTime())
}

/** Returns the same day some months later, or the last day of a shorter month. */
export const addMonths = (date: string, months: number): string =>
  toDateInMonth(toMonthIndex(date) + months, new Date(parseDate(date)).getUTCDate())

/** Returns the anchor for a first date: for `month_end` the last day of its month. */
export const computeAnchor = (recurrence: Recurrence, date: string): string =>
  recurrence === 'month_end' ? toDateInMonth(toMonthIndex(date), 31) : date

/** Returns the first date after `after`; undefined if there is none. Shorter months use their last day. */
export function computeNextDate({ recurrence, anchorOn }: Dates, after: string): string | undefined {
  if (anchorOn > after) return anchorOn
  if (recurrence === 'once') return undefined
  const intervalDays = daysApart[recurrence]
  if (intervalDays !== undefined) {
    const days = (parseDate(after) - parseDate(anchorOn)) / dayMs
    return addDays(anchorOn, days - (days % intervalDays) + intervalDays)
  }
  const day = recurrence === 'month_end' ? 31 : new Date(parseDate(anchorOn)).getUTCDate()
  const dateInMonth = toDateInMonth(toMonthIndex(after), day)
  return dateInMonth > after ? dateInMonth : toDateInMonth(toMonthIndex(after) + 1, day)
}

/** Returns all dates from `from` to `to`, inclusive. */
export function datesBetween(dates: Dates, from: string, to: string): string[] {
  const found: string[] = []
  let date = computeNextDate(dates, addDays(from, -1))
  while (date !== undefined && date <= to) {
    found.push(date)
    date = computeNextDate(dates, date)
  }
  return found
}
