import { type Quote, quoteShape } from '@tern/contract/exchange'
import * as z from 'zod/mini'

/** A quote, and when it expires by this device's clock. */
export const datedQuote = z.object({ quote: quoteShape, holdsUntilMs: z.number() })
export type DatedQuote = z.output<typeof datedQuote>

/** Creation time of a UUIDv7, in milliseconds since 1970. */
const readCreatedAtMs = (uuid: string): number => Number.parseInt(uuid.replaceAll('-', '').slice(0, 12), 16)

/**
 * Sets the expiry of a quote by the device's clock. The quote's id carries the server's creation time, so its lifetime
 * is the server's own, and a wrong device clock does not matter. `requestedAtMs` is when the request was sent, which is
 * never later than the creation.
 */
export const toDatedQuote = (quote: Quote, requestedAtMs: number): DatedQuote => ({
  quote,
  holdsUntilMs: requestedAtMs + new Date(quote.expires_at).getTime() - readCreatedAtMs(quote.quote_id),
})
