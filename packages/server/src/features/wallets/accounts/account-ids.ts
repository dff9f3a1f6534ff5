import assert from 'node:assert'
import type { Account } from '@tern/ledger/chart'
import { findAccountIds, openAccounts } from '@tern/ledger/ledger'
import { type Db, runAfterCommit } from '../../../platform/database/db.ts'
import { createJointReads } from '../../../platform/database/joint-reads.ts'

/** Ledger ids of accounts by name. They never change. */
export type AccountIds = Map<string, bigint>

const readAccountId = createJointReads<string, bigint>(findAccountIds)

/** Returns the ledger id of an account, which is opened on first use. */
export async function accountId(cache: AccountIds, db: Db, account: Account): Promise<bigint> {
  const [id] = await accountIds(cache, db, [account])
  assert(id !== undefined, `account ${account.name} could not be opened`)
  return id
}

/** Returns the ledger ids of accounts in the requested order; opens missing accounts together. */
export async function accountIds(cache: AccountIds, db: Db, accounts: readonly Account[]): Promise<bigint[]> {
  const ids = accounts.map(({ name }) => cache.get(name))
  return ids.every((id) => id !== undefined) ? ids : findOrOpen(cache, db, accounts)
}

async function findOrOpen(cache: AccountIds, db: Db, accounts: readonly Account[]): Promise<bigint[]> {
  const uncached = [...new Map(accounts.map((account) => [account.name, account])).values()].filter(
    ({ name }) => !cache.has(name),
  )
  const storedIds = await Promise.all(uncached.map(({ name }) => readAccountId(db, name)))
  const missing = uncached.filter((_, index) => storedIds[index] === undefined)
  const opened = missing.length === 0 ? [] : await openAccounts(db, missing)
  const ids = new Map([
    ...uncached.map(({ name }, index) => [name, storedIds[index]] as const),
    ...missing.map(({ name }, index) => [name, opened[index]] as const),
  ])
  // Caches ids after the commit only, since opening an account can be rolled back.
  if (ids.size > 0) runAfterCommit(db, () => ids.forEach((id, name) => id !== undefined && cache.set(name, id)))
  return accounts.map(({ name }) => {
    const id = cache.get(name) ?? ids.get(name)
    assert(id !== undefined, `account ${name} could not be opened`)
    return id
  })
}
