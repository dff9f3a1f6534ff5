import { type Limit, type Limits, type ExceededLimit, userLimits } from '@tern/contract/limits'
import { type HolderRate, convertDollars } from '@tern/contract/protocol/holder-rate'
import { type Money, money, parseDecimal, toDecimal } from '@tern/money/money'
import { convert } from '@tern/money/rate'
import { inverse, parseRatio } from '@tern/money/ratio'
import { limits as texts } from '#messages/identity/limits.ts'
import { daysAgo, formatDate, formatMoney, formatTime } from '../../ui/format/format.ts'
import { buildQuery } from '../session/query.ts'

/** The person's limits. Activity elsewhere changes them, so they are always refetched. */
export const limitsQuery = (userId: number | undefined) => ({
  ...buildQuery(['limits', userId], userLimits, {}),
  staleTime: 0,
})

/** Formats US dollars: exactly, or as their approximate value in the person's own currency. */
export type FormatDollars = (dollars: string) => string

export const createFormatter =
  (own: HolderRate | null): FormatDollars =>
  (dollars) =>
    own ? texts.about(formatMoney(convertDollars(own, dollars), own.currency)) : formatMoney(dollars, 'USD')

/** Formatted amount that is left of the limit that refused an order. */
export const formatRemaining = ({ left, about }: ExceededLimit): string =>
  about ? texts.about(formatMoney(about.left ?? '0', about.currency)) : formatMoney(left ?? '0', 'USD')

/** US dollar cents of an amount in the person's own currency, rounded up, so that it displays as entered. */
export const toCents = (amount: Money, own: HolderRate | null): bigint =>
  own ? convert(amount, 'USD', inverse(parseRatio(own.rate)), 'up').minor : amount.minor

export const cents = (amount: string): bigint => parseDecimal('USD', amount).minor

export const fromCents = (minor: bigint): string => toDecimal(money('USD', minor))

/** "today at 6:00 PM", "tomorrow at 1:00 AM" or "on Nov 24 at 3:10 PM", in local time. */
export function describeTime(moment: string, now: Date = new Date()): string {
  const time = formatTime(moment)
  const days = -daysAgo(moment, now)
  if (days === 0) return texts.today(time)
  return days === 1 ? texts.tomorrow(time) : texts.onDay(formatDate(moment, now), time)
}

type Kind = Pick<Limit, 'direction' | 'period' | 'own'>

/** Amount limit of a direction and a period over all methods: the product's or the person's own. */
export const findLimit = ({ limits }: Limits, { direction, period, own }: Kind): Limit | undefined =>
  limits.find(
    (limit) =>
      limit.method === null &&
      limit.direction === direction &&
      limit.period === period &&
      limit.own === own &&
      limit.max !== null,
  )

/** Time from which a limit allows `requested` (US dollar cents); undefined if never, or without an amount limit. */
export function findReleaseTime({ max, left, comes_back: releases }: Limit, requested: bigint): string | undefined {
  if (max === null || left === null || requested > cents(max)) return undefined
  let available = cents(left)
  for (const { at, amount } of releases) {
    available += cents(amount)
    if (available >= requested) return at
  }
  return undefined
}
