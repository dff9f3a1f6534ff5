import type { LinkState } from '../link/port.ts'
import type { CollectionState } from '../collect/port.ts'
import type { PayoutState } from '../payout/port.ts'
import type { ReportLine } from '../report/port.ts'
import type { KnownOutcome } from '../outcome.ts'

/** Content of an event. The state of a payment, payout or link is what a lookup returns. */
export type EventContent =
  /** Card or bank payment. Pass `sessionId` to `lookup` or `lookupDebit` for its state. */
  | { about: 'payment'; sessionId: string; state: KnownOutcome<CollectionState> }
  /** Received money that was reversed, or returned after a reversal: refunds, chargebacks, returned debits. */
  | { about: 'reversal'; line: ReportLine }
  | { about: 'payout'; providerPayoutId: string; state: KnownOutcome<PayoutState> }
  | { about: 'link'; sessionId: string; state: KnownOutcome<LinkState> }
  /** Authentic event that no port handles: acknowledge and ignore it. */
  | { about: 'unhandled'; type: string }

/** Event without its full content: `ask` queries the provider, which may fail. */
export interface EventQuestion {
  about: 'ask'
  ask(): Promise<EventContent | { about: 'unknown'; reason: string }>
}

/** Verified event. The same `id` may arrive repeatedly, late and in any order. */
export type ProviderEvent = (EventContent | EventQuestion) & { id: string }

/** Raised for an event that is not authentic: a missing, wrong or outdated signature, or a modified body. */
export class SignatureError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'SignatureError'
  }
}

export type EventHeaders = Readonly<Record<string, string | readonly string[] | undefined>>

/** Reads the events that a provider posts to our webhook endpoint. */
export interface ProviderEvents {
  /**
   * Verifies an event's signature over the exact bytes received, and parses the event. `headers` have lower-case names.
   * `now` is the real time rather than the product's clock: a signed timestamp, if any, may be 5 minutes old. Throws
   * SignatureError; throws Error if an authentic body is unreadable.
   */
  verify(rawBody: string | Buffer, headers: EventHeaders, now: Date): ProviderEvent
}
