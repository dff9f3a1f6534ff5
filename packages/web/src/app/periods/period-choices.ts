import { statements as texts } from '#messages/statements/statements.ts'
import { textLocale } from '../../ui/format/locale.ts'

/** Month, quarter or year, such as 2026-11, or first and last day. */
export type Period = { readonly period: string } | { readonly from: string; readonly to: string }
export type PeriodKind = 'month' | 'quarter' | 'year' | 'custom'
export type NamedKind = Exclude<PeriodKind, 'custom'>

/** Month, quarter or year that contains a day. */
export function nameKind(kind: NamedKind, day: string): string {
  const year = day.slice(0, 4)
  if (kind === 'year') return year
  return kind === 'month' ? day.slice(0, 7) : `${year}-Q${Math.ceil(Number(day.slice(5, 7)) / 3)}` // not money: a month
}

export const findKind = (period: Period): PeriodKind => {
  if (!('period' in period)) return 'custom'
  return period.period.length === 4 ? 'year' : period.period.includes('Q') ? 'quarter' : 'month'
}

const monthsOf: Readonly<Record<NamedKind, number>> = { month: 1, quarter: 3, year: 12 }

/** First and last day of a period. */
export function listDays(period: Period): readonly [from: string, to: string] {
  if (!('period' in period)) return [period.from, period.to]
  const [year, part = ''] = period.period.split('-')
  const kind = findKind(period) as NamedKind
  // not money: months
  const start = kind === 'year' ? 0 : kind === 'quarter' ? (Number(part.slice(1)) - 1) * 3 : Number(part) - 1
  const toIso = (month: number, day: number) => new Date(Date.UTC(Number(year), month, day)).toISOString().slice(0, 10) // not money: a date
  return [toIso(start, 1), toIso(start + monthsOf[kind], 0)]
}

/** Periods of a kind from the day an account began until today, newest first. */
export function listPeriods(kind: NamedKind, since: string, today: string): string[] {
  const periods: string[] = []
  const earliest = nameKind(kind, since)
  for (let period = nameKind(kind, today); period >= earliest; period = stepBack(kind, period)) periods.push(period)
  return periods
}

/** Period of the same kind before this one. */
function stepBack(kind: NamedKind, period: string): string {
  const [first] = listDays({ period })
  return nameKind(kind, new Date(Date.parse(first) - 1).toISOString().slice(0, 10))
}

const inUtc = (options: Intl.DateTimeFormatOptions) =>
  new Intl.DateTimeFormat(textLocale(), { ...options, timeZone: 'UTC' })

/** "November 2026", "Q4 2026", "2026", or "Nov 3 – 17, 2026". */
export function formatPeriod(period: Period): string {
  if (!('period' in period)) return formatDays(period)
  const [year = '', part = ''] = period.period.split('-')
  const kind = findKind(period)
  if (kind === 'year') return year
  if (kind === 'quarter') return texts.quarter(part.slice(1), year)
  return inUtc({ month: 'long', year: 'numeric' }).format(Date.parse(`${period.period}-01`))
}

/** "Nov 1 – 30, 2026". */
export function formatDays(period: Period): string {
  const [from, to] = listDays(period)
  return inUtc({ month: 'short', day: 'numeric', year: 'numeric' }).formatRange(Date.parse(from), Date.parse(to))
}

/** "Central Standard Time", or the name of the zone where the language has none. */
export function formatZone(timeZone: string, at: string): string {
  const parts = new Intl.DateTimeFormat(textLocale(), { timeZone, timeZoneName: 'long' }).formatToParts(new Date(at))
  return parts.find(({ type }) => type === 'timeZoneName')?.value ?? timeZone
}
