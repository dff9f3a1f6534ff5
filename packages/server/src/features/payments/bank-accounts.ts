import type { BankAccount, bankAccounts, chooseBankAccount } from '@tern/contract/banking'
import type { Reply } from '@tern/contract/endpoint'
import type { LinkedAccount } from '@tern/providers/bank/port'
import type { Tx } from '../../db.ts'
import type { CurrencyCode } from '@tern/money/currency'
import type { Ground } from './ground.ts'

/** A linked account as the parts that move money to and from it need it. */
export interface UsableAccount {
  readonly id: string
  readonly token: string
  readonly bankName: string
  readonly last4: string
  readonly currency: CurrencyCode
  /** ISO 3166-1 alpha-2. */
  readonly country: string
}

export interface BankAccounts {
  bankAccounts(userId: bigint): Promise<Reply<typeof bankAccounts>>
  /** Refuses `not_found`. */
  removeBankAccount(userId: bigint, id: string): Promise<void>
  /** Refuses `not_found`. */
  chooseBankAccount(userId: bigint, id: string): Promise<Reply<typeof chooseBankAccount>>
  /** One linked account of the user, the default one unless named. Refuses `bank_account_needed`. */
  usableAccount(userId: bigint, id: string | undefined): Promise<UsableAccount>
  /** The account of a payment or payout, also when it was unlinked since. */
  anyAccount(id: string): Promise<{ view: BankAccount; usable: UsableAccount } | undefined>
  /** Adds an account, or takes up again the one that is linked already; the first one becomes the default. Gives its id. */
  addBankAccount(tx: Tx, userId: bigint, account: LinkedAccount): Promise<string>
}

export function createBankAccounts(_ground: Ground): BankAccounts {
  const later = () => Promise.reject(new Error('being built'))
  return {
    bankAccounts: later,
    removeBankAccount: later,
    chooseBankAccount: later,
    usableAccount: later,
    anyAccount: later,
    addBankAccount: later,
  }
}
