import * as z from 'zod/mini'
import { endpoint } from './endpoint.ts'
import { lowerCaseCurrency, minorUnits, userNumber, uuid } from './wire.ts'

export const cardDeposit = z.object({
  /** Minor units of `currency`. */
  amount: minorUnits,
  currency: lowerCaseCurrency,
  /** Must be the caller; the session decides who deposits. */
  userId: z.optional(userNumber),
  depositToWallet: z.optional(z.boolean()),
})

export const depositByCard = endpoint({
  method: 'POST',
  path: '/payment/deposit/card',
  summary: "Begin a card deposit: the browser goes to the provider's hosted checkout.",
  access: 'session',
  body: cardDeposit,
  idempotencyKey: 'optional',
  reply: z.object({ success: z.literal(true), payment_id: uuid, redirectUrl: z.string() }),
  refusals: [
    'unauthenticated',
    'invalid_request',
    'not_your_account',
    'verification_required',
    'idempotency_key_required',
    'idempotency_key_reused',
    'amount_too_small',
    'rates_unavailable',
    'provider_unavailable',
    'rate_limited',
  ],
})

export const paymentStatus = endpoint({
  method: 'GET',
  path: '/payment/:id/status',
  summary: 'How a payment of the caller stands. Pending means that the provider has not said yet.',
  access: 'session',
  params: z.object({ id: uuid }),
  reply: z.object({
    status: z.enum(['pending', 'completed', 'failed']),
    transaction_id: z.nullable(uuid),
  }),
  refusals: ['unauthenticated', 'not_found'],
})
