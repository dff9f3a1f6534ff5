import type { Tx } from '../../../platform/database/db.ts'

/** What people pay from or to, and choose one of: each of these tables has the same columns for that. */
export type MethodTable = 'bank_account' | 'saved_card'

/** Lets one transaction at a time change what this user pays with, so that there is always one default. */
export async function lockMethods(tx: Tx, userId: bigint): Promise<void> {
  await tx.query('select pg_advisory_xact_lock(hashtextextended($1, 0))', [`payment methods of ${userId}`])
}

/** How many of them the user has. To be asked with the user's methods locked. */
export async function countMethods(tx: Tx, table: MethodTable, userId: bigint): Promise<number> {
  const { rows } = await tx.query<{ count: number }>(
    `select count(*)::int as count from ${table} where user_id = $1 and removed_at is null`,
    [userId],
  )
  return rows[0]?.count ?? 0
}

/** Makes one of the user's methods the default. False when it is not there. */
export async function chooseMethod(tx: Tx, table: MethodTable, userId: bigint, id: string): Promise<boolean> {
  await lockMethods(tx, userId)
  const own = await tx.query(`select from ${table} where id = $1 and user_id = $2 and removed_at is null`, [id, userId])
  if (own.rowCount !== 1) return false
  // One after the other: there is at no moment more than one.
  await tx.query(`update ${table} set is_default = false where user_id = $1 and is_default and removed_at is null`, [
    userId,
  ])
  await tx.query(`update ${table} set is_default = true where id = $1`, [id])
  return true
}

/** Removes one of the user's methods; the newest that is left takes its place as default. Gives its token, if it was there. */
export async function removeMethod(
  tx: Tx,
  table: MethodTable,
  { userId, id, at }: { userId: bigint; id: string; at: Date },
): Promise<string | undefined> {
  await lockMethods(tx, userId)
  const { rows } = await tx.query<{ token: string }>(
    `update ${table} set removed_at = $3 where id = $1 and user_id = $2 and removed_at is null returning token`,
    [id, userId, at],
  )
  await tx.query(
    `update ${table} set is_default = true
      where id = (select id from ${table} where user_id = $1 and removed_at is null order by id desc limit 1)
        and not exists (select from ${table} where user_id = $1 and removed_at is null and is_default)`,
    [userId],
  )
  return rows[0]?.token
}
