import type { LinkedAccount } from '@tern/providers/link/port'
import type { Tx } from '../../../platform/database/db.ts'
import { lockInstruments } from '../instruments/instruments.ts'

/**
 * True if the user has linked what seems to be the same account before, by its bank and last digits, at a provider that
 * cannot identify accounts. A user with two such accounts has to remove the first one.
 */
export async function isLinkedAlready(
  tx: Tx,
  {
    userId,
    provider,
    account,
  }: { readonly userId: bigint; readonly provider: string; readonly account: LinkedAccount },
): Promise<boolean> {
  if (!account.isFingerprintOfLink) return false
  await lockInstruments(tx, userId)
  const { bankName, last4, currency, country, fingerprint } = account
  const { rowCount } = await tx.query(
    `select from bank_account where user_id = $1 and provider = $2 and removed_at is null and lower(bank_name) = lower($3)
        and last4 = $4 and currency = $5 and country = $6 and fingerprint <> $7`,
    [userId, provider, bankName, last4, currency, country, fingerprint],
  )
  return rowCount !== 0
}
