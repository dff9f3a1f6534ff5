import { type LimitRow, usageDay, type DailyUsage } from './limits.ts'

const dayMs = 86_400_000

interface FreedRoom {
  /** ISO 8601 time from which the movements of a day no longer count. */
  readonly at: string
  readonly usdMinor: bigint
  readonly movements: number
}

/**
 * Returns when used parts of a limit become free, by day, earliest first. Daily limits: at the next midnight UTC.
 * 30-day limits: at midnight 30 days after the day of the movement. Limits per payment are not used up.
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

/**
 * Returns the sign with which a day's usage counts against a limit. Sends are all outgoing money minus exchanges and
 * payouts.
 */
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
