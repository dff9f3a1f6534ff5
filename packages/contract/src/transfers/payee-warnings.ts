import * as z from 'zod/mini'
import { recipientRefusals } from '../exchange.ts'
import { endpoint } from '../protocol/endpoint.ts'
import { amountInput, currency, moment, noContent, text, userNumber, uuid } from '../protocol/wire.ts'

/**
 * Patterns of payments that are typical of fraud, most urgent first. `unknown_payee` has several causes, which are not
 * told apart, because some must not be disclosed.
 */
export const warningPattern = z.enum([
  'safe_account',
  'during_call',
  'refused_call',
  'similar_name',
  'impersonates',
  'tax',
  'investment',
  'release_fee',
  'unknown_payee',
  'large_share',
])
export type WarningPattern = z.output<typeof warningPattern>

const payeeWarningShape = z.object({
  id: uuid,
  patterns: z.array(warningPattern),
  /** Username of a payee of the sender whose name is similar; only with `similar_name`. */
  similar_to: z.nullable(z.string()),
  /** Version of the policy that was used. */
  version: z.int(),
  /** The acknowledgement is for a payment before this time. */
  expires_at: moment,
})
export type PayeeWarning = z.output<typeof payeeWarningShape>

export const findPayeeWarning = endpoint({
  method: 'POST',
  path: '/payment/warnings',
  summary:
    'Look at a payment before it is sent. If it fits a pattern that is typical of fraud, the reply is a warning, and sends to this payee are refused until it is acknowledged.',
  access: 'session',
  body: z.object({
    recipient_id: userNumber,
    amount: amountInput,
    source_currency: currency,
    description: z.optional(text(200)),
  }),
  reply: z.object({ warning: z.nullable(payeeWarningShape) }),
  refusals: ['verification_required', ...recipientRefusals, 'rates_unavailable', 'rate_limited'],
})

export const acknowledgeWarning = endpoint({
  method: 'POST',
  path: '/payment/warnings/:id/acknowledgement',
  summary:
    'State that the sender has read the warning and wants to send exactly this amount to this payee, once. Idempotent.',
  access: 'session',
  params: z.object({ id: uuid }),
  ...noContent,
  refusals: ['not_found', 'rate_limited'],
})

/** Schemas of the API reference, by public name. */
export const namedSchemas = {
  PayeeWarning: payeeWarningShape,
  WarningPattern: warningPattern,
}
