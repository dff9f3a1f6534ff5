import type { Account } from '@tern/ledger/chart'
import { findAccountIds, openAccounts } from '@tern/ledger/ledger'
import type pg from 'pg'
import { transact } from '../../../platform/database/db.ts'
import { createJointReads } from '../../../platform/database/joint-reads.ts'

/** Returns a reader of the ledger ids of accounts, which are opened on first use. */
export function createAccountIds(pool: pg.Pool): (account: Account) => Promise<bigint> {
  // Account ids never change.
  const known = new Map<string, bigint>()
  const find = createJointReads((names: readonly string[]) => findAccountIds(pool, names))

  async function open(account: Account): Promise<bigint> {
    const [id] = await transact(pool, (tx) => openAccounts(tx, [account]))
    if (id === undefined) throw new Error(`account ${account.name} could not be opened`)
    return id
  }

  return async (account) => {
    const id = known.get(account.name) ?? (await find(account.name)) ?? (await open(account))
    known.set(account.name, id)
    return id
  }
}
