import type { DataAccess } from '@tern/contract/privacy/privacy'
import type { Db } from '../../platform/database/db.ts'
import { insertRow } from '../../platform/database/rows.ts'
import { newId } from '../../platform/ids.ts'
import { isDisclosedSql } from '../compliance/compliance.ts'

/** One reading of somebody's data, as that person will read it. */
export interface Reading {
  readonly userId: bigint
  readonly role: DataAccess['role']
  /** A pseudonym of one person in that role; none of the person themselves. */
  readonly operator?: string
  readonly purpose: DataAccess['purpose']
  readonly what: readonly [DataAccess['what'][number], ...DataAccess['what']]
  readonly at: Date
}

/**
 * Records that somebody read a person's data. The one way to do so: whoever shows a person's rows to anybody else calls it in
 * the transaction, or before the answer, that shows them.
 */
export async function recordDataAccess(db: Db, { userId, at, ...reading }: Reading): Promise<void> {
  await insertRow(db, 'data_access', { id: newId(at), user_id: userId, at, ...reading })
}

const pageRows = 50

/**
 * SQL after `select`: the readings `a` of person $1 that they may know of. Who reads that somebody looked for a case knows that there is
 * one: of a case that they are told nothing of, they are not told that either.
 */
export const toldReadings = `from data_access a where a.user_id = $1 and (a.purpose <> 'case' or exists (
  select from compliance_case c where c.user_id = a.user_id and c.opened_at <= a.at
     and ${isDisclosedSql}))`

/** Who looked at somebody's data, newest first, from the reading after `before` on. */
export async function readDataAccesses(
  db: Db,
  { userId, before }: { userId: bigint; before: string | undefined },
): Promise<{ accesses: DataAccess[]; has_more: boolean }> {
  const { rows } = await db.query<Omit<DataAccess, 'at'> & { at: Date }>(
    `select id, at, role, operator, purpose, what ${toldReadings}
        and ($2::uuid is null
          or (at, id) < (select at, id from data_access where user_id = $1 and id = $2))
      order by at desc, id desc limit $3`,
    [userId, before ?? null, pageRows + 1],
  )
  const accesses = rows.slice(0, pageRows).map((row) => Object.assign(row, { at: row.at.toISOString() }))
  return { accesses, has_more: rows.length > pageRows }
}
