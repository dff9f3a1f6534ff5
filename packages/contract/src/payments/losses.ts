import * as z from 'zod/mini'
import { endpoint } from '../protocol/endpoint.ts'
import { currency, decimal, moment, uuid } from '../protocol/wire.ts'

const losses = z.object({
  /** Oldest first; empty if nothing is owed. */
  losses: z.array(
    z.object({
      /** The reversed payment; null for a dispute's credit. */
      payment_id: z.nullable(uuid),
      /** The dispute whose provisional credit was reversed; null for a payment. */
      dispute_id: z.nullable(uuid),
      /** Amount still owed, in the currency of the wallet. */
      amount: decimal,
      currency,
      taken_back_at: moment,
    }),
  ),
})

export const openLosses = endpoint({
  method: 'GET',
  path: '/payment/losses',
  summary: 'Amounts owed after reversed payments. While any is open, no money can leave the wallet (`loss_open`).',
  access: 'session',
  reply: losses,
})

export const payLoss = endpoint({
  method: 'POST',
  path: '/payment/losses/:id/pay',
  summary:
    'Repay the amount owed for this payment, or for this dispute’s credit, from the wallet, in full. Returns the remaining amounts owed; a repeated call debits nothing.',
  access: 'session',
  params: z.object({ id: uuid }),
  body: z.object({
    /** Amount owed, as displayed to the account holder. */
    expected_total: decimal,
  }),
  reply: losses,
  refusals: ['account_frozen', 'insufficient_funds', 'not_found', 'payment_refused', 'price_changed', 'rate_limited'],
})
