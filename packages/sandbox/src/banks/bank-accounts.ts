import { ApiError, newId } from '../server/api.ts'
import { type Bank, bankBySlug, type HeldAccount } from './banks.ts'
import type { Clock } from '../control/clock.ts'
import type { Store } from '../server/store.ts'

/** An account the product may debit and pay to, by its token. */
export interface LinkedAccount {
  token: string
  fingerprint: string
  /** The slug of its bank. */
  bank: string
  holder_name: string
  last4: string
  currency: string
  /** ISO 3166-1 alpha-2: whose business days count. */
  country: string
  unlinked_at: string | null
}

const columns = 'token, fingerprint, bank, holder_name, last4, currency, country, unlinked_at'

/** The bank of an account. */
export function bankOf({ bank: slug }: Pick<LinkedAccount, 'bank'>): Bank {
  const bank = bankBySlug(slug)
  if (!bank) throw new Error(`There is no bank ${slug}`)
  return bank
}

/** An account as the product sees it. */
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
  /** Keeps an account its holder has consented to share; gives its token. Call it in the transaction of the consent. */
  link(bank: Bank, held: HeldAccount, holder: { name: string; country: string }): string
  /** Throws ApiError 404. */
  find(token: string): LinkedAccount
  /** The account for a new order in a currency. Throws ApiError 404, and 422 when it is unlinked or in another currency. */
  usable(token: string, currency: string): LinkedAccount
  /** Ends the consent; again, it stays ended. What is under way still comes to its end. Throws ApiError 404. */
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
