import * as z from 'zod/mini'
import { endpoint } from '../protocol/endpoint.ts'
import { currency, decimal, moment, uuid } from '../protocol/wire.ts'

/** What is missing of money that was taken back from somebody who had spent it, and paying it. */

const losses = z.object({
  /** The oldest first; none when nothing is missing. */
  losses: z.array(
    z.object({
      /** The payment that was taken back; null where it is a dispute's credit. */
      payment_id: z.nullable(uuid),
      /** The dispute whose provisional credit was taken back; null where it is a payment. */
      dispute_id: z.nullable(uuid),
      /** What is missing of it, in the currency of the wallet. */
      amount: decimal,
      currency,
      /** When the money was taken back. */
      taken_back_at: moment,
    }),
  ),
})

export const openLosses = endpoint({
  method: 'GET',
  path: '/payment/losses',
  summary:
    'What is missing of money that was taken back. While anything is, nothing can leave the wallet (`loss_open`).',
  access: 'session',
  reply: losses,
})

export const payLoss = endpoint({
  method: 'POST',
  path: '/payment/losses/:id/pay',
  summary:
    'Pay what is missing of this payment, or of this dispute’s credit, from the wallet, in full. Replies what else is missing; a repeated call takes nothing.',
  access: 'session',
  params: z.object({ id: uuid }),
  body: z.object({
    /** What the person was shown as missing. */
    expected_total: decimal,
  }),
  reply: losses,
  refusals: ['account_frozen', 'insufficient_funds', 'not_found', 'payment_refused', 'price_changed', 'rate_limited'],
})
