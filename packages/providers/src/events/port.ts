import type { Money } from '@tern/money/money'
import type { LinkState } from '../link/port.ts'
import type { CollectionState } from '../collect/port.ts'
import type { PayoutState } from '../payout/port.ts'
import type { ReportLine } from '../report/port.ts'
import type { KnownOutcome } from '../outcome.ts'

/**
 * Warning by a card's issuer about a payment. `early_fraud_warning`: reported as fraud, before any dispute. `inquiry`: a
 * question that may become a dispute, and has moved no money. `dispute`: the provider reports its money separately.
 */
export interface IssuerWarning {
  readonly id: string
  readonly kind: 'early_fraud_warning' | 'inquiry' | 'dispute'
  /** Our payment id; null if the provider has none. */
  readonly reference: string | null
  readonly amount: Money
  /** Issuer's reason, as a code of the provider. */
  readonly reason: string
  /** False once it is decided, or nothing can be done about it. */
  readonly isOpen: boolean
  /** The provider's reports may arrive in any order: a report that it is open never reopens it. */
  readonly opensOnce?: true
  /** Id of the payment's capture, by which the payment is found if `reference` does not name it. */
  readonly captureId?: string
  readonly warnedAt: Date
  /** Time until which evidence can be given; undefined if none is requested. */
  readonly respondBy: Date | undefined
}

/** Content of an event. The state of a payment, payout or link is what a lookup returns. */
export type EventContent =
  /** Card or bank payment. Pass `sessionId` to `lookup` or `lookupDebit` for its state. */
  | { about: 'payment'; sessionId: string; state: KnownOutcome<CollectionState> }
  /** Received money that was reversed, or returned after a reversal: refunds, chargebacks, returned debits. */
  | { about: 'reversal'; line: ReportLine }
  | { about: 'payout'; providerPayoutId: string; state: KnownOutcome<PayoutState> }
  | { about: 'link'; sessionId: string; state: KnownOutcome<LinkState> }
  | { about: 'warning'; warning: IssuerWarning }
  /** Authentic event that no port handles: acknowledge and ignore it. */
  | { about: 'unhandled'; type: string }

/** Event without its full content: `ask` queries the provider, which may fail. */
export interface EventQuestion {
  about: 'ask'
  ask(): Promise<EventContent | { about: 'unknown'; reason: string }>
}

/** Several events in one request. */
export interface EventBatch {
  about: 'batch'
  events: readonly ProviderEvent[]
}

/** Verified event. The same `id` may arrive repeatedly, late and in any order. */
export type ProviderEvent = (EventContent | EventQuestion | EventBatch) & {
  id: string
  /** Version of the provider's API that the event was made for, if it is not the adapter's. Its payload is not read. */
  otherVersion?: string
}

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
