import type { Money } from '@tern/money/money'
import type { Refused, Unknown } from '../outcome.ts'

export interface PayoutRequest {
  /** Our payout; the provider hands it back in every event. */
  payoutId: string
  amount: Money
  /** The linked bank account it goes to: `LinkedAccount.token`. */
  accountToken: string
  /** A line the receiver reads on the statement. */
  description: string
  idempotencyKey: string
}

/**
 * `accepted`: it is on its way, how it ended is told by events and `lookup`. `refused`: nothing will leave.
 * `unknown`: no answer came; repeat with the same key, which never pays twice.
 */
export type PayoutResult = { status: 'accepted'; providerPayoutId: string } | Refused | Unknown

/**
 * What the provider says about a payout. `settled`: the bank has it. `failed`: it never left. `returned`: it had been
 * settled and came back, by a movement of its own with the id `returnId`. `paidId` and `returnId` name the movements in
 * the provider's report.
 */
export type PayoutState =
  | { status: 'open'; payoutId: string }
  | { status: 'settled'; payoutId: string; amount: Money; paidId: string }
  | { status: 'failed'; payoutId: string; reason: string }
  | { status: 'returned'; payoutId: string; amount: Money; paidId: string; returnId: string; reason: string }
  | Unknown

/** Pays out to linked bank accounts. */
export interface PayoutProvider {
  pay(request: PayoutRequest): Promise<PayoutResult>
  lookup(providerPayoutId: string): Promise<PayoutState>
}
