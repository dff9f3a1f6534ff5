import type { Money } from '@tern/money/money'
import type { Refused, Unknown } from '../outcome.ts'

/** What a hosted card payment is about. `amount` must be positive and is captured in its own currency. */
export interface CheckoutRequest {
  /** Our payment; the provider hands it back in every event and in the return address. */
  paymentId: string
  amount: Money
  /** A line the payer reads on the hosted page. */
  description: string
  /** Where the provider sends the browser afterwards. Arriving there proves nothing. */
  returnUrl: string
  /**
   * Only authorize: the card's bank keeps the money ready, for about a week, until `capture` takes it or `cancel` lets it
   * go. Otherwise it is taken as soon as the payer has paid.
   */
  capturesLater?: boolean
  /** Makes a repeated call answer with the same session. */
  idempotencyKey: string
  /** Keep the card for later charges; its token comes with the settled state. */
  saveCard: boolean
}

/** A payment from a card that was saved before, without the hosted page unless the card's bank wants to see the payer. */
export interface ChargeRequest extends Omit<CheckoutRequest, 'saveCard'> {
  cardToken: string
}

/**
 * `created`: send the browser to `url`. `refused`: the provider will not take this request, as it is.
 * `unknown`: no answer came, the session may exist; repeat with the same key.
 */
export type CheckoutResult = { status: 'created'; sessionId: string; url: string } | Refused | Unknown

/** As CheckoutResult; `url` is null when the payer has nothing to do. How it ended is asked by `lookup`. */
export type ChargeResult = { status: 'created'; sessionId: string; url: string | null } | Refused | Unknown

/** Why a payment ended without money: given up by the payer, run out of time, turned down by the bank, or failed for good. */
export type DeclineReason = 'canceled' | 'expired' | 'declined' | 'insufficient_funds' | 'failed'

/** A card that can be charged again by `token`, which means something to this provider alone. */
export interface KeptCard {
  token: string
  /** The same for the same card number, so that one card is not saved twice. */
  fingerprint: string
  brand: string
  last4: string
  expMonth: number
  expYear: number
}

/**
 * What the provider says about a payment from a card or a bank account. `open` may still be paid, or is paid and
 * `isProcessing`: the payer has nothing left to do. `authorized`: the card's bank keeps the money ready for a capture;
 * `cardFingerprint` is the same for the same card number, where the provider tells it. `unknown` means nobody can tell now. `captureId` names the money that came, in the provider's report too.
 */
export type CollectionState =
  | { status: 'settled'; paymentId: string; amount: Money; captureId: string; card?: KeptCard }
  | { status: 'declined'; paymentId: string; reason: DeclineReason }
  | { status: 'open'; paymentId: string; isProcessing?: true }
  | { status: 'authorized'; paymentId: string; amount: Money; cardFingerprint?: string }
  | Unknown

/** Takes money from cards on the provider's own page; card numbers never come near the product. */
export interface CardProvider {
  createCheckout(request: CheckoutRequest): Promise<CheckoutResult>
  /** Charges a saved card. A decline is no refusal: the session exists, and `lookup` tells that it was declined. */
  charge(request: ChargeRequest): Promise<ChargeResult>
  /** Asks the provider itself what became of a session. */
  lookup(sessionId: string): Promise<CollectionState>
  /** Takes all the money of an authorized session, once however often it is called, and gives the state after that. */
  capture(sessionId: string): Promise<CollectionState>
  /** Ends an open or authorized session and gives the state after that: one that was paid meanwhile stays settled. */
  cancel(sessionId: string): Promise<CollectionState>
  /** Makes a token worthless. True when it is so now, also when it was before. */
  forgetCard(token: string): Promise<boolean>
}
