import { type LimitRow, usageDay, type DailyUsage } from './limits.ts'

const dayMs = 86_400_000

interface FreedRoom {
  /** Time from which a day's movements no longer count, in ISO format. */
  readonly at: string
  readonly usdMinor: bigint
  readonly movements: number
}

/**
 * Returns when used parts of a limit become free again, by day, earliest first: for a daily limit at the next midnight
 * (UTC), for a 30-day limit at midnight 30 days after the day of the movement. A limit per payment is never used up.
 */
export function forecastFreedRoom(
  { direction, method, period }: Pick<LimitRow, 'direction' | 'method' | 'period'>,
  days: readonly DailyUsage[],
  at: Date,
): FreedRoom[] {
  const today = usageDay(at)
  const countedDays = period === '30_days' ? days : period === 'day' ? days.filter(({ day }) => day === today) : []
  const lengthMs = period === '30_days' ? 30 * dayMs : dayMs
  const usedByDay = new Map<string, { usdMinor: bigint; movements: number }>()
  for (const usage of countedDays) {
    const sign = determineSign(usage, direction, method)
    if (sign === 0) continue
    const daySoFar = usedByDay.get(usage.day) ?? { usdMinor: 0n, movements: 0 }
    usedByDay.set(usage.day, {
      usdMinor: daySoFar.usdMinor + BigInt(sign) * usage.usdMinor,
      movements: daySoFar.movements + sign * usage.movements,
    })
  }
  return [...usedByDay]
    .filter(([, { usdMinor, movements }]) => usdMinor > 0n || movements > 0)
    .map(([day, { usdMinor, movements }]) => ({
      at: new Date(Date.parse(day) + lengthMs).toISOString(),
      usdMinor,
      movements,
    }))
}

/** Sign with which a day's row counts against a limit. Sends are all outgoing money less exchanges and payouts. */
function determineSign(
  { method: usedMethod }: DailyUsage,
  direction: LimitRow['direction'],
  method: LimitRow['method'],
): number {
  if (method === 'transfer')
    return usedMethod === null ? 1 : usedMethod === 'exchange' || usedMethod === 'payout' ? -1 : 0
  if (method !== null) return usedMethod === method ? 1 : 0
  if (direction === 'out') return usedMethod === null ? 1 : 0
  return usedMethod === 'card' || usedMethod === 'bank' ? 1 : 0
}
