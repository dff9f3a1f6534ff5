import * as z from 'zod/mini'
import { endpoint } from '../protocol/endpoint.ts'
import { amountInput, currency, decimal, moment, rateInput, uuid } from '../protocol/wire.ts'

/**
 * `limit`: exchanges at the order's rate or better. `stop`: exchanges once the rate has worsened to the order's rate.
 */
export const orderKind = z.enum(['limit', 'stop'])
export type OrderKind = z.output<typeof orderKind>

/**
 * `open`: waiting for its rate. `in_review`: the rate was reached, and an operator decides on the exchange at a fixed
 * price. `filled`: exchanged. `cancelled`, `rejected` (in review) and `expired`: the held amount is back in the wallet.
 */
export const orderState = z.enum(['open', 'in_review', 'filled', 'cancelled', 'rejected', 'expired'])

/** Trigger condition: the rate is at least, or at most, the stated rate. */
export const rateSide = z.enum(['at_least', 'at_most'])

/**
 * Order to exchange `amount`, all or nothing. Its rates are whole units of the other currency per unit of
 * `rate_currency`, which is one of the two.
 */
export const orderShape = z.object({
  id: uuid,
  kind: orderKind,
  state: orderState,
  source_currency: currency,
  target_currency: currency,
  /** Amount to exchange, excluding the fee. */
  amount: decimal,
  rate_currency: currency,
  /** Trigger rate. */
  rate: decimal,
  rate_side: rateSide,
  /** Worst acceptable rate, including all costs except the fee; equals `rate` for a limit order. */
  worst_rate: decimal,
  minimum_target_amount: decimal,
  /** Maximum fee, in the source currency. */
  fee: decimal,
  fee_basis_points: z.int(),
  /** Amount on hold, fee included; zero once the order has ended. */
  on_hold: decimal,
  expires_at: moment,
  /** Current rate less the spread; null while unknown or too old, which pauses all orders of the pair. */
  rate_now: z.nullable(decimal),
  /** Distance of `rate` from the current rate, in percent of the current rate; negative if below. */
  distance_percent: z.nullable(decimal),
  /** Obstacle to filling the order although its rate was reached; null if there is none. */
  waiting: z.nullable(
    z.object({
      /** `worst_rate`: too little would have arrived. Otherwise a refusal code such as `limit_exceeded`. */
      reason: z.string(),
      reason_text: z.string(),
      since: moment,
    }),
  ),
  filled: z.nullable(
    z.object({
      at: moment,
      target_amount: decimal,
      /** Effective rate of the fill; `is_better` if more arrived than the order required. */
      rate: decimal,
      is_better: z.boolean(),
      fee: decimal,
      /** Quote made for the fill. */
      quote_id: uuid,
    }),
  ),
  /** Transaction of the exchange; pending until the order ends. */
  transaction_id: uuid,
  created_at: moment,
  /** Time of the owner's last change; null if never changed. */
  edited_at: z.nullable(moment),
  ended_at: z.nullable(moment),
})
export type Order = z.output<typeof orderShape>

const pageQuery = z.object({
  /** `next_cursor` of the previous page. */
  cursor: z.optional(uuid),
})

export const orders = endpoint({
  method: 'GET',
  path: '/orders',
  summary:
    "The caller's exchange orders: all open ones, earliest expiry first, and ended ones, newest first, 20 at a time.",
  access: 'session',
  query: pageQuery,
  reply: z.object({
    /** Open orders and those in review; on the first page only. */
    open: z.array(orderShape),
    history: z.array(orderShape),
    /** Null on the last page. */
    next_cursor: z.nullable(uuid),
    most_open: z.int(),
  }),
})

const orderParams = z.object({ id: uuid })

export const order = endpoint({
  method: 'GET',
  path: '/orders/:id',
  summary: "One of the caller's exchange orders with its status.",
  access: 'session',
  params: orderParams,
  reply: orderShape,
  refusals: ['not_found'],
})

const orderTermFields = {
  /** Amount to exchange in the source currency, excluding the fee. */
  amount: amountInput,
  rate: rateInput,
  /** Only for stop orders; 1 % worse than `rate` by default. */
  worst_rate: z.optional(rateInput),
  /** At most a year ahead. 30 days by default for a new order; unchanged by default in an edit. */
  expires_at: z.optional(moment),
}

export const newOrder = z.object({
  kind: orderKind,
  source_currency: currency,
  target_currency: currency,
  /** Source currency by default. */
  rate_currency: z.optional(currency),
  ...orderTermFields,
})
export type NewOrder = z.output<typeof newOrder>

export const orderEdit = z.object(orderTermFields)
export type OrderEdit = z.output<typeof orderEdit>

export const placeOrder = endpoint({
  method: 'POST',
  path: '/orders',
  summary:
    "Exchange between two balances of the caller's wallet once the rate is good enough (limit), or has become bad enough (stop). Amount and fee are on hold until the order is filled, expires or is canceled.",
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
    'Change amount, rate and expiry of an open order, all at once. If it has ended, the refusal contains the current `order`.',
  access: 'session',
  params: orderParams,
  body: orderEdit,
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
    'Cancel an order that is open or in review; its hold is released. Idempotent. If it has ended otherwise, the refusal contains the current `order`.',
  access: 'session',
  params: orderParams,
  reply: orderShape,
  refusals: ['not_found', 'order_filled', 'order_not_open', 'rate_limited'],
})

/** Schemas of the API reference, by public name. */
export const namedSchemas = {
  Order: orderShape,
  OrderKind: orderKind,
  OrderState: orderState,
  RateSide: rateSide,
}
