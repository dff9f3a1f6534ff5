import { deriveDigits, buildIban, buildRoutingNumber } from './account-numbers.ts'
import { newId, throwFieldError, requireFound } from '../server/api.ts'
import { type Bank, findBankBySlug, type HeldAccount } from './banks.ts'
import type { Clock } from '../control/clock.ts'
import type { Store } from '../server/store.ts'

export interface LinkedAccount {
  token: string
  fingerprint: string
  bank: string
  holder_name: string
  last4: string
  currency: string
  /** ISO 3166-1 alpha-2; its business days apply to orders. */
  country: string
  unlinked_at: string | null
}

export function findBank({ bank: slug }: Pick<LinkedAccount, 'bank'>): Bank {
  const bank = findBankBySlug(slug)
  if (!bank) throw new Error(`There is no bank ${slug}`)
  return bank
}

/** Returns a linked account as in the API's reply. */
export const toAccountReply = (account: LinkedAccount): object => ({
  token: account.token,
  fingerprint: account.fingerprint,
  bank_name: findBank(account).name,
  last4: account.last4,
  holder_name: account.holder_name,
  currency: account.currency,
  country: account.country,
})

/** Returns an account's holder and numbers as in the API's reply. Account numbers end in `last4`. */
export function toNumbersReply({ holder_name, token, last4, currency }: LinkedAccount): object {
  const digits = deriveDigits(token)
  const eightDigits = digits.slice(0, 4) + last4
  if (currency === 'USD')
    return { holder_name, routing_number: buildRoutingNumber(digits), account_number: eightDigits }
  if (currency === 'GBP') return { holder_name, sort_code: digits.slice(0, 6), account_number: eightDigits }
  if (currency === 'EUR') return { holder_name, iban: buildIban('DE', digits + last4) }
  return throwFieldError('account_token', `Accounts in ${currency} have no numbers here.`)
}

export type BankAccounts = ReturnType<typeof createBankAccounts>

export function createBankAccounts(store: Store, clock: Clock) {
  /** Returns a linked account. Throws ApiError 404 if unknown. */
  const find = (token: string): LinkedAccount =>
    requireFound(store.get<LinkedAccount>('select * from bank_account where token = ?', token), 'bank account')

  return {
    find,
    /**
     * Returns the account for a new order. Throws ApiError 404 if unknown, and 422 if unlinked or in another currency.
     */
    requireUsable(token: string, currency: string): LinkedAccount {
      const account = find(token)
      if (account.unlinked_at !== null) throwFieldError('account_token', 'This account is no longer linked.')
      if (account.currency !== currency) throwFieldError('currency', `This account is in ${account.currency}.`)
      return account
    },
    /**
     * Stores an account to which the holder has consented, and returns its token. Call in the transaction of the
     * consent.
     */
    link({ slug: bank }: Bank, account: HeldAccount, holder: { name: string; country: string }): string {
      const token = newId('ba')
      const { name: holder_name, country } = holder
      store.insert('bank_account', {
        token,
        ...account,
        bank,
        holder_name,
        country,
        created_at: clock.now().toISOString(),
      })
      return token
    },
    /** Unlinks an account, idempotently; pending orders still complete. Throws ApiError 404 if unknown. */
    unlink(token: string): void {
      find(token)
      store.run(
        'update bank_account set unlinked_at = ? where token = ? and unlinked_at is null',
        clock.now().toISOString(),
        token,
      )
    },
  }
}
