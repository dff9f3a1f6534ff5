import type { DataAccess } from '@tern/contract/privacy/privacy'
import type { Db } from '../../platform/database/db.ts'
import { insertRow } from '../../platform/database/rows.ts'
import { newId } from '../../platform/ids.ts'
import { isDisclosedSql } from '../compliance/compliance.ts'

/** Access to a user's data, as that user will see it. */
export interface DataAccessEntry {
  readonly userId: bigint
  readonly role: DataAccess['role']
  /** Pseudonym of the operator; none if the user reads their own data. */
  readonly operator?: string
  readonly purpose: DataAccess['purpose']
  readonly what: readonly [DataAccess['what'][number], ...DataAccess['what']]
  readonly at: Date
}

/**
 * Records an access to a user's data. Call it in the transaction that reads the data, or before the answer that shows
 * them.
 */
export async function recordDataAccess(db: Db, { userId, at, ...reading }: DataAccessEntry): Promise<void> {
  await insertRow(db, 'data_access', { id: newId(at), user_id: userId, at, ...reading })
}

const pageRows = 50

/**
 * SQL after `select`: accesses `a` to the data of user $1 that this user may see. Accesses for secret cases are left
 * out, because they would reveal the case.
 */
export const disclosedAccessesSql = `from data_access a where a.user_id = $1 and (a.purpose <> 'case' or exists (
  select from compliance_case c where c.user_id = a.user_id and c.opened_at <= a.at
     and ${isDisclosedSql}))`

/** Accesses to a user's data, newest first, older than the access `before` if given. */
export async function readDataAccesses(
  db: Db,
  { userId, before }: { userId: bigint; before: string | undefined },
): Promise<{ accesses: DataAccess[]; has_more: boolean }> {
  const { rows } = await db.query<Omit<DataAccess, 'at'> & { at: Date }>(
    `select id, at, role, operator, purpose, what ${disclosedAccessesSql}
        and ($2::uuid is null
          or (at, id) < (select at, id from data_access where user_id = $1 and id = $2))
      order by at desc, id desc limit $3`,
    [userId, before ?? null, pageRows + 1],
  )
  const accesses = rows.slice(0, pageRows).map((row) => Object.assign(row, { at: row.at.toISOString() }))
  return { accesses, has_more: rows.length > pageRows }
}
