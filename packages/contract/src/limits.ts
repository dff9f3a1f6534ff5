import * as z from 'zod/mini'
import { kycStatusValue } from './identity.ts'
import { endpoint } from './protocol/endpoint.ts'
import { amountInput, baseCurrency, decimal, moment } from './protocol/wire.ts'

/** `out`: what leaves, to other people, into cryptocurrency, or to a bank. `in`: what is pulled from a card or a bank. */
export const limitDirection = z.enum(['out', 'in'])
/** How it moves. `transfer`, `exchange` and `payout` go out; `card` and `bank` come in. */
export const limitMethod = z.enum(['transfer', 'exchange', 'payout', 'card', 'bank'])
/** One payment, a day (UTC), or a day and the 29 before it. */
export const limitPeriod = z.enum(['payment', 'day', '30_days'])
const ownPeriod = z.enum(['day', '30_days'])

/** A part of what is used of a limit, and when it no longer counts. */
const comesBackShape = z.object({ at: moment, amount: decimal, movements: z.int() })

/** About the same at the day's rate, rounded down to three figures; null where the person's own currency is the US dollar. */
const aboutShape = z.nullable(z.object({ currency: baseCurrency, max: z.nullable(decimal), left: z.nullable(decimal) }))

/** One limit with what is used and left of it. Amounts are in US dollars, in `about` in the person's own currency. */
export const limitShape = z.object({
  direction: limitDirection,
  /** Null: all methods of the direction together. */
  method: z.nullable(limitMethod),
  period: limitPeriod,
  /** Set by the person, not by the product. */
  own: z.boolean(),
  /** Null: only the number of movements is limited. */
  max: z.nullable(decimal),
  used: decimal,
  left: z.nullable(decimal),
  max_movements: z.nullable(z.int()),
  used_movements: z.int(),
  left_movements: z.nullable(z.int()),
  about: aboutShape,
  /** When what is used is free again, part by part, the earliest first. */
  comes_back: z.array(comesBackShape),
})
export type Limit = z.output<typeof limitShape>

/** Null: no limit of the person's own. */
const ownLimitShape = z.object({
  direction: limitDirection,
  period: ownPeriod,
  max: z.nullable(decimal),
  /** A raise that waits. */
  next: z.nullable(z.object({ max: z.nullable(decimal), at: moment })),
})
export type OwnLimit = z.output<typeof ownLimitShape>

const limitsShape = z.object({
  currency: z.literal('USD'),
  /** The person's own currency, and what a US dollar is worth in it; null where it is the dollar, or no rate is known. */
  own_rate: z.nullable(z.object({ currency: baseCurrency, rate: decimal })),
  /** The product's limits follow from these two: how far the verification is, and where the person lives. */
  verification_state: kycStatusValue,
  /** As the verification form names it; null until the person is verified. */
  country: z.nullable(z.string()),
  limits: z.array(limitShape),
  own: z.array(ownLimitShape),
})
export type Limits = z.output<typeof limitsShape>

/** The limit that refused a movement, in the problem's `limit`: what stands in the list, and what was asked for. */
export const metLimitShape = z.object({
  direction: limitDirection,
  method: z.nullable(limitMethod),
  period: limitPeriod,
  own: z.boolean(),
  max: z.nullable(decimal),
  left: z.nullable(decimal),
  about: aboutShape,
  /** What the refused movement would have counted. */
  asked: decimal,
})
export type MetLimit = z.output<typeof metLimitShape>

export const userLimits = endpoint({
  method: 'GET',
  path: '/user/limits',
  summary:
    "The caller's limits and why they apply, what is used, left and free again when, and those that the caller set.",
  access: 'session',
  reply: limitsShape,
})

export const setOwnLimit = endpoint({
  method: 'PUT',
  path: '/user/limits',
  summary:
    'Set a lower limit of one’s own, in US dollars; null takes it away. Lowering holds at once. Raising needs a fresh confirmation and holds after 24 hours.',
  access: 'session',
  body: z.object({ direction: limitDirection, period: ownPeriod, max: z.nullable(amountInput) }),
  stepUp: 'accepted',
  reply: limitsShape,
  refusals: ['rate_limited'],
})
