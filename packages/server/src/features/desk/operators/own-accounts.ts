import type { DeskQueue } from '@tern/contract/desk/roles'
import type pg from 'pg'
import { type Db, transact, type Tx } from '../../../platform/database/db.ts'
import { insertRow } from '../../../platform/database/rows.ts'
import type { DeskContext } from '../context.ts'
import { findPerson } from '../find-person.ts'
import { type Actor, writeLine } from '../log.ts'
import { OperatorAccountError, lockByName } from './lock-operator.ts'
import type { DeskOperatorRow } from '../row-types.ts'

// Customer accounts that operators own. Operators neither read nor decide entries that concern their own account. The
// database function `desk_parties` names the parties of an entry, and a trigger on decisions enforces the rule as well.

/**
 * Links an operator, whose row is locked, to an account of their own. Throws OperatorAccountError for an unknown or
 * already linked account.
 */
export async function linkOwnAccount(
  tx: Tx,
  { operatorId, identifier, actor, at }: { operatorId: string; identifier: string; actor: Actor; at: Date },
): Promise<void> {
  const userId = await findPerson(tx, identifier)
  const { rowCount } = await tx.query('select from app_user where id = $1 and deleted_at is null', [userId ?? null])
  if (userId === undefined || rowCount === 0) throw new OperatorAccountError(`${identifier} has no account.`)
  const row = { operator_id: operatorId, user_id: userId, linked_at: at }
  if (!(await insertRow(tx, 'desk_own_account', row, 'on conflict do nothing'))) {
    throw new OperatorAccountError(`${identifier} is already linked.`)
  }
  await writeLine(tx, actor, { act: 'account_linked', subject: operatorId, after: String(userId) }, at)
}

/**
 * Links an operator to further accounts of their own and releases their claims on entries that concern them. Throws
 * OperatorAccountError for an unknown or disabled name, or an unknown or already linked account.
 */
export async function linkAccounts(
  { realNow }: DeskContext,
  pool: pg.Pool,
  { name, accounts, actor }: { name: string; accounts: readonly string[]; actor: Actor },
): Promise<void> {
  const operatorId = await transact(pool, async (tx) => {
    const { id } = await lockByName(tx, name)
    for (const identifier of accounts) await linkOwnAccount(tx, { operatorId: id, identifier, actor, at: realNow() })
    return id
  })
  // Outside the transaction above, since decisions lock the entry before the operators.
  await pool.query(
    'update desk_item set claimed_by = null where claimed_by = $1 and desk_is_own(queue, subject, claimed_by)',
    [operatorId],
  )
}

/**
 * Ends the link to an account and logs the reason. Throws OperatorAccountError for an unknown or disabled name, or an
 * account that is not linked.
 */
export function unlinkAccount(
  { realNow }: DeskContext,
  pool: pg.Pool,
  { name, account, because, actor }: { name: string; account: string; because: string; actor: Actor },
): Promise<void> {
  return transact(pool, async (tx) => {
    const { id } = await lockByName(tx, name)
    const userId = await findPerson(tx, account)
    const at = realNow()
    const { rowCount } = await tx.query(
      `update desk_own_account set unlinked_at = greatest($3, linked_at)
        where operator_id = $1 and user_id = $2 and unlinked_at is null`,
      [id, userId ?? null, at],
    )
    if (rowCount === 0) throw new OperatorAccountError(`${account} is not linked.`)
    const line = { act: 'account_unlinked', subject: id, before: String(userId), reason: because } as const
    await writeLine(tx, actor, line, at)
  })
}

/** Returns the user numbers of currently linked accounts, by operator id. */
export async function readOwnAccounts(db: Db): Promise<ReadonlyMap<string, readonly string[]>> {
  const { rows } = await db.query<{ id: string; accounts: string[] }>(
    `select operator_id as id, array_agg(user_id::text order by linked_at, user_id) as accounts
       from desk_own_account where unlinked_at is null group by operator_id`,
  )
  return new Map(rows.map(({ id, accounts }) => [id, accounts]))
}

export async function isOwnAccount(
  db: Db,
  { operatorId, userId }: { readonly operatorId: string; readonly userId: bigint },
): Promise<boolean> {
  const { rowCount } = await db.query(
    'select from desk_own_account where operator_id = $1 and user_id = $2 and unlinked_at is null',
    [operatorId, userId],
  )
  return rowCount === 1
}

/** Returns the ids of the entries of a queue that concern the operator's own account. */
export async function findOwnSubjects(
  db: Db,
  { operatorId, queue, subjects }: { operatorId: string; queue: DeskQueue; subjects: readonly string[] },
): Promise<ReadonlySet<string>> {
  const { rows } = await db.query<{ subject: string }>(
    `select subject from unnest($3::uuid[]) as subject
      where exists (select from desk_own_account where operator_id = $1 and unlinked_at is null)
        and desk_is_own($2, subject, $1)`,
    [operatorId, queue, subjects],
  )
  return new Set(rows.map(({ subject }) => subject))
}

/**
 * Returns those of the operators whose own account an entry concerns. Until the transaction ends, none of the operators
 * can be linked to an account.
 */
export async function lockInvolved(
  tx: Tx,
  { operatorIds, queue, subject }: { operatorIds: readonly string[]; queue: DeskQueue; subject: string },
): Promise<ReadonlySet<string>> {
  // Conflicts with the lock of `lockByName` that linking takes, so the next read sees every link.
  await tx.query('select from desk_operator where id = any($1) order by id for key share', [operatorIds])
  const { rows } = await tx.query<Pick<DeskOperatorRow, 'id'>>(
    'select id from desk_operator where id = any($1) and desk_is_own($2, $3, id)',
    [operatorIds, queue, subject],
  )
  return new Set(rows.map(({ id }) => id))
}
