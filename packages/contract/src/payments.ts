import * as z from 'zod/mini'
import { priceRefusals, recipientRefusals } from './exchange.ts'
import { endpoint } from './protocol/endpoint.ts'
import {
  amountInput,
  currency,
  decimal,
  lowerCaseCurrency,
  minorUnits,
  text,
  undoSeconds,
  userNumber,
  userNumberText,
  uuid,
} from './protocol/wire.ts'

/** `reversed`: received, then reclaimed by the card network or bank. */
export const paymentState = z.enum(['pending', 'completed', 'failed', 'reversed'])

export const fundingFields = {
  /** The caller's bank account; defaults to their default account. */
  bankAccountId: z.optional(uuid),
  /** The caller's saved card; charged without the hosted page unless the bank requires a challenge. */
  paymentMethodId: z.optional(uuid),
  /** True to save the card entered on the hosted page. */
  saveCard: z.optional(z.boolean()),
  /** Quote of the displayed price; required for a payment in any currency but the wallet's. */
  quote_id: z.optional(uuid),
}

/**
 * Minimum amount that the recipient gets, in the target currency. Only for a cross-currency send from a bank account,
 * which is priced when the bank pays: at a price that yields less, the money goes to the sender's wallet. Defaults to 2
 * % less than the current price yields.
 */
const minimumTarget = { minimum_target_amount: z.optional(amountInput) }

/** Started payment. `redirectUrl`: page to which to send the browser; null if none. */
const startedPaymentFields = {
  success: z.literal(true),
  payment_id: uuid,
  status: paymentState,
  redirectUrl: z.nullable(z.string()),
  /** Id of the payment's transaction, which is listed once money is on its way. */
  transaction_id: z.nullable(uuid),
}

export const startedPaymentShape = z.object(startedPaymentFields)

export const paymentStartRefusals = [
  'not_your_account',
  'verification_required',
  'bank_account_needed',
  'bank_account_unavailable',
  'payment_method_not_found',
  'currency_not_supported',
  ...priceRefusals,
  'provider_unavailable',
  'payment_refused',
  'limit_exceeded',
  'rate_limited',
] as const

export const cardDeposit = z.object({
  /** Amount to deposit in minor units of `currency`; a conversion fee is added on top. */
  amount: minorUnits,
  currency: lowerCaseCurrency,
  /** Must be the caller; the session determines the depositor. */
  userId: z.optional(userNumber),
  depositToWallet: z.optional(z.boolean()),
  paymentMethodId: fundingFields.paymentMethodId,
  saveCard: fundingFields.saveCard,
  quote_id: fundingFields.quote_id,
})

export const depositByCard = endpoint({
  method: 'POST',
  path: '/payment/deposit/card',
  summary:
    "Begin to add money by card: redirect the browser to the provider's hosted checkout, or charge a saved card.",
  access: 'session',
  body: cardDeposit,
  idempotencyKey: 'optional',
  stepUp: 'accepted',
  reply: startedPaymentShape,
  refusals: paymentStartRefusals,
})

export const depositRequest = z.object({
  amount: amountInput,
  currency,
  method: z.enum(['card', 'bank']),
  /** Must be the caller; otherwise `not_your_account`. */
  userId: z.optional(userNumber),
  ...fundingFields,
})

export const deposit = endpoint({
  method: 'POST',
  path: '/payment/deposit',
  summary: 'Begin to add money by card, or by debit of a linked bank account, which settles after some business days.',
  access: 'session',
  body: depositRequest,
  idempotencyKey: 'required',
  stepUp: 'accepted',
  reply: startedPaymentShape,
  refusals: paymentStartRefusals,
})

const sendRefusals = [
  ...paymentStartRefusals,
  'warning_open',
  ...recipientRefusals,
  'payment_source_unavailable',
  'insufficient_funds',
] as const

export const directPaymentRequest = z.object({
  /** Amount to send in minor units of `currency`, before the fee. */
  amount: minorUnits,
  /** The sender's base currency. */
  currency: lowerCaseCurrency,
  /** Must be the caller; otherwise `not_your_account`. */
  userId: z.optional(userNumber),
  recipientId: userNumberText,
  /** `wallet_partial`: the wallet pays its whole balance, which must be below the amount, and a card pays the rest. */
  paymentSource: z.enum(['card', 'bank', 'wallet_partial']),
  description: z.optional(text(200)),
  /**
   * Seconds during which the sender may cancel the transfer, which is held for that time once paid; none by default.
   */
  undo_seconds: z.optional(undoSeconds),
  ...minimumTarget,
  ...fundingFields,
})

export const directPayment = endpoint({
  method: 'POST',
  path: '/payment/direct-payment',
  summary: 'Send money paid by card, by bank account, or by wallet and card together.',
  access: 'session',
  body: directPaymentRequest,
  idempotencyKey: 'required',
  stepUp: 'accepted',
  reply: z.object({ ...startedPaymentFields, transaction_id: uuid, message: z.string() }),
  refusals: sendRefusals,
})

export const createPaymentRequest = z.object({
  purpose: z.enum(['deposit', 'send']),
  method: z.enum(['card', 'bank', 'wallet_partial']),
  amount: amountInput,
  currency,
  /** Recipient; only for the purpose `send`. */
  recipient_id: z.optional(userNumber),
  description: z.optional(text(200)),
  /** See `directPaymentRequest`; only for the purpose `send`. */
  undo_seconds: z.optional(undoSeconds),
  /** See `directPaymentRequest`; only for the purpose `send`. */
  ...minimumTarget,
  ...fundingFields,
})

export const createPayment = endpoint({
  method: 'POST',
  path: '/payment/create',
  summary: 'Begin an external payment: a deposit, or a transfer paid by card or bank.',
  access: 'session',
  body: createPaymentRequest,
  idempotencyKey: 'required',
  stepUp: 'accepted',
  reply: startedPaymentShape,
  refusals: sendRefusals,
})

export const paymentStatus = endpoint({
  method: 'GET',
  path: '/payment/:id/status',
  summary: "Status of one of the caller's payments. Pending means that the provider has not reported an outcome.",
  access: 'session',
  params: z.object({ id: uuid }),
  reply: z.object({
    status: paymentState,
    transaction_id: z.nullable(uuid),
    purpose: z.enum(['deposit', 'send']),
    method: z.enum(['card', 'bank', 'wallet_partial']),
    amount: decimal,
    currency,
    /**
     * True once the provider has received the money. For a failed send the money is in the payer's wallet; for
     * `reversed` it was later reclaimed.
     */
    captured: z.boolean(),
    /** Reason for the failure, as a sentence for the payer; null unless it failed. */
    reason: z.nullable(z.string()),
    /** Page on which the payer can continue a pending payment. */
    redirectUrl: z.nullable(z.string()),
  }),
  refusals: ['not_found'],
})

export const cancelPayment = endpoint({
  method: 'POST',
  path: '/payment/:id/cancel',
  summary: 'Cancel a payment that has not been made; its hold on the wallet is released.',
  access: 'session',
  params: z.object({ id: uuid }),
  reply: z.object({ status: paymentState }),
  refusals: ['not_found', 'not_cancelable', 'provider_unavailable', 'rate_limited'],
})

/** Schemas of the API reference, by public name. */
export const namedSchemas = {
  PaymentState: paymentState,
}
