// Periods of statements: days of a time zone, and the instants at which they begin and end.

import { maxStatementYears } from '@tern/contract/statements'
import { isTimeZone } from '@tern/contract/schedules/time-zones'
import { refuseField } from '../../platform/refuse.ts'

export interface Period {
  /** First and last day, such as 2026-11-30. */
  readonly from: string
  readonly to: string
  readonly timeZone: string
  readonly startsAt: Date
  /** First instant after the period. */
  readonly endsAt: Date
  /** End of the period or, before that, the current time. */
  readonly asOf: Date
  readonly isFinal: boolean
}

export interface PeriodRequest {
  readonly period?: string | undefined
  readonly from?: string | undefined
  readonly to?: string | undefined
  readonly time_zone?: string | undefined
}

/** Time after the end of a period until it is final, in which processes with slower clocks may still post into it. */
const graceMs = 10 * 60_000
/** Farthest distance of a zone from UTC, with a margin. */
const maxOffsetMs = 36 * 60 * 60_000

const formatters = new Map<string, Intl.DateTimeFormat>()

function findFormatter(timeZone: string): Intl.DateTimeFormat {
  const known = formatters.get(timeZone)
  if (known) return known
  const formatter = new Intl.DateTimeFormat('en-CA', { timeZone, year: 'numeric', month: '2-digit', day: '2-digit' })
  formatters.set(timeZone, formatter)
  return formatter
}

/** Returns the day of an instant in a time zone. */
export const toDay = (at: Date, timeZone: string): string =>
  timeZone === 'UTC' ? at.toISOString().slice(0, 10) : findFormatter(timeZone).format(at)

export const addDays = (day: string, days: number): string =>
  new Date(Date.parse(day) + days * 86_400_000).toISOString().slice(0, 10)

/** Returns the first instant of a day in a time zone; of a day that the zone left out, the first instant after it. */
export function findDayStart(day: string, timeZone: string): Date {
  const midnight = Date.parse(day)
  if (timeZone === 'UTC') return new Date(midnight)
  let [low, high] = [midnight - maxOffsetMs, midnight + maxOffsetMs]
  while (low < high) {
    const middle = Math.floor((low + high) / 2) // not money: milliseconds
    if (toDay(new Date(middle), timeZone) >= day) high = middle
    else low = middle + 1
  }
  return new Date(low)
}

const lastOfMonth = (year: string, month: string): string =>
  new Date(Date.UTC(Number(year), Number(month), 0)).toISOString().slice(0, 10) // not money: a year and a month

/** Returns the first and the last day of a month (2026-11), quarter (2026-Q4) or year (2026). */
export function toDays(period: string): readonly [from: string, to: string] {
  const [year = '', part] = period.split('-')
  if (part === undefined) return [`${year}-01-01`, `${year}-12-31`]
  if (!part.startsWith('Q')) return [`${year}-${part}-01`, lastOfMonth(year, part)]
  const last = Number(part.slice(1)) * 3 // not money: a month
  const twoDigits = (month: number) => String(month).padStart(2, '0')
  return [`${year}-${twoDigits(last - 2)}-01`, lastOfMonth(year, twoDigits(last))]
}

function readDays({ period, from, to }: PeriodRequest): readonly [from: string, to: string] {
  if (period !== undefined) return toDays(period)
  if (from === undefined) return refuseField('invalid_request', 'from', 'period_missing')
  return [from, to ?? refuseField('invalid_request', 'to', 'period_missing')]
}

/**
 * Resolves the period of a request. Refuses `invalid_request` for an unknown time zone, and a period that is reversed,
 * too long or has not begun.
 */
export function resolvePeriod(request: PeriodRequest, now: Date): Period {
  const timeZone = request.time_zone ?? 'UTC'
  if (!isTimeZone(timeZone)) refuseField('invalid_request', 'time_zone', 'invalid_time_zone')
  const [from, to] = readDays(request)
  const field = request.period === undefined ? 'to' : 'period'
  if (to < from) refuseField('invalid_request', field, 'period_reversed')
  const longest = `${String(Number(from.slice(0, 4)) + maxStatementYears).padStart(4, '0')}${from.slice(4)}` // not money: a year
  if (to > longest)
    refuseField('invalid_request', field, { code: 'period_too_long', params: { years: maxStatementYears } })
  const startsAt = findDayStart(from, timeZone)
  if (startsAt.getTime() > now.getTime())
    refuseField('invalid_request', request.period === undefined ? 'from' : 'period', 'period_not_begun')
  const endsAt = findDayStart(addDays(to, 1), timeZone)
  const isFinal = endsAt.getTime() + graceMs <= now.getTime()
  return { from, to, timeZone, startsAt, endsAt, asOf: isFinal ? endsAt : now, isFinal }
}
