import type { payoutStatus, withdraw, withdrawalEstimate } from '@tern/contract/banking'
import type { Reply } from '@tern/contract/endpoint'
import type { Caller } from '../../serve.ts'
import type { BankAccounts } from './bank-accounts.ts'
import type { Ground } from './ground.ts'
import type { Payouts } from './payouts.ts'

export interface WithdrawalRequest {
  readonly amount: string
  readonly currency: string
  readonly bankAccountId: string
  readonly userId?: number | undefined
}

export interface Withdrawals {
  /** Holds the amount and orders the payout. Refuses what the contract's `withdraw` lists. */
  withdraw(
    caller: Caller,
    request: WithdrawalRequest,
    idempotencyKey: string,
    proof: string | undefined,
  ): Promise<Reply<typeof withdraw>>
  /** Refuses `bank_account_needed`. */
  withdrawalEstimate(userId: bigint, bankAccountId: string): Promise<Reply<typeof withdrawalEstimate>>
  /** Refuses `not_found`. */
  payoutStatus(userId: bigint, payoutId: string): Promise<Reply<typeof payoutStatus>>
}

export function createWithdrawals(
  _ground: Ground,
  _parts: { payouts: Payouts; bankAccounts: BankAccounts },
): Withdrawals {
  const later = () => Promise.reject(new Error('being built'))
  return { withdraw: later, withdrawalEstimate: later, payoutStatus: later }
}
