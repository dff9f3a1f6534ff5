import * as z from 'zod/mini'
import { endpoint } from '../protocol/endpoint.ts'
import { withCode } from '../protocol/field-problems.ts'
import { amountInput, currency, decimal, moment, text, userNumber, uuid } from '../protocol/wire.ts'

/**
 * `open`: link not opened yet. `seen`: link opened. `part_paid`: partly paid. `processing`: money for the whole
 * remainder is on hold or in transit. The last four states are final.
 */
export const requestState = z.enum([
  'open',
  'seen',
  'part_paid',
  'processing',
  'paid',
  'expired',
  'cancelled',
  'declined',
])
export type RequestState = z.output<typeof requestState>

const person = z.object({ id: userNumber, username: z.string(), name: z.nullable(z.string()) })

const requestParams = z.object({ id: uuid })

const requestPayment = z.object({
  /** The requester's transaction. */
  transaction_id: uuid,
  /** Amount credited to the requester. */
  amount: decimal,
  /** Amount paid by the payer, fee included. */
  paid_amount: decimal,
  paid_currency: currency,
  /** Null for a guest, who has only a name. */
  payer: z.nullable(person),
  guest_name: z.nullable(z.string()),
  state: z.enum(['processing', 'settled']),
  at: moment,
})

/** Payment request as visible to its requester and its addressee. */
export const paymentRequestShape = z.object({
  id: uuid,
  state: requestState,
  /** `outgoing`: requested by the caller; `incoming`: requested from the caller. */
  direction: z.enum(['outgoing', 'incoming']),
  amount: decimal,
  currency,
  paid_amount: decimal,
  remaining_amount: decimal,
  description: z.string(),
  /** Name chosen by the requester, in addition to their verified name. */
  name: z.nullable(z.string()),
  requester: person,
  /** The requester's username. */
  recipient: z.string(),
  /** Null if anyone with the link may pay. */
  payer: z.nullable(person),
  allows_parts: z.boolean(),
  data: z.string(),
  url: z.string(),
  created_at: moment,
  expires_at: moment,
  seen_at: z.nullable(moment),
  /** Number of times that the link was opened while the request could be paid. */
  opened: z.int(),
  /** Date on which the payer has agreed to pay. */
  accepted_for: z.nullable(z.iso.date()),
  decline_reason: z.nullable(z.string()),
  closed_at: z.nullable(moment),
  reminded_at: z.nullable(moment),
  /** Earliest time of the next reminder; null without an addressee, and once the request is closed. */
  remind_from: z.nullable(moment),
  payments: z.array(requestPayment),
})
export type PaymentRequest = z.output<typeof paymentRequestShape>

export const createRequest = endpoint({
  method: 'POST',
  path: '/requests',
  summary: "Request money in the currency of the caller's wallet, from one user or by a link for any payer.",
  access: 'session',
  body: z.object({
    amount: amountInput,
    /** Must be the wallet's base currency, which is also the default. */
    currency: z.optional(currency),
    description: z.optional(text(200)),
    name: z.optional(text(80)),
    /** Addressee, who sees it in the app and gets an email. */
    payer_id: z.optional(userNumber),
    allows_parts: z.optional(z.boolean()),
    /** Defaults to 30. */
    expires_in_days: z.optional(
      z
        .int(withCode('not_a_whole_number'))
        .check(z.minimum(1, withCode('too_small', { min: 1 })), z.maximum(365, withCode('too_large', { max: 365 }))),
    ),
  }),
  idempotencyKey: 'required',
  status: 201,
  reply: paymentRequestShape,
  refusals: [
    'verification_required',
    'currency_not_held',
    'recipient_not_found',
    'recipient_is_sender',
    'rate_limited',
  ],
})

export const ownRequests = endpoint({
  method: 'GET',
  path: '/requests',
  summary: "The caller's payment requests, newest first: those they made, or those addressed to them.",
  access: 'session',
  query: z.object({
    direction: z.enum(['outgoing', 'incoming']),
    /** `waiting`: not final. `closed`: expired, cancelled or declined. */
    group: z.optional(z.enum(['waiting', 'paid', 'closed'])),
    cursor: z.optional(z.string().check(z.maxLength(200), z.regex(/^[\w-]+$/, withCode('not_a_cursor')))),
  }),
  reply: z.object({
    requests: z.array(paymentRequestShape),
    /** Null on the last page. */
    next_cursor: z.nullable(z.string()),
    /** Count of each group, and the amount outstanding in `waiting`. */
    totals: z.object({
      waiting: z.int(),
      paid: z.int(),
      closed: z.int(),
      /** Null for incoming requests, whose currencies differ. */
      remaining_amount: z.nullable(decimal),
      currency,
    }),
  }),
})

export const requestDetails = endpoint({
  method: 'GET',
  path: '/requests/:id',
  summary: 'A payment request that the caller made or that is addressed to them.',
  access: 'session',
  params: requestParams,
  reply: paymentRequestShape,
  refusals: ['not_found'],
})

export const cancelRequest = endpoint({
  method: 'POST',
  path: '/requests/:id/cancel',
  summary: 'Cancel a payment request. Payments already made are unaffected; no further ones are possible.',
  access: 'session',
  params: requestParams,
  reply: paymentRequestShape,
  refusals: ['not_found', 'request_closed', 'rate_limited'],
})

export const remindPayer = endpoint({
  method: 'POST',
  path: '/requests/:id/remind',
  summary: 'Remind the person a payment request is addressed to, at most once in three days.',
  access: 'session',
  params: requestParams,
  reply: paymentRequestShape,
  refusals: ['not_found', 'request_closed', 'reminder_too_soon', 'rate_limited'],
})

/** Schemas of the API reference, by public name. */
export const namedSchemas = {
  PaymentRequest: paymentRequestShape,
  RequestState: requestState,
}
