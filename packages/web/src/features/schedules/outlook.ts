// Projected balance from scheduled sends.

import type { CurrencyCode } from '@tern/money/currency'
import { type Money, money, parseDecimal, subtract, toDecimal } from '@tern/money/money'
import type { ScheduledSends } from './schedule-queries.ts'

type UpcomingSend = ScheduledSends['coming'][number]

export interface OutlookDay {
  readonly date: string
  /** Whole days from today. */
  readonly day: number
  readonly sends: readonly UpcomingSend[]
  /** Outgoing total of the day, and the balance after it. */
  readonly total: string
  readonly balanceAfter: string
  /** Amount missing for the first send that cannot be paid. */
  readonly shortfall: string | undefined
}

export interface Outlook {
  readonly balance: string
  readonly total: string
  readonly days: readonly OutlookDay[]
  readonly length: number
}

const dayMs = 86_400_000
const daysBetween = (from: string, to: string): number => (Date.parse(to) - Date.parse(from)) / dayMs

/** Days with outgoing sends from one balance, up to the last day that the server projects. */
export function computeOutlook(
  { coming, coming_until: until }: Pick<ScheduledSends, 'coming' | 'coming_until'>,
  currency: CurrencyCode,
  available: string,
): Outlook {
  const weeks = 5
  const today = new Date(Date.parse(until) - weeks * 7 * dayMs).toISOString().slice(0, 10)
  const dates = Map.groupBy(
    coming.filter((send) => send.currency === currency),
    ({ date }) => date,
  )
  let remaining: Money = parseDecimal(currency, available)
  let totalDue = money(currency, 0n)
  const days = [...dates].map(([date, sends]): OutlookDay => {
    let total = money(currency, 0n)
    for (const send of sends) {
      const cost = parseDecimal(currency, send.total ?? '0')
      total = money(currency, total.minor + cost.minor)
      // An unaffordable send waits, so later ones can use the balance.
      if (send.missing === null) remaining = subtract(remaining, cost)
    }
    totalDue = money(currency, totalDue.minor + total.minor)
    const shortfall = sends.find((send) => send.missing !== null)?.missing ?? undefined
    return {
      date,
      day: daysBetween(today, date),
      sends,
      total: toDecimal(total),
      balanceAfter: toDecimal(remaining),
      shortfall,
    }
  })
  return { balance: available, total: toDecimal(totalDue), days, length: weeks * 7 }
}
