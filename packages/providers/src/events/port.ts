import type { LinkState } from '../bank/port.ts'
import type { CollectionState } from '../card/port.ts'
import type { PayoutState } from '../payout/port.ts'
import type { ReportLine } from '../report/port.ts'
import type { Known } from '../outcome.ts'

/** What an event tells. Except for `unhandled` it says the same as asking the provider would, at the moment it was made. */
export type EventNews =
  /** A payment by card or bank. `sessionId` is what `createCheckout`, `charge` or `debit` gave. */
  | { about: 'payment'; sessionId: string; state: Known<CollectionState> }
  /** Money that had come and was taken back, or was given back after that: refunds, chargebacks, returned debits. */
  | { about: 'reversal'; line: ReportLine }
  | { about: 'payout'; providerPayoutId: string; state: Known<PayoutState> }
  | { about: 'link'; sessionId: string; state: Known<LinkState> }
  /** An authentic event about something no port deals with: acknowledge it and go on. */
  | { about: 'unhandled'; type: string }

/** Something happened that the event does not tell the whole of: the provider has to be asked, which may fail. */
export interface EventQuestion {
  about: 'ask'
  ask(): Promise<EventNews | { about: 'unknown'; reason: string }>
}

/** A verified event. The same `id` may arrive many times, late and in any order. */
export type ProviderEvent = (EventNews | EventQuestion) & { id: string }

/** Raised when an event is not authentic: no, wrong or outdated signature, or a body that was changed on the way. */
export class SignatureError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'SignatureError'
  }
}

export type EventHeaders = Readonly<Record<string, string | readonly string[] | undefined>>

/** Reads what a provider posts to our webhook endpoint. */
export interface ProviderEvents {
  /**
   * Checks an event's signature over the exact bytes received and reads it. `headers` have lower-case names.
   * `now` is the real time, not the product's clock: it bounds how old a signature may be (5 minutes).
   * Throws SignatureError; throws Error when an authentic body cannot be read.
   */
  verify(rawBody: string | Buffer, headers: EventHeaders, now: Date): ProviderEvent
}
