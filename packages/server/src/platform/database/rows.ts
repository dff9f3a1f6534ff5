import type { Db } from './db.ts'

type UnknownRow = Readonly<Record<string, unknown>>

/** Columns of a left join; each may be null. */
export type LeftJoined<Columns> = { readonly [Column in keyof Columns]: Columns[Column] | null }

/**
 * Inserts a row whose values are keyed by column; undefined becomes null. Returns false when `conflictClause`, such as
 * `on conflict do nothing`, skipped it.
 */
export async function insertRow(db: Db, table: string, row: UnknownRow, conflictClause = ''): Promise<boolean> {
  const places = Object.keys(row).map((_, index) => `$${index + 1}`)
  const sql = `insert into ${table} (${Object.keys(row).join(', ')}) values (${places.join(', ')}) ${conflictClause}`
  return (await db.query(sql, Object.values(row))).rowCount === 1
}

export async function updateRow(db: Db, table: string, id: string, changes: UnknownRow): Promise<void> {
  const columns = Object.keys(changes).map((column, index) => `${column} = $${index + 2}`)
  await db.query(`update ${table} set ${columns.join(', ')} where id = $1`, [id, ...Object.values(changes)])
}
