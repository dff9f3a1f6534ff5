import type { bankLinkStatus, linkBankAccount } from '@tern/contract/banking'
import type { Reply } from '@tern/contract/endpoint'
import type { LinkState } from '@tern/providers/bank/port'
import type { Caller } from '../../serve.ts'
import type { Ground, Taking } from './ground.ts'

export interface BankLinkIntake {
  /** What follows from a state of a linking; undefined when it is none of ours, or nothing follows from it. */
  linkTaking(state: Exclude<LinkState, { status: 'unknown' }>): Promise<Taking | undefined>
}

export interface BankLinks extends BankLinkIntake {
  /** Begins to link a bank account, with a fresh proof. Refuses what the contract lists. */
  linkBankAccount(
    caller: Caller,
    request: { userId?: number | undefined; returnTo?: 'deposit' | 'withdraw' | 'settings' | 'send' | undefined },
    proof: string | undefined,
  ): Promise<Reply<typeof linkBankAccount>>
  /** What became of it, asking the provider while it is pending. Refuses `not_found`. */
  bankLinkStatus(userId: bigint, linkId: string): Promise<Reply<typeof bankLinkStatus>>
  /** Asks about all pending linkings that were last asked about before this moment. */
  checkPending(askedBefore: Date): Promise<void>
}

export function createBankLinks(_ground: Ground): BankLinks {
  const later = () => Promise.reject(new Error('being built'))
  return { linkTaking: later, linkBankAccount: later, bankLinkStatus: later, checkPending: () => Promise.resolve() }
}
