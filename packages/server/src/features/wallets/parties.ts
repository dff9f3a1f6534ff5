import { type Identity, isUserNumber } from '../identity/identity.ts'
import type { Party, PartyOf, Wallet } from './wallets.ts'

interface Options {
  readonly people: Pick<Identity, 'usersById' | 'rememberByUser'>
  readonly walletOf: (userId: bigint) => Promise<Wallet | undefined>
}

/**
 * Looks up a party, without a query for a wrong check digit. Changes of name, verification, base currency or leaving notify all
 * processes, keeping the cache current.
 */
export function createParties({ people, walletOf }: Options): PartyOf {
  const read = people.rememberByUser(async (userId): Promise<Party | undefined> => {
    // The user first: a wallet read later has the currency set by verification.
    const user = (await people.usersById([userId])).get(userId)
    const wallet = await walletOf(userId)
    if (!user || !wallet) return undefined
    const { username, name, isLeaving, kycStatus } = user
    return { userId, username, name, verified: kycStatus === 'verified' && !isLeaving, isLeaving, wallet }
  })
  return async (userId) => (isUserNumber(userId) ? read(userId) : undefined)
}
