import type { Money } from '@tern/money/money'
import type { Refused, Unknown } from '../outcome.ts'

export interface PayoutRequest {
  /** Our payout id; the provider returns it in every event. */
  payoutId: string
  amount: Money
  /** Linked bank account of the payee: `LinkedAccount.token`. */
  accountToken: string
  /** Text on the payee's statement. */
  description: string
  idempotencyKey: string
}

/**
 * `accepted`: on its way; events and `lookup` report the outcome. `refused`: no money will leave. `unknown`: no reply
 * came; repeat with the same key, which never pays twice.
 */
export type PayoutResult = { status: 'accepted'; providerPayoutId: string } | Refused | Unknown

/**
 * Provider's state of a payout. `settled`: the bank has the money. `failed`: it never left. `returned`: it had settled
 * and came back, in a separate movement with the id `returnId`. `paidId` and `returnId` identify the movements in the
 * provider's report.
 */
export type PayoutState =
  | { status: 'open'; payoutId: string }
  | { status: 'settled'; payoutId: string; amount: Money; paidId: string }
  | { status: 'failed'; payoutId: string; reason: string }
  | { status: 'returned'; payoutId: string; amount: Money; paidId: string; returnId: string; reason: string }
  | Unknown

export interface PayoutProvider {
  pay(request: PayoutRequest): Promise<PayoutResult>
  lookup(providerPayoutId: string): Promise<PayoutState>
}
