import type { KycStatus } from '@tern/contract/kyc'
import { isUserNumber } from '../identity/identity.ts'
import type { Party, PartyOf, Wallets } from './wallets.ts'

interface KnownUser {
  readonly id: bigint
  readonly username: string
  readonly name: string | null
  readonly kycStatus: KycStatus
}

export type UsersById = (ids: readonly bigint[]) => Promise<Map<bigint, KnownUser>>

const rememberedParties = 20_000
const rememberedMs = 60_000

/**
 * Looks up a party; a number whose check digit is wrong is nobody's, which needs no look. A verified user's wallet and
 * base currency never change, so verified parties are remembered for a minute (a changed display name may lag that
 * long); others are read every time.
 */
export function createParties(options: { usersById: UsersById; walletOf: Wallets['walletOf'] }): PartyOf {
  const remembered = new Map<bigint, { party: Party; until: number }>()

  return async (userId) => {
    const known = remembered.get(userId)
    if (known && known.until > performance.now()) return known.party
    if (!isUserNumber(userId)) return undefined
    // The user first: a wallet read after it has the currency that verification gave it.
    const user = (await options.usersById([userId])).get(userId)
    const wallet = await options.walletOf(userId)
    if (!user || !wallet) return undefined
    const party: Party = {
      userId,
      username: user.username,
      name: user.name,
      verified: user.kycStatus === 'verified',
      wallet,
    }
    if (party.verified) {
      if (remembered.size >= rememberedParties) remembered.clear()
      remembered.set(userId, { party, until: performance.now() + rememberedMs })
    }
    return party
  }
}
