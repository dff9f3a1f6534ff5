import * as z from 'zod/mini'
import { kycStatusValue } from './identity.ts'
import { endpoint } from './protocol/endpoint.ts'
import { amountInput, baseCurrency, decimal, moment } from './protocol/wire.ts'

/**
 * `out`: money leaving to other people, into cryptocurrency, or to a bank. `in`: money pulled from a card or a bank.
 */
export const limitDirection = z.enum(['out', 'in'])
/** Payment method. `transfer`, `exchange` and `payout` are outgoing; `card` and `bank` are incoming. */
export const limitMethod = z.enum(['transfer', 'exchange', 'payout', 'card', 'bank'])
/** One payment, one UTC day, or 30 UTC days including the current one. */
export const limitPeriod = z.enum(['payment', 'day', '30_days'])
const holderPeriod = z.enum(['day', '30_days'])

/** Part of the used amount, and the time at which it no longer counts. */
const releaseShape = z.object({ at: moment, amount: decimal, movements: z.int() })

/**
 * Equivalent in the account holder's currency at the day's rate, rounded down to three significant figures; null if
 * that currency is USD, or without a rate.
 */
const equivalentShape = z.nullable(
  z.object({ currency: baseCurrency, max: z.nullable(decimal), left: z.nullable(decimal) }),
)

/** One limit with its used and remaining amounts, in US dollars; `about` is in the account holder's currency. */
export const limitShape = z.object({
  direction: limitDirection,
  /** Null if the limit covers all methods of the direction. */
  method: z.nullable(limitMethod),
  period: limitPeriod,
  /** True if set by the account holder rather than by the product. */
  own: z.boolean(),
  /** Null if only the number of movements is limited. */
  max: z.nullable(decimal),
  used: decimal,
  left: z.nullable(decimal),
  max_movements: z.nullable(z.int()),
  used_movements: z.int(),
  left_movements: z.nullable(z.int()),
  about: equivalentShape,
  /** Amounts that become available again, earliest first. */
  comes_back: z.array(releaseShape),
})
export type Limit = z.output<typeof limitShape>

/** Limit set by the account holder; `max` is null if there is none. */
const holderLimitShape = z.object({
  direction: limitDirection,
  period: holderPeriod,
  max: z.nullable(decimal),
  /** Pending increase. */
  next: z.nullable(z.object({ max: z.nullable(decimal), at: moment })),
})
export type HolderLimit = z.output<typeof holderLimitShape>

const limitsShape = z.object({
  currency: z.literal('USD'),
  /**
   * The account holder's currency, and the value of one US dollar in it; null if it is the dollar, or without a rate.
   */
  own_rate: z.nullable(z.object({ currency: baseCurrency, rate: decimal })),
  /** Determines the product's limits, together with `country`. */
  verification_state: kycStatusValue,
  /** Country name as in the verification form; null before verification. */
  country: z.nullable(z.string()),
  limits: z.array(limitShape),
  own: z.array(holderLimitShape),
})
export type Limits = z.output<typeof limitsShape>

/** Limit that refused a movement, in the problem's `limit`: the exceeded limit, and the requested amount. */
export const exceededLimitShape = z.object({
  direction: limitDirection,
  method: z.nullable(limitMethod),
  period: limitPeriod,
  own: z.boolean(),
  max: z.nullable(decimal),
  left: z.nullable(decimal),
  about: equivalentShape,
  /** Amount in US dollars by which the refused movement would have used the limit. */
  asked: decimal,
})
export type ExceededLimit = z.output<typeof exceededLimitShape>

export const userLimits = endpoint({
  method: 'GET',
  path: '/user/limits',
  summary:
    "The caller's limits with their reasons, usage, rest and the times at which usage expires, and limits that the caller set.",
  access: 'session',
  reply: limitsShape,
})

export const setOwnLimit = endpoint({
  method: 'PUT',
  path: '/user/limits',
  summary:
    'Set a lower personal limit, in US dollars; null removes it. Lowering applies at once. Raising needs a fresh confirmation and applies after 24 hours.',
  access: 'session',
  body: z.object({ direction: limitDirection, period: holderPeriod, max: z.nullable(amountInput) }),
  stepUp: 'accepted',
  reply: limitsShape,
  refusals: ['rate_limited'],
})

/** Schemas of the API reference, by public name. */
export const namedSchemas = {
  Limit: limitShape,
  LimitDirection: limitDirection,
  LimitMethod: limitMethod,
  LimitPeriod: limitPeriod,
}
