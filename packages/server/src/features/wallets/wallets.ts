import { type Account, bridgeAccount, bridgeStablecoinAccount } from '@tern/ledger/chart'
import type { CurrencyCode } from '@tern/money/currency'
import type { Db } from '../../platform/database/db.ts'
import { accountId, accountIds, type AccountIds } from './accounts/account-ids.ts'
import { findParty, type People, cacheParties } from './parties.ts'
import { hasPaid, type KnownArrivals, findPaidAt, cacheArrival, type Pair } from './payees.ts'

export { closeWallet } from './accounts/closing.ts'
export { findFirstEntryAfter } from './history/balance-days.ts'
export { formatDescription } from './description.ts'
export { foldText } from './list/fold-text.ts'
export { createLookUp, type LimitedLookup } from './lookup-limit.ts'
export type { Party } from './parties.ts'
export { arrivalSql } from './payees.ts'
export { readMaturityHours, readRestricted, type RestrictedMoney } from './restricted/restricted-money.ts'
export {
  findReplay,
  findTransaction,
  findTransactions,
  formatShownName,
  readRowView,
  selectTransactions,
  type StoredTransaction,
} from './transactions.ts'
export {
  findWallet,
  holdsCurrency,
  openWallet,
  readOwnWallet,
  readWallet,
  renameWallet,
  setBaseCurrency,
  type Wallet,
} from './accounts/wallet-rows.ts'

/** Cached accounts, parties and payees of this process, each read through the caller's connection. */
export function createWallets(people: People) {
  const knownAccounts: AccountIds = new Map()
  const arrivals: KnownArrivals = new Map()
  const parties = cacheParties(people)
  return {
    /** Finds a party. Runs no query for a user number with a wrong check digit. */
    findParty: (db: Db, userId: bigint) => findParty(parties, db, userId),
    /** Ledger id of an account, opened on first use. */
    accountId: (db: Db, account: Account) => accountId(knownAccounts, db, account),
    accountIds: (db: Db, accounts: readonly Account[]) => accountIds(knownAccounts, db, accounts),
    hasPaid: (db: Db, pair: Pair) => hasPaid(arrivals, db, pair),
    cacheArrival: (arrival: Parameters<typeof cacheArrival>[1]) => cacheArrival(arrivals, arrival),
    findPaidAt: (pair: Parameters<typeof findPaidAt>[1]) => findPaidAt(arrivals, pair),
  }
}

export type Wallets = ReturnType<typeof createWallets>

/** The exchange desk's two accounts for a currency: one in the currency itself, one in the bridge's stablecoin. */
export const deskAccounts = (currency: CurrencyCode): { own: Account; stablecoin: Account } => ({
  own: bridgeAccount(currency),
  stablecoin: bridgeStablecoinAccount(currency),
})
