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
  /** True if they may send and receive: never while their account is about to be deleted. */
  readonly verified: boolean
  /** Country of verified residence, as the verification form names it; null before verification. */
  readonly country: string | null
  /** True if their account will be deleted unless they log in. */
  readonly isLeaving: boolean
  readonly wallet: Wallet
}

export type People = Pick<Identity, 'usersById' | 'rememberByUser'>

/**
 * Parties in memory. Those requested of a connection in one turn of the event loop share two queries. Changes of name,
 * verification, base currency or leaving notify all processes, keeping the cache current.
 */
export const cacheParties = (people: People) => people.rememberByUser((db, userIds) => readParties(people, db, userIds))

/** A party, or undefined; no query for a wrong check digit. */
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
