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
  /** Remembers what is read about a user until that user changes. */
  rememberByUser(read: PartyOf): PartyOf
}

interface Options {
  readonly people: UserDirectory
  readonly walletOf: Wallets['walletOf']
}

/**
 * Looks up a party; a number whose check digit is wrong is nobody's, which needs no look. Whoever changes a name, a
 * verification or a base currency notifies all processes of that user's change, so nothing outdated is remembered.
 */
export function createParties({ people, walletOf }: Options): PartyOf {
  const read = people.rememberByUser(async (userId) => {
    // The user first: a wallet read after it has the currency that verification gave it.
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
