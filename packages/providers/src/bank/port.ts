import type { Money } from '@tern/money/money'
import type { CurrencyCode } from '@tern/money/currency'
import type { CollectionState } from '../card/port.ts'
import type { Refused, Unknown } from '../outcome.ts'

/** A bank account somebody consented to share. `token` means something to this provider alone: it debits and is paid to. */
export interface LinkedAccount {
  token: string
  /** The same for the same account, so that one account is not linked twice. */
  fingerprint: string
  bankName: string
  last4: string
  /** Whose account it is, as the bank says; undefined where the provider does not tell. */
  holderName?: string | undefined
  currency: CurrencyCode
  /** ISO 3166-1 alpha-2. */
  country: string
}

export interface LinkRequest {
  /** Our id of the linking; the provider hands it back in events and in the return address. */
  linkId: string
  /** Our user's number, as text: the same person is the same customer at the provider. */
  userReference: string
  holderName: string
  email: string
  /** Where the person lives (ISO 3166-1 alpha-2), which decides the banks that are shown first. */
  country: string
  /** Where the browser is sent, with `linkStatus=success|canceled` and `link_id` added. Arriving there proves nothing. */
  returnUrl: string
  /** Added to that address as `link_secret`, only for the browser in which the person consented. */
  returnSecret: string
  idempotencyKey: string
}

export type LinkResult = { status: 'created'; sessionId: string; url: string } | Refused | Unknown

export type LinkState =
  | { status: 'linked'; linkId: string; account: LinkedAccount }
  | { status: 'open' | 'canceled' | 'failed'; linkId: string }
  | Unknown

export interface DebitRequest {
  /** Our payment; the provider hands it back in every event. */
  paymentId: string
  amount: Money
  accountToken: string
  /** A line the account's owner reads on the statement. */
  description: string
  idempotencyKey: string
}

export type DebitResult = { status: 'created'; sessionId: string } | Refused | Unknown

/** Links bank accounts and takes money from them, which settles, or not, some business days later. */
export interface BankProvider {
  beginLink(request: LinkRequest): Promise<LinkResult>
  lookupLink(sessionId: string): Promise<LinkState>
  /** Ends the consent. True when it is so now, also when it was before. */
  unlink(token: string): Promise<boolean>
  debit(request: DebitRequest): Promise<DebitResult>
  lookupDebit(sessionId: string): Promise<CollectionState>
  /** Stops a debit that has not gone to the bank, and gives the state after that. */
  cancelDebit(sessionId: string): Promise<CollectionState>
}
