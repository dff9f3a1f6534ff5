import * as z from 'zod/mini'
import { endpoint } from '../protocol/endpoint.ts'
import { countryCode, currency, decimal, moment, noContent, uuid } from '../protocol/wire.ts'

const linkShape = z.object({
  /** Secret link to share; anyone with it can see the transfer's status. */
  url: z.string(),
  shows_amounts: z.boolean(),
  created_at: moment,
})
export type TrackingLink = z.output<typeof linkShape>

const transferParams = z.object({ id: uuid })

export const trackingLink = endpoint({
  method: 'GET',
  path: '/transfers/:id/tracking',
  summary: "The public tracking link of one of the caller's transfers, if there is one.",
  access: 'session',
  params: transferParams,
  reply: z.object({ link: z.nullable(linkShape) }),
  refusals: ['not_found'],
})

export const shareTracking = endpoint({
  method: 'PUT',
  path: '/transfers/:id/tracking',
  summary:
    'Create a public tracking link for a transfer to a user or a bank account, or change what it shows. Not while the sender can undo the transfer.',
  access: 'session',
  params: transferParams,
  body: z.object({ shows_amounts: z.boolean() }),
  reply: linkShape,
  refusals: ['not_found', 'not_trackable', 'rate_limited'],
})

export const endTracking = endpoint({
  method: 'DELETE',
  path: '/transfers/:id/tracking',
  summary: 'End the tracking link of a transfer. It stops working at once.',
  access: 'session',
  params: transferParams,
  ...noContent,
  refusals: ['not_found', 'rate_limited'],
})

/**
 * `being_checked`: held, except with an open compliance check, which shows as `on_its_way`. `returned`: not carried
 * out; the sender has the money.
 */
export const trackingState = z.enum(['being_paid', 'being_checked', 'on_its_way', 'delivered', 'returned'])

export const trackedTransfer = endpoint({
  method: 'GET',
  path: '/tracking/:code',
  summary:
    'Status of a transfer, for the holder of its tracking link. People are identified by first name and country at most.',
  access: 'public',
  params: z.object({ code: z.string() }),
  reply: z.object({
    state: trackingState,
    reference: z.string(),
    sender: z.string(),
    /** Null for a payout to the sender's own bank account. */
    recipient: z.nullable(z.string()),
    /** Countries of verified residence; null before verification, and for a bank account. */
    sender_country: z.nullable(countryCode),
    recipient_country: z.nullable(countryCode),
    source_currency: currency,
    target_currency: currency,
    /** Past steps in order, then the next step without a time. The time of a return or cancellation can be unknown. */
    steps: z.array(
      z.object({
        step: z.enum(['ordered', 'paid', 'checked', 'delivered', 'returned', 'not_paid']),
        at: z.nullable(moment),
      }),
    ),
    /** Only for a payout: the business day on which the bank credits it. Null if not carried out, or returned. */
    expected_on: z.nullable(z.iso.date()),
    /** Null unless the sender chose to share them. */
    amounts: z.nullable(z.object({ sent: decimal, received: decimal })),
  }),
  refusals: ['not_found', 'rate_limited'],
})
