// Calendar days of a time zone, as texts such as 2026-11-30, which compare like the days.

const formatters = new Map<string, Intl.DateTimeFormat>()

function formatterOf(timeZone: string): Intl.DateTimeFormat {
  const known = formatters.get(timeZone)
  if (known) return known
  const formatter = new Intl.DateTimeFormat('en-CA', { timeZone, year: 'numeric', month: '2-digit', day: '2-digit' })
  formatters.set(timeZone, formatter)
  return formatter
}

/** Returns the day of an instant in a time zone. */
export const dayOf = (at: Date, timeZone: string): string =>
  timeZone === 'UTC' ? at.toISOString().slice(0, 10) : formatterOf(timeZone).format(at)

const addDays = (day: string, days: number): string =>
  new Date(Date.parse(day) + days * 86_400_000).toISOString().slice(0, 10)

export const dayAfter = (day: string): string => addDays(day, 1)

/** Returns the last day of the month of `day`. */
export function endOfMonth(day: string): string {
  const [year = '', month = ''] = day.split('-')
  return new Date(Date.UTC(Number(year), Number(month), 0)).toISOString().slice(0, 10) // not money: a year and a month
}
