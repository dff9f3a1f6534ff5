import type { KycStatus } from '@tern/contract/kyc'
import { isUserNumber } from '../identity/identity.ts'
import type { PartyOf, Wallets } from './wallets.ts'

interface KnownUser {
  readonly id: bigint
  readonly username: string
  readonly name: string | null
  readonly kycStatus: KycStatus
}

export interface UserDirectory {
  usersById(ids: readonly bigint[]): Promise<Map<bigint, KnownUser>>
  /** Caches a reader until the user changes. */
  rememberByUser(read: PartyOf): PartyOf
}

interface Options {
  readonly people: UserDirectory
  readonly walletOf: Wallets['walletOf']
}

/**
 * Looks up a party, without a query for a wrong check digit. Changes of name, verification or base currency notify all
 * processes, keeping the cache current.
 */
export function createParties({ people, walletOf }: Options): PartyOf {
  const read = people.rememberByUser(async (userId) => {
    // The user first: a wallet read later has the currency set by verification.
    const user = (await people.usersById([userId])).get(userId)
    const wallet = await walletOf(userId)
    if (!user || !wallet) return undefined
    return {
      userId,
      username: user.username,
      name: user.name,
      verified: user.kycStatus === 'verified',
      wallet,
    }
  })
  return async (userId) => (isUserNumber(userId) ? read(userId) : undefined)
}
