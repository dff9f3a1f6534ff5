import * as z from 'zod/mini'
import { endpoint } from './protocol/endpoint.ts'
import { transactionShape } from './transactions.ts'
import { amountInput, currency, text, userNumber, uuid } from './protocol/wire.ts'

export const transferRequest = z.object({
  /** Must be the caller; the session decides who sends. */
  sender_id: z.optional(userNumber),
  recipient_id: userNumber,
  amount: amountInput,
  source_currency: currency,
  target_currency: z.optional(currency),
  use_stablecoin: z.optional(z.boolean()),
  payment_source: z.optional(z.enum(['wallet', 'card', 'bank', 'wallet_partial'])),
  /** Accepted but ignored: only a captured payment held by the server replaces the wallet. */
  skip_sender_deduction: z.optional(z.boolean()),
  transaction_type: z.optional(text(40)),
  description: z.optional(text(200)),
  quote_id: z.optional(uuid),
  /** The payment started for this transfer, unless the wallet pays. */
  payment_id: z.optional(uuid),
})
export type TransferRequest = z.output<typeof transferRequest>

export const sendMoney = endpoint({
  method: 'POST',
  path: '/payment/transfer',
  summary:
    'Send money to another registered user, at a quoted price or at the price of this moment. After a payment by card or bank: how the transfer stands that this payment is for.',
  access: 'session',
  body: transferRequest,
  idempotencyKey: 'required',
  stepUp: 'accepted',
  reply: z.object({
    transaction_id: uuid,
    status: z.enum(['COMPLETED', 'PENDING', 'FAILED']),
    transaction: transactionShape,
  }),
  refusals: [
    'step_up_required',
    'step_up_invalid',
    'unauthenticated',
    'invalid_request',
    'not_your_account',
    'verification_required',
    'recipient_not_found',
    'recipient_is_sender',
    'currency_not_held',
    'payment_source_unavailable',
    'payment_not_found',
    'payment_failed',
    'insufficient_funds',
    'limit_exceeded',
    'amount_too_small',
    'quote_expired',
    'quote_used',
    'quote_mismatch',
    'idempotency_key_required',
    'idempotency_key_reused',
    'request_in_progress',
    'rates_unavailable',
    'rate_limited',
  ],
})
