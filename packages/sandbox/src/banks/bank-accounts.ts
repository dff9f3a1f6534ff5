import { ApiError, newId } from '../server/api.ts'
import { type Bank, bankBySlug, type HeldAccount } from './banks.ts'
import type { Clock } from '../control/clock.ts'
import type { Store } from '../server/store.ts'

/** A linked account, by token. */
export interface LinkedAccount {
  token: string
  fingerprint: string
  bank: string
  holder_name: string
  last4: string
  currency: string
  /** ISO 3166-1 alpha-2; determines business days. */
  country: string
  unlinked_at: string | null
}

const columns = 'token, fingerprint, bank, holder_name, last4, currency, country, unlinked_at'

export function bankOf({ bank: slug }: Pick<LinkedAccount, 'bank'>): Bank {
  const bank = bankBySlug(slug)
  if (!bank) throw new Error(`There is no bank ${slug}`)
  return bank
}

/** An account for the API. */
export const shownAccount = (account: LinkedAccount): object => ({
  token: account.token,
  fingerprint: account.fingerprint,
  bank_name: bankOf(account).name,
  last4: account.last4,
  currency: account.currency,
  country: account.country,
})

function refuseField(field: string, message: string): never {
  throw new ApiError(422, 'invalid_request', 'Some fields are wrong.', [{ field, message }])
}

export interface BankAccounts {
  /** Stores an account its holder agreed to share; returns its token. Call in the consent's transaction. */
  link(bank: Bank, held: HeldAccount, holder: { name: string; country: string }): string
  /** Throws ApiError 404. */
  find(token: string): LinkedAccount
  /** The account for a new order. Throws ApiError 404, and 422 when unlinked or in another currency. */
  usable(token: string, currency: string): LinkedAccount
  /** Unlinks, idempotently; pending orders still complete. Throws ApiError 404. */
  unlink(token: string): void
}

export function createBankAccounts(store: Store, clock: Clock): BankAccounts {
  function find(token: string): LinkedAccount {
    const [account] = store.all<LinkedAccount>(`select ${columns} from bank_account where token = ?`, token)
    if (!account) throw new ApiError(404, 'not_found', 'There is no such bank account.')
    return account
  }

  return {
    find,
    usable(token, currency) {
      const account = find(token)
      if (account.unlinked_at !== null) refuseField('account_token', 'This account is not linked any more.')
      if (account.currency !== currency) refuseField('currency', `This account is in ${account.currency}.`)
      return account
    },
    link(bank, { fingerprint, last4, currency }, { name, country }) {
      const token = newId('ba')
      store.run(
        `insert into bank_account (token, fingerprint, bank, holder_name, last4, currency, country, created_at)
         values (?, ?, ?, ?, ?, ?, ?, ?)`,
        token,
        fingerprint,
        bank.slug,
        name,
        last4,
        currency,
        country,
        clock.now().toISOString(),
      )
      return token
    },
    unlink(token) {
      find(token)
      store.run(
        'update bank_account set unlinked_at = ? where token = ? and unlinked_at is null',
        clock.now().toISOString(),
        token,
      )
    },
  }
}
