import type { Account } from '@tern/ledger/chart'
import { findAccountIds, openAccounts } from '@tern/ledger/ledger'
import { type Db, onceCommitted } from '../../../platform/database/db.ts'
import { createJointReads } from '../../../platform/database/joint-reads.ts'

/** Ledger ids of accounts by name. They never change. */
export type AccountIds = Map<string, bigint>

const readAccountId = createJointReads<string, bigint>(findAccountIds)

/** The ledger id of an account, opened on first use. */
export async function accountId(known: AccountIds, db: Db, account: Account): Promise<bigint> {
  const { name } = account
  const id = known.get(name) ?? (await readAccountId(db, name)) ?? (await openAccount(db, account))
  // Opening an account can still be rolled back.
  if (!known.has(name)) onceCommitted(db, () => known.set(name, id))
  return id
}

async function openAccount(db: Db, account: Account): Promise<bigint> {
  const [id] = await openAccounts(db, [account])
  if (id === undefined) throw new Error(`account ${account.name} could not be opened`)
  return id
}
