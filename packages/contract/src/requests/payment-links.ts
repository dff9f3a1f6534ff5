import * as z from 'zod/mini'
import { priceRefusals, quoteShape } from '../exchange.ts'
import { endpoint } from '../protocol/endpoint.ts'
import {
  amountInput,
  countryCode,
  currency,
  decimal,
  moment,
  noContent,
  text,
  userNumber,
  uuid,
} from '../protocol/wire.ts'
import { transactionShape } from '../transactions.ts'
import { requestState } from './requests.ts'

/** `data` of a link: the request's id with a signature, in canonical base64url. */
const linkParams = z.object({ data: z.string() })
/** Payment request as visible to anyone with its link. All fields come from the stored request, none from the link. */
export const paymentLinkShape = z.object({
  state: requestState,
  amount: decimal,
  remaining_amount: decimal,
  currency,
  description: z.string(),
  name: z.nullable(z.string()),
  requester: z.object({
    username: z.string(),
    name: z.nullable(z.string()),
    /** Verified name in its native script, if given. */
    local_name: z.nullable(z.string()),
    is_verified: z.boolean(),
    /** Country of verified residence; null before verification. */
    country: z.nullable(countryCode),
  }),
  /** True if only one specific user may pay it. */
  is_addressed: z.boolean(),
  allows_parts: z.boolean(),
  created_at: moment,
  expires_at: moment,
  closed_at: z.nullable(moment),
})
export type PaymentLink = z.output<typeof paymentLinkShape>

export const paymentLink = endpoint({
  method: 'GET',
  path: '/payment-links/:data',
  summary: 'The terms of a payment link, and whether it can still be paid.',
  access: 'public',
  params: linkParams,
  reply: paymentLinkShape,
  refusals: ['link_changed', 'rate_limited'],
})

export const openPaymentLink = endpoint({
  method: 'POST',
  path: '/payment-links/:data/open',
  summary: 'Notify the requester that their link was opened. Called by the page, so that link previews do not count.',
  access: 'public',
  params: linkParams,
  ...noContent,
  refusals: ['link_changed', 'rate_limited'],
})

export const priceOfLink = endpoint({
  method: 'GET',
  path: '/payment-links/:data/price',
  summary: 'Total cost of paying a link at current rates, in any currency. Not guaranteed, unlike a quote.',
  access: 'public',
  params: linkParams,
  query: z.object({ currency }),
  reply: z.omit(quoteShape, { quote_id: true, expires_at: true, recipient_id: true }),
  refusals: ['link_changed', 'request_closed', 'amount_too_small', 'rates_unavailable', 'rate_limited'],
})

export const linkAsPayer = endpoint({
  method: 'GET',
  path: '/payment-links/:data/payer',
  summary: "The caller's role for a payment link, and their payments to it.",
  access: 'session',
  params: linkParams,
  reply: z.object({
    /** `other`: another user is the addressee, so the caller may not pay. */
    role: z.enum(['requester', 'payer', 'other']),
    /** User number of the requester; null unless the caller may pay. */
    recipient_id: z.nullable(userNumber),
    /** Id of the request; only for its requester and its addressee. */
    request_id: z.nullable(uuid),
    accepted_for: z.nullable(z.iso.date()),
    /** The caller's unfinished card or bank payment, for which part of the request is reserved. */
    open_payment: z.nullable(
      z.object({
        payment_id: uuid,
        method: z.enum(['card', 'bank', 'wallet_partial']),
        /** Page for entering the card; null once the provider has the card. */
        redirect_url: z.nullable(z.string()),
      }),
    ),
    /** The caller's own transactions that pay this request, newest first. */
    payments: z.array(transactionShape),
  }),
  refusals: ['link_changed', 'rate_limited'],
})

const payerRefusals = [
  'link_changed',
  'request_closed',
  'request_not_for_you',
  'recipient_is_sender',
  'rate_limited',
] as const

export const quoteForLink = endpoint({
  method: 'POST',
  path: '/payment-links/:data/quote',
  summary: 'A quote for the rest of a payment request, or for a part of it: the requester gets exactly this amount.',
  access: 'session',
  params: linkParams,
  body: z.object({
    source_currency: currency,
    use_stablecoin: z.optional(z.boolean()),
    /** Partial amount in the request's currency; the whole remaining amount by default. */
    amount: z.optional(amountInput),
  }),
  status: 201,
  reply: quoteShape,
  refusals: [
    ...payerRefusals,
    'parts_not_allowed',
    'recipient_not_found',
    'currency_not_held',
    'amount_too_small',
    'rates_unavailable',
    'liquidity_unavailable',
    'limit_exceeded',
    'rate_limited',
  ],
})

export const payLink = endpoint({
  method: 'POST',
  path: '/payment-links/:data/pay',
  summary: 'Pay a request, or a part of it, from the wallet at a quoted price. Only the rest can be paid.',
  access: 'session',
  params: linkParams,
  body: z.object({ quote_id: uuid }),
  idempotencyKey: 'required',
  stepUp: 'accepted',
  reply: z.object({
    transaction_id: uuid,
    status: z.enum(['COMPLETED', 'PENDING', 'FAILED']),
    transaction: transactionShape,
    /** State of the request after this payment. */
    link: paymentLinkShape,
  }),
  refusals: [
    ...payerRefusals,
    'parts_not_allowed',
    'verification_required',
    'recipient_not_found',
    'insufficient_funds',
    'limit_exceeded',
    'warning_open',
    ...priceRefusals,
  ],
})

export const declineLink = endpoint({
  method: 'POST',
  path: '/payment-links/:data/decline',
  summary: 'Decline a payment request addressed to the caller, with an optional reason.',
  access: 'session',
  params: linkParams,
  body: z.object({ reason: z.optional(text(200)) }),
  reply: paymentLinkShape,
  refusals: payerRefusals,
})

export const acceptLink = endpoint({
  method: 'POST',
  path: '/payment-links/:data/accept',
  summary:
    'Accept a payment request addressed to the caller, to pay it on a later day, on which the caller is reminded.',
  access: 'session',
  params: linkParams,
  body: z.object({ on: z.iso.date() }),
  reply: paymentLinkShape,
  refusals: payerRefusals,
})

export const askForNewLink = endpoint({
  method: 'POST',
  path: '/payment-links/:data/ask-again',
  summary: 'Ask the requester of an expired link for a new one, at most once in three days.',
  access: 'session',
  params: linkParams,
  ...noContent,
  refusals: ['link_changed', 'request_not_expired', 'request_not_for_you', 'recipient_is_sender', 'rate_limited'],
})

/** Schemas of the API reference, by public name. */
export const namedSchemas = {
  PaymentLink: paymentLinkShape,
}
