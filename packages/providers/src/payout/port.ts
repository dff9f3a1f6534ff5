import type { Money } from '@tern/money/money'
import type { RefusedOutcome, UnknownOutcome } from '../outcome.ts'

/** Numbers by which a bank account is paid. */
export type AccountNumbers =
  | { readonly scheme: 'iban'; readonly iban: string }
  | { readonly scheme: 'us'; readonly routingNumber: string; readonly accountNumber: string }
  | { readonly scheme: 'gb'; readonly sortCode: string; readonly accountNumber: string }

/** Account holder and numbers, for a payout provider at which the account is not linked. */
export interface Payee {
  readonly holderName: string
  readonly numbers: AccountNumbers
}

export interface PayoutRequest {
  /** Our payout id; the provider returns it in every event. */
  payoutId: string
  amount: Money
  /** Linked bank account of the payee: `LinkedAccount.token`. */
  accountToken: string
  /** Present for a provider with `needsPayee`. */
  payee?: Payee
  /** Text on the payee's statement. */
  description: string
  idempotencyKey: string
  /** Verification of the payee by the same provider (`PayeeProvider`), if one was made for this payout. */
  payeeCheck?: PayeeCheckRef
}

export interface PayeeCheckRef {
  /** `PayeeOutcome.reference`. */
  readonly reference: string
  /** The account holder was told of a mismatch, and ordered the payout regardless. */
  readonly isAcknowledged: boolean
}

/**
 * `accepted`: on its way; events and `lookup` report the outcome. `refused`: no money will leave. `unknown`: no reply
 * came; repeat with the same key, which never pays twice.
 */
export type PayoutResult = { status: 'accepted'; providerPayoutId: string } | RefusedOutcome | UnknownOutcome

/**
 * Provider's state of a payout. `settled`: the bank has the money. `failed`: it never left. `returned`: it had settled,
 * and the money was returned in a separate movement with the id `returnId`. `paidId` and `returnId` identify the
 * movements in the provider's report. `cost` and `refund`: amounts debited from and returned to our account at the
 * provider, if that was in another currency than the payout.
 */
export type PayoutState =
  | { status: 'open'; payoutId: string }
  | { status: 'settled'; payoutId: string; amount: Money; paidId: string; cost?: Money }
  | { status: 'failed'; payoutId: string; reason: string }
  | {
      status: 'returned'
      payoutId: string
      amount: Money
      paidId: string
      returnId: string
      reason: string
      cost?: Money
      refund?: Money
    }
  | UnknownOutcome

/** Sends money out to bank accounts. */
export interface PayoutProvider {
  /** Lifetime of an idempotency key, in milliseconds. A later repetition would pay a second time. */
  readonly keysKeptMs: number
  /** Pays to account numbers, which the provider that linked the account has to disclose. */
  readonly needsPayee?: true
  pay(request: PayoutRequest): Promise<PayoutResult>
  lookup(providerPayoutId: string): Promise<PayoutState>
}
