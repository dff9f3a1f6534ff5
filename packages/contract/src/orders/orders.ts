import * as z from 'zod/mini'
import { endpoint } from '../protocol/endpoint.ts'
import { amountInput, currency, decimal, moment, rateInput, uuid } from '../protocol/wire.ts'

/** `limit`: exchanged at the order's rate or a better one. `stop`: once the rate has become as bad as the order says. */
export const orderKind = z.enum(['limit', 'stop'])
export type OrderKind = z.output<typeof orderKind>

/**
 * `open`: it waits for its rate. `in_review`: its rate came, and the exchange is held until somebody decides about it; its
 * price stays. `filled`: exchanged. `cancelled`, `rejected` in review, `expired`: what was on hold is in the wallet again.
 */
export const orderState = z.enum(['open', 'in_review', 'filled', 'cancelled', 'rejected', 'expired'])

/** On which side of a rate something happens. */
export const rateSide = z.enum(['at_least', 'at_most'])

/**
 * An order to exchange `amount`, whole or not at all. All its rates are whole units of the other currency for one of
 * `rate_currency`, which is either of the two.
 */
export const orderShape = z.object({
  id: uuid,
  kind: orderKind,
  state: orderState,
  source_currency: currency,
  target_currency: currency,
  /** What is exchanged, without the fee. */
  amount: decimal,
  rate_currency: currency,
  /** The rate from which on it is filled. */
  rate: decimal,
  rate_side: rateSide,
  /** The worst rate it is filled at, all but the fee included; `rate` itself of a limit order. */
  worst_rate: decimal,
  /** What arrives at least when it is filled. */
  minimum_target_amount: decimal,
  /** What the fee is at most, in the source currency. */
  fee: decimal,
  fee_basis_points: z.int(),
  /** What is on hold for it, fee included; nothing once it has ended. */
  on_hold: decimal,
  expires_at: moment,
  /** The rate of now, less the spread; null while it is not known or too old, and orders of these currencies are paused. */
  rate_now: z.nullable(decimal),
  /** How far `rate` is from the rate of now, in percent of that, with a sign where it is below. */
  distance_percent: z.nullable(decimal),
  /** Why it was not filled although its rate had come; null while nothing else stands in its way. */
  waiting: z.nullable(
    z.object({
      /** `worst_rate`: what would have arrived was too little. Otherwise the code of a refusal, such as `limit_exceeded`. */
      reason: z.string(),
      /** The same in a sentence. */
      reason_text: z.string(),
      since: moment,
    }),
  ),
  filled: z.nullable(
    z.object({
      at: moment,
      target_amount: decimal,
      /** What the order was filled at; and whether more arrived than it asked for. */
      rate: decimal,
      is_better: z.boolean(),
      fee: decimal,
      /** The price it was filled at, as a quote of that moment. */
      quote_id: uuid,
    }),
  ),
  /** The exchange in the list of transactions: pending while it waits. */
  transaction_id: uuid,
  created_at: moment,
  /** When it was last changed by its owner; null when never. */
  edited_at: z.nullable(moment),
  ended_at: z.nullable(moment),
})
export type Order = z.output<typeof orderShape>

const pageQuery = z.object({
  /** `next_cursor` of the page before. */
  cursor: z.optional(uuid),
})

export const orders = endpoint({
  method: 'GET',
  path: '/orders',
  summary:
    "The caller's exchange orders: all that are open, those that expire first in front, and those that ended, the latest first, 20 at a time.",
  access: 'session',
  query: pageQuery,
  reply: z.object({
    /** Open and in review. On the first page only. */
    open: z.array(orderShape),
    history: z.array(orderShape),
    /** Null on the last page. */
    next_cursor: z.nullable(uuid),
    /** How many orders of one person can be open. */
    most_open: z.int(),
  }),
})

const orderParams = z.object({ id: uuid })

export const order = endpoint({
  method: 'GET',
  path: '/orders/:id',
  summary: "How one of the caller's exchange orders stands.",
  access: 'session',
  params: orderParams,
  reply: orderShape,
  refusals: ['not_found'],
})

const terms = {
  /** What is exchanged, without the fee; in the source currency. */
  amount: amountInput,
  rate: rateInput,
  /** Only of a stop order: 1 % worse than `rate` unless given. */
  worst_rate: z.optional(rateInput),
  /** Within a year. In 30 days unless given; when an order is changed, it stays unless given. */
  expires_at: z.optional(moment),
}

export const newOrder = z.object({
  kind: orderKind,
  source_currency: currency,
  target_currency: currency,
  /** The source currency unless given. */
  rate_currency: z.optional(currency),
  ...terms,
})
export type NewOrder = z.output<typeof newOrder>

export const changedOrder = z.object(terms)
export type ChangedOrder = z.output<typeof changedOrder>

export const placeOrder = endpoint({
  method: 'POST',
  path: '/orders',
  summary:
    'Exchange between two balances of the own wallet once the rate is good enough (limit), or has become bad enough (stop). Amount and fee are on hold until it is filled, expires or is canceled.',
  access: 'session',
  body: newOrder,
  idempotencyKey: 'required',
  status: 201,
  reply: orderShape,
  refusals: [
    'verification_required',
    'currency_not_held',
    'insufficient_funds',
    'amount_too_small',
    'too_many_orders',
    'rate_limited',
  ],
})

export const editOrder = endpoint({
  method: 'PUT',
  path: '/orders/:id',
  summary:
    'Change amount, rate and expiry of an open order, all at once. Refused with `order` as it is when it has ended before.',
  access: 'session',
  params: orderParams,
  body: changedOrder,
  idempotencyKey: 'required',
  reply: orderShape,
  refusals: [
    'verification_required',
    'not_found',
    'order_filled',
    'order_not_open',
    'insufficient_funds',
    'amount_too_small',
    'rate_limited',
  ],
})

export const cancelOrder = endpoint({
  method: 'POST',
  path: '/orders/:id/cancel',
  summary:
    'Cancel an order that is open or in review; what was on hold is in the wallet again. The same again answers the same. Refused with `order` as it is when it has ended otherwise.',
  access: 'session',
  params: orderParams,
  reply: orderShape,
  refusals: ['not_found', 'order_filled', 'order_not_open', 'rate_limited'],
})
