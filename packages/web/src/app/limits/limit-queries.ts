import { queryOptions } from '@tanstack/react-query'
import { type Limit, type Limits, type MetLimit, userLimits } from '@tern/contract/limits'
import { type OwnRate, worthIn } from '@tern/contract/protocol/own-worth'
import { type Money, money, parseDecimal, toDecimal } from '@tern/money/money'
import { convert } from '@tern/money/rate'
import { inverse, parseRatio } from '@tern/money/ratio'
import { limits as texts } from '#messages/identity/limits.ts'
import { daysAgo, formatDate, formatMoney, formatTime } from '../../ui/format/format.ts'
import { callApi } from '../session/session.ts'

export const limitsKey = (userId: number) => ['limits', userId] as const

/** The person's limits. What they move elsewhere changes them, so they are never taken from before. */
export const limitsQuery = (userId: number) =>
  queryOptions({
    queryKey: limitsKey(userId),
    queryFn: ({ signal }) => callApi(userLimits, {}, signal),
    staleTime: 0,
  })

/** Puts US dollars into words: exactly, or about their worth in the person's own currency. */
export type Say = (dollars: string) => string

export const sayIn =
  (own: OwnRate | null): Say =>
  (dollars) =>
    own ? texts.about(formatMoney(worthIn(own, dollars), own.currency)) : formatMoney(dollars, 'USD')

/** What is left of a limit that was met, in words. */
export const sayLeft = ({ left, about }: MetLimit): string =>
  about ? texts.about(formatMoney(about.left ?? '0', about.currency)) : formatMoney(left ?? '0', 'USD')

/** US dollar cents of an amount in the person's own currency; rounded up, so that it is stated as it was entered. */
export const centsOf = (amount: Money, own: OwnRate | null): bigint =>
  own ? convert(amount, 'USD', inverse(parseRatio(own.rate)), 'up').minor : amount.minor

export const cents = (amount: string): bigint => parseDecimal('USD', amount).minor

export const ofCents = (minor: bigint): string => toDecimal(money('USD', minor))

/** "today at 6:00 PM", "tomorrow at 1:00 AM" or "on Nov 24 at 3:10 PM", where the person is. */
export function whenAhead(moment: string, now: Date = new Date()): string {
  const time = formatTime(moment)
  const days = -daysAgo(moment, now)
  if (days === 0) return texts.today(time)
  return days === 1 ? texts.tomorrow(time) : texts.onDay(formatDate(moment, now), time)
}

type Kind = Pick<Limit, 'direction' | 'period' | 'own'>

/** The limit of a direction and a period over all methods, the product's or the person's own. */
export const limitOf = ({ limits }: Limits, { direction, period, own }: Kind): Limit | undefined =>
  limits.find(
    (one) =>
      one.method === null &&
      one.direction === direction &&
      one.period === period &&
      one.own === own &&
      one.max !== null,
  )

/** When as much as this (US dollar cents) is free of a limit; undefined where it never is. */
export function freeFrom({ max, left, comes_back: back }: Limit, wanted: bigint): string | undefined {
  if (max === null || left === null || wanted > cents(max)) return undefined
  let free = cents(left)
  for (const { at, amount } of back) {
    free += cents(amount)
    if (free >= wanted) return at
  }
  return undefined
}
