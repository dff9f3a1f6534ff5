import * as z from 'zod/mini'
import { endpoint } from '../protocol/endpoint.ts'
import { latinNameProblem, spellName } from '../kyc/person-names.ts'
import { coded } from '../protocol/field-problems.ts'
import { emailAddress } from '../protocol/email-address.ts'
import { amountInput, currency, decimal, moment, text } from '../protocol/wire.ts'
import { paymentLinkShape } from './payment-links.ts'

/** Cards pay in these, and in the currency of the request. */
export const cardCurrencies = ['USD', 'EUR', 'GBP'] as const

/**
 * `open`: the card is still to be entered. `processing`: the card's bank agreed, and the money is being taken. `held`: the bank
 * agreed, and the payment is being checked.
 */
const state = z.enum(['open', 'processing', 'held', 'paid', 'failed', 'refunded'])
// A name may come as lists have it, family name first.
const problemOf = (name: string) => latinNameProblem(name.replaceAll(',', ' '))

const guestName = z.pipe(
  z.string(coded('name_required')).check(z.overwrite(spellName)),
  text(80).check(
    z.minLength(1, coded('name_required')),
    z.refine((name) => problemOf(name) !== 'script', coded('name_not_latin')),
    z.refine((name) => name === '' || (problemOf(name) ?? 'script') === 'script', coded('name_characters')),
  ),
)

const redirectUrl = z.nullable(z.string())

export const payAsGuest = endpoint({
  method: 'POST',
  path: '/payment-links/:data/guest-payments',
  summary:
    "Pay a request, or a part of it, by card without an account. The card is charged once the request's amount is set aside for it, and only then.",
  access: 'public',
  params: z.object({ data: z.string() }),
  body: z.object({
    /** In Latin letters, in which lists are searched for it. */
    name: guestName,
    /** Gets the receipt. */
    email: emailAddress,
    /** That the card pays in. */
    currency,
    /** A part, in the request's currency; all that is left unless given. */
    amount: z.optional(amountInput),
    /** What the card is to pay in all, as the person saw it; at another price nothing is begun. */
    expected_total: amountInput,
  }),
  idempotencyKey: 'required',
  status: 201,
  reply: z.object({
    /** Whoever has this code sees the payment. */
    receipt: z.string(),
    state,
    /** The page on which the card is entered. */
    redirect_url: redirectUrl,
  }),
  refusals: [
    'link_changed',
    'request_closed',
    'request_not_for_you',
    'parts_not_allowed',
    'recipient_not_found',
    'currency_not_supported',
    'amount_too_small',
    'price_changed',
    'limit_exceeded',
    'payment_refused',
    'rates_unavailable',
    'liquidity_unavailable',
    'provider_unavailable',
    'idempotency_key_reused',
    'rate_limited',
  ],
})

const receiptParams = z.object({ receipt: z.string() })

export const guestReceiptShape = z.object({
  state,
  redirect_url: redirectUrl,
  /** Why it was not paid, as a sentence. */
  reason: z.nullable(z.string()),
  /** Of the payment link. */
  data: z.string(),
  /** Of the requester's transaction. */
  reference: z.string(),
  /** As the guest gave it. */
  name: z.string(),
  requester: paymentLinkShape.shape.requester,
  description: z.string(),
  /** What the requester gets. */
  amount: decimal,
  currency,
  source_amount: decimal,
  fee: decimal,
  /** What the card pays in all. */
  total: decimal,
  paid_currency: currency,
  created_at: moment,
  paid_at: z.nullable(moment),
})
export type GuestReceipt = z.output<typeof guestReceiptShape>

export const guestPayment = endpoint({
  method: 'GET',
  path: '/guest-payments/:receipt',
  summary: 'How a payment without an account stands, for whoever has its receipt.',
  access: 'public',
  params: receiptParams,
  reply: guestReceiptShape,
  refusals: ['not_found', 'rate_limited'],
})

export const cancelGuestPayment = endpoint({
  method: 'POST',
  path: '/guest-payments/:receipt/cancel',
  summary: 'Cancel a payment without an account that is not made yet.',
  access: 'public',
  params: receiptParams,
  reply: guestReceiptShape,
  refusals: ['not_found', 'not_cancelable', 'provider_unavailable', 'rate_limited'],
})
