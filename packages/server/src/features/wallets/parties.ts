import type { Db } from '../../platform/database/db.ts'
import { type Identity, isUserNumber, type KnownUser } from '../identity/identity.ts'
import { findWallets, type Wallet } from './accounts/wallet-rows.ts'

/** A party to a movement: public profile and wallet. */
export interface Party {
  readonly userId: bigint
  readonly username: string
  readonly name: string | null
  /** Verified name in its own script, if given. */
  readonly localName?: string | null
  /** True if the user may send and receive; false while the account is scheduled for deletion. */
  readonly verified: boolean
  /** Country of verified residence, as the verification form names it; null before verification. */
  readonly country: string | null
  /** True if the account will be deleted unless the user logs in. */
  readonly isLeaving: boolean
  readonly wallet: Wallet
}

export type People = Pick<Identity, 'usersById' | 'rememberByUser'>

/**
 * Caches parties. Those requested from a connection in one turn of the event loop share two queries. All processes are
 * notified of changes of name, verification, base currency or planned deletion, so the cache stays current.
 */
export const cacheParties = (people: People) => people.rememberByUser((db, userIds) => readParties(people, db, userIds))

/** Finds a party. Runs no query for a user number with a wrong check digit. */
export const findParty = async (
  parties: ReturnType<typeof cacheParties>,
  db: Db,
  userId: bigint,
): Promise<Party | undefined> => (isUserNumber(userId) ? parties(db, userId) : undefined)

async function readParties(people: People, db: Db, userIds: readonly bigint[]): Promise<Map<bigint, Party>> {
  // Users first: a wallet read later has the currency set by verification.
  const users = await people.usersById(db, userIds)
  const wallets = await findWallets(db, userIds)
  const parties = new Map<bigint, Party>()
  for (const [userId, user] of users) {
    const wallet = wallets.get(userId)
    if (wallet) parties.set(userId, toParty(user, wallet))
  }
  return parties
}

function toParty(user: KnownUser, wallet: Wallet): Party {
  const { id, username, name, localName, isLeaving, kycStatus, country } = user
  const verified = kycStatus === 'verified' && !isLeaving
  return { userId: id, username, name, localName, verified, country, isLeaving, wallet }
}
