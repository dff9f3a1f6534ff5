import { type LimitRow, usageDay, type UsedDay } from './limits.ts'

const dayMs = 86_400_000

interface ComesBack {
  /** When a day's movements no longer count, as an ISO moment. */
  readonly at: string
  readonly usdMinor: bigint
  readonly movements: number
}

/**
 * When what is used of a limit is free again, day by day, the earliest first: of a day's limit at the next midnight (UTC), of
 * one of 30 days at the midnight 30 days after the movement's day began. Nothing is used of a limit of one payment.
 */
export function forecastRoom(
  { direction, method, period }: Pick<LimitRow, 'direction' | 'method' | 'period'>,
  days: readonly UsedDay[],
  at: Date,
): ComesBack[] {
  const today = usageDay(at)
  const counted = period === '30_days' ? days : period === 'day' ? days.filter(({ day }) => day === today) : []
  const lengthMs = period === '30_days' ? 30 * dayMs : dayMs
  const found = new Map<string, { usdMinor: bigint; movements: number }>()
  for (const one of counted) {
    const sign = countingSign(one, direction, method)
    if (sign === 0) continue
    const before = found.get(one.day) ?? { usdMinor: 0n, movements: 0 }
    found.set(one.day, {
      usdMinor: before.usdMinor + BigInt(sign) * one.usdMinor,
      movements: before.movements + sign * one.movements,
    })
  }
  return [...found]
    .filter(([, { usdMinor, movements }]) => usdMinor > 0n || movements > 0)
    .map(([day, { usdMinor, movements }]) => ({
      at: new Date(Date.parse(day) + lengthMs).toISOString(),
      usdMinor,
      movements,
    }))
}

/** Sign with which a day's row counts against a limit. Sends are all that left less exchanges and payouts. */
function countingSign({ method: of }: UsedDay, direction: LimitRow['direction'], method: LimitRow['method']): number {
  if (method === 'transfer') return of === null ? 1 : of === 'exchange' || of === 'payout' ? -1 : 0
  if (method !== null) return of === method ? 1 : 0
  if (direction === 'out') return of === null ? 1 : 0
  return of === 'card' || of === 'bank' ? 1 : 0
}
