import * as z from 'zod/mini'
import { endpoint } from './protocol/endpoint.ts'
import {
  amountInput,
  currency,
  decimal,
  lowerCaseCurrency,
  minorUnits,
  text,
  userNumber,
  userNumberText,
  uuid,
} from './protocol/wire.ts'

/** Money that comes from outside: into the caller's wallet, or straight to somebody else. */

/** `reversed`: it had come, and the card or the bank has taken it back. */
export const paymentState = z.enum(['pending', 'completed', 'failed', 'reversed'])

/** Fields with which every payment may say how it is paid. */
const means = {
  /** A bank account of the caller; the default one unless named. */
  bankAccountId: z.optional(uuid),
  /** A saved card of the caller, charged without the hosted page unless its bank wants to see the payer. */
  paymentMethodId: z.optional(uuid),
  /** Keep the card that is entered on the hosted page, for next time. */
  saveCard: z.optional(z.boolean()),
  /** A price that was shown. Needed where the currency is not the wallet's own. */
  quote_id: z.optional(uuid),
}

/** A payment that was begun. `redirectUrl`: the browser goes there; null when there is nothing to do but wait. */
const begun = {
  success: z.literal(true),
  payment_id: uuid,
  status: paymentState,
  redirectUrl: z.nullable(z.string()),
  /** The transaction it becomes, or has become. It is in the list once money is on its way. */
  transaction_id: z.nullable(uuid),
}

const beginRefusals = [
  'not_your_account',
  'verification_required',
  'bank_account_needed',
  'payment_method_not_found',
  'currency_not_supported',
  'quote_expired',
  'quote_used',
  'quote_mismatch',
  'amount_too_small',
  'rates_unavailable',
  'provider_unavailable',
  'payment_refused',
  'rate_limited',
] as const

export const cardDeposit = z.object({
  /** Minor units of `currency`: what is put in. A conversion's fee comes on top, as its quote says. */
  amount: minorUnits,
  currency: lowerCaseCurrency,
  /** Must be the caller; the session decides who deposits. */
  userId: z.optional(userNumber),
  depositToWallet: z.optional(z.boolean()),
  paymentMethodId: means.paymentMethodId,
  saveCard: means.saveCard,
  quote_id: means.quote_id,
})

export const depositByCard = endpoint({
  method: 'POST',
  path: '/payment/deposit/card',
  summary: "Begin a card deposit: the browser goes to the provider's hosted checkout, or a saved card is charged.",
  access: 'session',
  body: cardDeposit,
  idempotencyKey: 'optional',
  reply: z.object(begun),
  refusals: beginRefusals,
})

export const depositRequest = z.object({
  amount: amountInput,
  currency,
  method: z.enum(['card', 'bank']),
  /** Must be the caller. */
  userId: z.optional(userNumber),
  ...means,
})

export const deposit = endpoint({
  method: 'POST',
  path: '/payment/deposit',
  summary: 'Begin a deposit by card, or by debit of a linked bank account, which settles after some business days.',
  access: 'session',
  body: depositRequest,
  idempotencyKey: 'required',
  reply: z.object(begun),
  refusals: beginRefusals,
})

const sendRefusals = [
  ...beginRefusals,
  'recipient_not_found',
  'recipient_is_sender',
  'currency_not_held',
  'payment_source_unavailable',
  'insufficient_funds',
  'limit_exceeded',
] as const

export const directPaymentRequest = z.object({
  /** Minor units of `currency`: what is sent. The fee comes on top. */
  amount: minorUnits,
  /** The sender's base currency. */
  currency: lowerCaseCurrency,
  /** Must be the caller. */
  userId: z.optional(userNumber),
  recipientId: userNumberText,
  /** `wallet_partial` takes the whole balance, which must be less than the amount, and the rest from a card. */
  paymentSource: z.enum(['card', 'bank', 'wallet_partial']),
  description: z.optional(text(200)),
  ...means,
})

export const directPayment = endpoint({
  method: 'POST',
  path: '/payment/direct-payment',
  summary: 'Send with money that comes from a card, a bank account, or the wallet and a card together.',
  access: 'session',
  body: directPaymentRequest,
  idempotencyKey: 'required',
  stepUp: 'accepted',
  reply: z.object({ ...begun, transaction_id: uuid, message: z.string() }),
  refusals: sendRefusals,
})

export const createPaymentRequest = z.object({
  purpose: z.enum(['deposit', 'send']),
  method: z.enum(['card', 'bank', 'wallet_partial']),
  amount: amountInput,
  currency,
  /** Whom to send to; only with the purpose `send`. */
  recipient_id: z.optional(userNumber),
  description: z.optional(text(200)),
  ...means,
})

export const createPayment = endpoint({
  method: 'POST',
  path: '/payment/create',
  summary: 'Begin any payment from outside: a deposit, or a transfer that is paid by card or bank.',
  access: 'session',
  body: createPaymentRequest,
  idempotencyKey: 'required',
  stepUp: 'accepted',
  reply: z.object(begun),
  refusals: sendRefusals,
})

export const paymentStatus = endpoint({
  method: 'GET',
  path: '/payment/:id/status',
  summary: 'How a payment of the caller stands. Pending means that the provider has not said yet.',
  access: 'session',
  params: z.object({ id: uuid }),
  reply: z.object({
    status: paymentState,
    transaction_id: z.nullable(uuid),
    purpose: z.enum(['deposit', 'send']),
    method: z.enum(['card', 'bank', 'wallet_partial']),
    /** What the card or bank pays, fee included. */
    amount: decimal,
    currency,
    /**
     * Whether its money came. That of a send which failed all the same is in the payer's wallet; what is `reversed` came
     * and was taken back later.
     */
    captured: z.boolean(),
    /** Why it failed, in a sentence for the payer; null unless it did. */
    reason: z.nullable(z.string()),
    /** Where paying can be gone on with, while it is pending. */
    redirectUrl: z.nullable(z.string()),
  }),
  refusals: ['not_found'],
})

export const cancelPayment = endpoint({
  method: 'POST',
  path: '/payment/:id/cancel',
  summary: 'Give up a payment that has not been made; what the wallet held for it is free again.',
  access: 'session',
  params: z.object({ id: uuid }),
  reply: z.object({ status: paymentState }),
  refusals: ['not_found', 'not_cancelable', 'provider_unavailable', 'rate_limited'],
})
