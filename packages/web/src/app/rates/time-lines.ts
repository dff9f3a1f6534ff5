/** Ranges of a rate chart, as the API names them. */
export const rateRanges = ['24h', '7d', '30d', '1y'] as const
export type RateRange = (typeof rateRanges)[number]

/** Every sixth hour of the day, in local time. */
function listHours(from: number, until: number): number[] {
  const start = new Date(from)
  const hours: number[] = []
  // By the clock, not by six hours of time: a clock change would move all later lines.
  for (let hour = Math.ceil((start.getHours() + 1) / 6) * 6; ; hour += 6) {
    const at = new Date(start.getFullYear(), start.getMonth(), start.getDate(), hour).getTime()
    if (at >= until) return hours
    hours.push(at)
  }
}

/** Local midnights of the days that pass `isIncluded`. */
function listDays(from: number, until: number, isIncluded: (day: Date) => boolean): number[] {
  const day = new Date(from)
  day.setHours(0, 0, 0, 0)
  const days: number[] = []
  // By the calendar, not by 24 hours: clock changes make days longer or shorter.
  for (day.setDate(day.getDate() + 1); day.getTime() < until; day.setDate(day.getDate() + 1)) {
    if (isIncluded(day)) days.push(day.getTime())
  }
  return days
}

/** Moments of a chart's vertical lines: every sixth hour, every other day, Mondays, or the first days of quarters. */
export function timeLines(range: RateRange, from: number, until: number): number[] {
  if (range === '24h') return listHours(from, until)
  if (range === '7d') {
    const days = listDays(from, until, () => true)
    return days.filter((_, index) => (days.length - 1 - index) % 2 === 0)
  }
  if (range === '30d') return listDays(from, until, (day) => day.getDay() === 1)
  return listDays(from, until, (day) => day.getDate() === 1 && day.getMonth() % 3 === 0)
}
