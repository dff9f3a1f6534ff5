import { isTimeZone } from '@tern/contract/schedules/time-zones'

/** Month, quarter or year of a time zone, from its first moment to that of the next one. */
export interface Period {
  /** `2026-11`, `2026-Q4` or `2026`. */
  readonly period: string
  readonly from: Date
  readonly to: Date
  readonly timeZone: string
}

/** Returns the limits of a period in a time zone; UTC if the zone is absent or unknown. */
export function findPeriod(period: string, timeZone: string | undefined): Period {
  const zone = timeZone !== undefined && isTimeZone(timeZone) ? timeZone : 'UTC'
  const [year = '', part] = period.split('-')
  const months = part === undefined ? 12n : part.startsWith('Q') ? 3n : 1n
  const first = part === undefined ? 1n : part.startsWith('Q') ? BigInt(part.slice(1)) * 3n - 2n : BigInt(part)
  const monthAfter = (count: bigint) => {
    const index = BigInt(year) * 12n + first - 1n + count
    return `${index / 12n}-${String((index % 12n) + 1n).padStart(2, '0')}`
  }
  return { period, from: monthStart(monthAfter(0n), zone), to: monthStart(monthAfter(months), zone), timeZone: zone }
}

/** Returns the month of a time, such as `2026-11`, on clocks of a time zone. */
export const findMonth = (at: Date, timeZone: string): string => showClock(at.getTime(), timeZone).slice(0, 7)

// The Swedish locale formats dates like ISO 8601.
const showClock = (at: number, timeZone: string): string =>
  new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'medium' }).format(at)

/**
 * Returns the first moment of a month. Where clocks skip midnight it is the first one after, and where they show
 * midnight twice it is the first of both.
 */
function monthStart(month: string, timeZone: string): Date {
  const midnight = Date.parse(`${month}-01T00:00:00Z`)
  const computeOffset = (at: number) => Date.parse(`${showClock(at, timeZone).replace(' ', 'T')}Z`) - at
  const dayMs = 86_400_000
  const starts = [midnight - computeOffset(midnight - dayMs), midnight - computeOffset(midnight + dayMs)]
  const isWithin = (at: number) => showClock(at, timeZone) >= `${month}-01`
  return new Date(Math.min(...starts.filter(isWithin)))
}

/** Returns the lowest id of transactions created at or after a time; ids begin with milliseconds. */
export function lowestId(at: Date): string {
  const hex = at.getTime().toString(16).padStart(12, '0')
  return `${hex.slice(0, 8)}-${hex.slice(8)}-0000-0000-000000000000`
}
