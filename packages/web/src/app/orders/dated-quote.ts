import { type Quote, quoteShape } from '@tern/contract/exchange'
import * as z from 'zod/mini'

/** A price, and until when it holds by this device's own clock. */
export const datedQuote = z.object({ quote: quoteShape, holdsUntilMs: z.number() })
export type DatedQuote = z.output<typeof datedQuote>

/** When the server made a UUIDv7, in milliseconds since 1970. */
const madeAtMs = (uuid: string): number => Number.parseInt(uuid.replaceAll('-', '').slice(0, 12), 16)

/**
 * How long a quote holds by the device's clock. Its id carries when the server made it, so the span is the server's own
 * and a device whose clock is wrong still counts right. `askedAtMs` is when the request left: never later than the making.
 */
export const dated = (quote: Quote, askedAtMs: number): DatedQuote => ({
  quote,
  holdsUntilMs: askedAtMs + new Date(quote.expires_at).getTime() - madeAtMs(quote.quote_id),
})
