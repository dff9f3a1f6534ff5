import * as z from 'zod/mini'
import { endpoint } from '../protocol/endpoint.ts'
import { withCode } from '../protocol/field-problems.ts'
import { amountInput, currency, decimal, moment, text, userNumber, uuid } from '../protocol/wire.ts'
import { paymentRequestShape } from './requests.ts'
import { maxPeople, maxShares } from './split-limits.ts'

/** `equal` and `shares`: parts follow from the total. `amounts`: each part is given. */
export const splitMethod = z.enum(['equal', 'shares', 'amounts'])
export type SplitMethod = z.output<typeof splitMethod>

/** Number of shares of a person; a function, so that browser bundles can omit the schema. */
const shares = () =>
  z
    .int(withCode('not_a_whole_number'))
    .check(
      z.minimum(1, withCode('too_small', { min: 1 })),
      z.maximum(maxShares, withCode('too_large', { max: maxShares })),
    )

const splitParams = z.object({ id: uuid })

const splitFacts = z.object({
  id: uuid,
  total: decimal,
  currency,
  description: z.nullable(z.string()),
  created_at: moment,
  /** Amount requested from the other people; `paid_amount` is the paid part of it. */
  asked_amount: decimal,
  paid_amount: decimal,
  /** Outstanding amount of requests that can still be paid. */
  remaining_amount: decimal,
})

/** Split bill with a payment request for each part, in the order of `people`. */
export const splitShape = z.extend(splitFacts, {
  split_by: splitMethod,
  /** The caller's own part; null if they opted out. */
  own: z.nullable(z.object({ amount: decimal, shares: z.nullable(z.int()) })),
  parts: z.array(z.object({ shares: z.nullable(z.int()), request: paymentRequestShape })),
})
export type Split = z.output<typeof splitShape>

const splitSummary = z.extend(splitFacts, {
  /** Counts of requests: all, paid in full, and those that can still be paid. */
  asked: z.int(),
  paid: z.int(),
  waiting: z.int(),
})
export type SplitSummary = z.output<typeof splitSummary>

export const createSplit = endpoint({
  method: 'POST',
  path: '/splits',
  summary:
    "Split a bill in the currency of the caller's wallet: one payment request for each other person, all or none. Parts must follow from the shares (one by default, with `shares`), and sum to the total.",
  access: 'session',
  body: z.object({
    total: amountInput,
    /** Must be the wallet's base currency, which is also the default. */
    currency: z.optional(currency),
    description: z.optional(text(200)),
    split_by: splitMethod,
    /** The caller's own part; without it, the other people pay the whole bill. */
    own: z.optional(z.object({ amount: amountInput, shares: z.optional(shares()) })),
    /** The other people. With equal remainders, leftover minor units go to the caller first, then to these in order. */
    people: z
      .array(
        z.object({ user_id: userNumber, amount: amountInput, shares: z.optional(shares()) }),
        withCode('split_people'),
      )
      .check(z.minLength(1, withCode('split_people')), z.maxLength(maxPeople, withCode('split_people'))),
  }),
  idempotencyKey: 'required',
  status: 201,
  reply: splitShape,
  refusals: [
    'verification_required',
    'currency_not_held',
    'recipient_not_found',
    'recipient_is_sender',
    'rate_limited',
  ],
})

export const ownSplits = endpoint({
  method: 'GET',
  path: '/splits',
  summary: "The caller's split bills, newest first, with how much of each is paid.",
  access: 'session',
  query: z.object({
    cursor: z.optional(z.string().check(z.maxLength(200), z.regex(/^[\w-]+$/, withCode('not_a_cursor')))),
  }),
  reply: z.object({
    splits: z.array(splitSummary),
    /** Null on the last page. */
    next_cursor: z.nullable(z.string()),
  }),
})

export const splitDetails = endpoint({
  method: 'GET',
  path: '/splits/:id',
  summary: 'A split bill of the caller, with who has paid.',
  access: 'session',
  params: splitParams,
  reply: splitShape,
  refusals: ['not_found'],
})

export const remindSplit = endpoint({
  method: 'POST',
  path: '/splits/:id/remind',
  summary: 'Remind every payer of a split who has not paid and was not reminded in the last three days.',
  access: 'session',
  params: splitParams,
  reply: splitShape,
  refusals: ['not_found', 'request_closed', 'reminder_too_soon', 'rate_limited'],
})

export const cancelSplit = endpoint({
  method: 'POST',
  path: '/splits/:id/cancel',
  summary: 'Cancel the unpaid requests of a split. Paid and pending ones are unaffected.',
  access: 'session',
  params: splitParams,
  reply: splitShape,
  refusals: ['not_found', 'rate_limited'],
})

/** Schemas of the API reference, by public name. */
export const namedSchemas = {
  Split: splitShape,
  SplitMethod: splitMethod,
}
