import * as z from 'zod/mini'
import { paymentStartRefusals, startedPaymentShape, fundingFields } from '../payments.ts'
import { endpoint } from '../protocol/endpoint.ts'
import { uuid } from '../protocol/wire.ts'

export const payLinkFromOutside = endpoint({
  method: 'POST',
  path: '/payment-links/:data/payments',
  summary:
    'Pay a request, or a part of it, by card, by bank account, or with the whole wallet and a card for the rest, at a quoted price. The amount is reserved for this payment until it ends. A bank account pays only within one currency.',
  access: 'session',
  params: z.object({ data: z.string() }),
  body: z.object({
    ...fundingFields,
    method: z.enum(['card', 'bank', 'wallet_partial']),
    /** Quote made for this request. */
    quote_id: uuid,
  }),
  idempotencyKey: 'required',
  stepUp: 'accepted',
  reply: startedPaymentShape,
  refusals: [
    'link_changed',
    'request_closed',
    'request_not_for_you',
    'parts_not_allowed',
    'recipient_is_sender',
    'recipient_not_found',
    'payment_source_unavailable',
    'insufficient_funds',
    'warning_open',
    ...paymentStartRefusals,
  ],
})
