import { type Identity, isUserNumber, type KnownUser } from '../identity/identity.ts'
import type { Party, PartyOf, Wallet } from './wallets.ts'

interface Options {
  readonly people: Pick<Identity, 'usersById' | 'rememberByUser'>
  readonly walletsOf: (userIds: readonly bigint[]) => Promise<ReadonlyMap<bigint, Wallet>>
}

/**
 * Looks up a party, without a query for a wrong check digit; parties requested in one turn of the event loop share two queries.
 * Changes of name, verification, base currency or leaving notify all processes, keeping the cache current.
 */
export function createParties({ people, walletsOf }: Options): PartyOf {
  const read = people.rememberByUser(async (db, userIds) => {
    // Users first: a wallet read later has the currency set by verification.
    const users = await people.usersById(db, userIds)
    const wallets = await walletsOf(userIds)
    const parties = new Map<bigint, Party>()
    for (const [userId, user] of users) {
      const wallet = wallets.get(userId)
      if (wallet) parties.set(userId, partyFrom(user, wallet))
    }
    return parties
  })
  return async (userId) => (isUserNumber(userId) ? read(userId) : undefined)
}

function partyFrom(known: KnownUser, wallet: Wallet): Party {
  const { id, username, name, localName, isLeaving, kycStatus, country } = known
  const verified = kycStatus === 'verified' && !isLeaving
  return { userId: id, username, name, localName, verified, country, isLeaving, wallet }
}
