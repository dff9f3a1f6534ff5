import type { Money } from '@tern/money/money'
import type { RefusedOutcome, UnknownOutcome } from '../outcome.ts'

/** Hosted card payment. `amount` must be positive and is captured in its own currency. */
export interface CheckoutRequest {
  /** Our payment id; the provider returns it in every event and in the return address. */
  paymentId: string
  amount: Money
  /** Text for the payer on the hosted page. */
  description: string
  /** Address to which the provider returns the browser. A visit to it proves nothing. */
  returnUrl: string
  /**
   * Authorizes only: the card's bank reserves the money for about a week, until `capture` or `cancel`. Otherwise the
   * money is captured as soon as the payer has paid.
   */
  capturesLater?: boolean
  /** Makes a repeated call return the same session. */
  idempotencyKey: string
  /** Saves the card for later charges; the settled state has its token. */
  saveCard: boolean
}

/** Payment with a saved card, without the hosted page unless the card's bank requires authentication. */
export interface ChargeRequest extends Omit<CheckoutRequest, 'saveCard'> {
  cardToken: string
}

/**
 * `created`: send the browser to `url`. `refused`: the provider rejects this request. `unknown`: no reply came and the
 * session may exist; repeat with the same key.
 */
export type CheckoutResult = { status: 'created'; sessionId: string; url: string } | RefusedOutcome | UnknownOutcome

/** Like CheckoutResult; `url` is null if the payer has nothing to do. Use `lookup` for the outcome. */
export type ChargeResult =
  | { status: 'created'; sessionId: string; url: string | null }
  | RefusedOutcome
  | UnknownOutcome

/** Reason for a payment ending without money: cancelled by the payer, expired, declined by the bank, or failed. */
export type DeclineReason = 'canceled' | 'expired' | 'declined' | 'insufficient_funds' | 'failed'

/** Card that can be charged again with `token`, which only this provider accepts. */
export interface KeptCard {
  token: string
  /** Identical for the same card number, so that no card is saved twice. */
  fingerprint: string
  brand: string
  last4: string
  expMonth: number
  expYear: number
}

/**
 * Provider's state of a card or bank payment. `open`: may still be paid, or is paid and `isProcessing`, with nothing
 * left for the payer to do. `authorized`: the card's bank has reserved the money for capture; `cardFingerprint` is
 * identical for the same card number, if reported. `unknown`: not known at present. `captureId` identifies the received
 * money, also in the provider's report.
 */
export type CollectionState =
  | { status: 'settled'; paymentId: string; amount: Money; captureId: string; card?: KeptCard }
  | { status: 'declined'; paymentId: string; reason: DeclineReason }
  | { status: 'open'; paymentId: string; isProcessing?: true }
  | { status: 'authorized'; paymentId: string; amount: Money; cardFingerprint?: string }
  | UnknownOutcome

/**
 * Collects card payments on the provider's own page; card numbers never reach the product. The id of a session may get
 * longer once the payment has an id of its own (`isSameSession`).
 */
export interface CardProvider {
  /** Refuses `saveCard` and `charge`. */
  readonly savesNoCards?: true
  createCheckout(request: CheckoutRequest): Promise<CheckoutResult>
  /** Charges a saved card. A decline is not a refusal: the session exists, and `lookup` reports the decline. */
  charge(request: ChargeRequest): Promise<ChargeResult>
  /** Queries the provider for the state of a session. */
  lookup(sessionId: string): Promise<CollectionState>
  /** Captures the full amount of an authorized session, once even if repeated, and returns the resulting state. */
  capture(sessionId: string): Promise<CollectionState>
  /** Cancels an open or authorized session and returns the resulting state; a session already paid stays settled. */
  cancel(sessionId: string): Promise<CollectionState>
  /** Invalidates a token. Returns true if it is invalid now, even if it was before. */
  forgetCard(token: string): Promise<boolean>
}

export interface DebitRequest {
  /** Our payment id; the provider returns it in every event. */
  paymentId: string
  amount: Money
  accountToken: string
  /** Text on the account holder's statement. */
  description: string
  idempotencyKey: string
}

export type DebitResult = { status: 'created'; sessionId: string } | RefusedOutcome | UnknownOutcome

/** Debits linked bank accounts; debits settle, or fail, some business days later. */
export interface DebitProvider {
  debit(request: DebitRequest): Promise<DebitResult>
  lookupDebit(sessionId: string): Promise<CollectionState>
  /** Cancels a debit that has not been submitted to the bank, and returns the resulting state. */
  cancelDebit(sessionId: string): Promise<CollectionState>
}

/** Collects money by the methods that are present. */
export interface CollectProvider {
  /** Lifetime of an idempotency key, in milliseconds. A later repetition would collect a second time. */
  readonly keysKeptMs: number
  readonly card?: CardProvider
  /** Needs accounts linked at this provider. */
  readonly debit?: DebitProvider
}
