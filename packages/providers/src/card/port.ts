import type { Money } from '@tern/money/money'

/** What a hosted card payment is about. `amount` must be positive and is captured in its own currency. */
export interface CheckoutRequest {
  /** Our payment; the provider hands it back in every event and in the return address. */
  paymentId: string
  amount: Money
  /** A line the payer reads on the hosted page. */
  description: string
  /** Where the provider sends the browser afterwards. Arriving there proves nothing. */
  returnUrl: string
  /** Makes a repeated call answer with the same session. */
  idempotencyKey: string
}

/**
 * `created`: send the browser to `url`. `refused`: the provider will not take this request, as it is.
 * `unknown`: no answer came, the session may exist; repeat with the same key.
 */
export type CheckoutResult =
  | { status: 'created'; sessionId: string; url: string }
  | { status: 'refused'; reason: string }
  | { status: 'unknown'; reason: string }

/** Why a session ended without money: given up by the payer, run out of time, or failed for good. */
export type DeclineReason = 'canceled' | 'expired' | 'failed'

/** What the provider says about a session. `open` may still be paid; `unknown` means nobody can tell now. */
export type CheckoutState =
  | { status: 'settled'; paymentId: string; amount: Money; captureId: string }
  | { status: 'declined'; paymentId: string; reason: DeclineReason }
  | { status: 'open'; paymentId: string }
  | { status: 'unknown'; reason: string }

/**
 * A verified event. The same `id` may arrive many times, late and in any order.
 * `unhandled` is an authentic event about something this port does not deal with: acknowledge it and go on.
 */
export type CardEvent =
  | {
      id: string
      status: 'settled'
      sessionId: string
      paymentId: string
      amount: Money
      captureId: string
      occurredAt: Date
    }
  | {
      id: string
      status: 'declined'
      sessionId: string
      paymentId: string
      amount: Money
      reason: DeclineReason
      occurredAt: Date
    }
  | { id: string; status: 'unhandled'; type: string }

/** Raised when an event is not authentic: no, wrong or outdated signature, or a body that was changed on the way. */
export class SignatureError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'SignatureError'
  }
}

export type EventHeaders = Readonly<Record<string, string | readonly string[] | undefined>>

/** Takes money from cards on the provider's own page; card numbers never come near the product. */
export interface CardProvider {
  createCheckout(request: CheckoutRequest): Promise<CheckoutResult>
  /** Asks the provider itself what became of a session. */
  lookup(sessionId: string): Promise<CheckoutState>
  /**
   * Checks an event's signature over the exact bytes received and reads it. `headers` have lower-case names.
   * `now` is the real time, not the product's clock: it bounds how old a signature may be (5 minutes).
   * Throws SignatureError; throws Error when an authentic body cannot be read.
   */
  verifyEvent(rawBody: string | Buffer, headers: EventHeaders, now: Date): CardEvent
}
