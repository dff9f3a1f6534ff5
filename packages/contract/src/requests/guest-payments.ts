import * as z from 'zod/mini'
import { endpoint } from '../protocol/endpoint.ts'
import { findLatinNameProblem, normalizeName } from '../kyc/person-names.ts'
import { withCode } from '../protocol/field-problems.ts'
import { emailAddress } from '../protocol/email-address.ts'
import { amountInput, currency, decimal, moment, text } from '../protocol/wire.ts'
import { paymentLinkShape } from './payment-links.ts'

/** Currencies in which cards can be charged, in addition to the currency of the request. */
export const cardCurrencies = ['USD', 'EUR', 'GBP'] as const

/**
 * `open`: card details are missing. `processing`: authorized and being captured. `held`: authorized, and under a
 * compliance check.
 */
const state = z.enum(['open', 'processing', 'held', 'paid', 'failed', 'refunded'])
// Allows the form "family name, first name".
const findNameProblem = (name: string) => findLatinNameProblem(name.replaceAll(',', ' '))

const guestName = z.pipe(
  z.string(withCode('name_required')).check(z.overwrite(normalizeName)),
  text(80).check(
    z.minLength(1, withCode('name_required')),
    z.refine((name) => findNameProblem(name) !== 'script', withCode('name_not_latin')),
    z.refine((name) => name === '' || (findNameProblem(name) ?? 'script') === 'script', withCode('name_characters')),
  ),
)

const redirectUrl = z.nullable(z.string())

export const payAsGuest = endpoint({
  method: 'POST',
  path: '/payment-links/:data/guest-payments',
  summary:
    "Pay a request, or a part of it, by card without an account. The card is charged only once the request's amount is reserved for it.",
  access: 'public',
  params: z.object({ data: z.string() }),
  body: z.object({
    /** Must be in Latin letters for sanctions screening. */
    name: guestName,
    /** Email address for the receipt. */
    email: emailAddress,
    /** Currency charged to the card. */
    currency,
    /** Partial amount in the request's currency; the whole remaining amount by default. */
    amount: z.optional(amountInput),
    /** Total card charge, as displayed to the payer; a different price is refused with `price_changed`. */
    expected_total: amountInput,
  }),
  idempotencyKey: 'required',
  status: 201,
  reply: z.object({
    /** Secret code that gives access to the payment's status. */
    receipt: z.string(),
    state,
    /** Provider's page for entering the card. */
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
  /** Reason for the failure, as a sentence. */
  reason: z.nullable(z.string()),
  /** `data` of the payment link. */
  data: z.string(),
  /** Reference of the requester's transaction. */
  reference: z.string(),
  /** Name entered by the guest. */
  name: z.string(),
  requester: paymentLinkShape.shape.requester,
  description: z.string(),
  /** Amount credited to the requester. */
  amount: decimal,
  currency,
  source_amount: decimal,
  fee: decimal,
  /** Total charged to the card. */
  total: decimal,
  paid_currency: currency,
  created_at: moment,
  paid_at: z.nullable(moment),
})
export type GuestReceipt = z.output<typeof guestReceiptShape>

export const guestPayment = endpoint({
  method: 'GET',
  path: '/guest-payments/:receipt',
  summary: 'Status of a guest payment, for the holder of its receipt.',
  access: 'public',
  params: receiptParams,
  reply: guestReceiptShape,
  refusals: ['not_found', 'rate_limited'],
})

export const cancelGuestPayment = endpoint({
  method: 'POST',
  path: '/guest-payments/:receipt/cancel',
  summary: 'Cancel a guest payment that has not been made.',
  access: 'public',
  params: receiptParams,
  reply: guestReceiptShape,
  refusals: ['not_found', 'not_cancelable', 'provider_unavailable', 'rate_limited'],
})
