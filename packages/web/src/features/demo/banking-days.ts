/** Days of the week are numbered from Monday = 0. */
export const isWeekend = (day: number) => day % 7 >= 5

const nextBusinessDay = (day: number): number => (isWeekend(day + 1) ? nextBusinessDay(day + 1) : day + 1)

export interface Arrival {
  readonly earliest: number
  readonly latest: number
}

/**
 * Arrival of a withdrawal requested on this day before cut-off: 1 to 3 business days later, counted from the next
 * business day at weekends. Days after Sunday continue from 7.
 */
export function computeArrival(requestDay: number): Arrival {
  const start = isWeekend(requestDay) ? nextBusinessDay(requestDay) : requestDay
  const earliest = nextBusinessDay(start)
  return { earliest, latest: nextBusinessDay(nextBusinessDay(earliest)) }
}
