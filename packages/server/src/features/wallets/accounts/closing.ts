import { holdAccount, walletAccount } from '@tern/ledger/chart'
import { closeAccounts, openAccounts, reopenAccounts } from '@tern/ledger/ledger'
import { currencyCodes } from '@tern/money/currency'
import type { Tx } from '../../../platform/database/db.ts'
import type { WalletRow } from '../row-types.ts'

// Closes and reopens the wallets of users who leave; a closed wallet receives no money.

/** Ledger ids of the user's wallet and hold accounts in every currency; opens those that are missing. */
async function listAccountIds(tx: Tx, userId: bigint): Promise<bigint[]> {
  const { rows } = await tx.query<Pick<WalletRow, 'id'>>('select id from wallet where user_id = $1', [userId])
  const accounts = rows.flatMap(({ id }) =>
    currencyCodes.flatMap((code) => [walletAccount(id, code), holdAccount(id, code)]),
  )
  return openAccounts(tx, accounts)
}

/**
 * Closes every account of a user's wallet, in the caller's transaction. Closes none and returns false if one has money.
 */
export const closeWallet = async (tx: Tx, userId: bigint): Promise<boolean> =>
  (await closeAccounts(tx, await listAccountIds(tx, userId))) === undefined

/** Undoes `closeWallet`, in the caller's transaction. */
export const reopenWallet = async (tx: Tx, userId: bigint): Promise<void> =>
  reopenAccounts(tx, await listAccountIds(tx, userId))

/**
 * Reopens the wallet of a user whose account is scheduled for deletion, for money that cannot be sent back, such as a
 * payout that the bank returned. The later deletion finds that money. Wallets of deleted users stay closed.
 */
export async function reopenForArrival(tx: Tx, userId: bigint): Promise<void> {
  const { rowCount } = await tx.query(
    'select from app_user where id = $1 and deletion_due_at is not null for key share',
    [userId],
  )
  if (rowCount === 1) await reopenWallet(tx, userId)
}
