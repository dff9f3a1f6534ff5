import type { CurrencyCode } from '@tern/money/currency'
import type { RefusedOutcome, UnknownOutcome } from '../outcome.ts'
import type { Payee } from '../payout/port.ts'

/**
 * Bank account shared with its holder's consent. Only this provider accepts `token`: for debits, payouts or both.
 */
export interface LinkedAccount {
  token: string
  /** Identical for the same account, so that no account is linked twice. */
  fingerprint: string
  /** The provider cannot identify the account, and `fingerprint` is new for each link. */
  isFingerprintOfLink?: true
  bankName: string
  last4: string
  /** Account holder's name according to the bank; undefined if the provider does not report it. */
  holderName?: string | undefined
  currency: CurrencyCode
  /** ISO 3166-1 alpha-2. */
  country: string
}

export interface LinkRequest {
  /** Our id of the bank-account link; the provider returns it in events and in the return address. */
  linkId: string
  /** Our user number as text. */
  userReference: string
  holderName: string
  email: string
  /** Country of residence (ISO 3166-1 alpha-2), which determines the banks offered. */
  country: string
  /** Return address; `linkStatus=success|canceled` and `link_id` are added. A visit to it proves nothing. */
  returnUrl: string
  /** Added to the return address as `link_secret`, only in the browser that gave consent. */
  returnSecret: string
  idempotencyKey: string
}

export type LinkResult = { status: 'created'; sessionId: string; url: string } | RefusedOutcome | UnknownOutcome

export type LinkState =
  | { status: 'linked'; linkId: string; account: LinkedAccount }
  | { status: 'open' | 'canceled' | 'failed'; linkId: string }
  | UnknownOutcome

export type PayeeResult = { status: 'known'; payee: Payee } | UnknownOutcome

/** Connects bank accounts on the provider's own pages, with their holders' consent. */
export interface LinkProvider {
  beginLink(request: LinkRequest): Promise<LinkResult>
  lookupLink(sessionId: string): Promise<LinkState>
  /** Revokes the consent. Returns true if it is revoked now, even if it was before. */
  unlink(token: string): Promise<boolean>
  /** Reads an account's numbers. Undefined if this provider does not disclose them. */
  readPayee?(token: string): Promise<PayeeResult>
}
