// Followers of committed changes. Each stores its position, a transaction number, in a table with one row. It reads the
// rows written since then in steps, each in one transaction with its results. One process works at a time, the others
// return at once; an interrupted step has no effect.

import type { Tx } from './db.ts'

export interface Position {
  /** Rows of transactions with lower numbers have been processed. */
  readonly position: string
  /** Lowest number of an open transaction; rows from here on may be incomplete. */
  readonly horizon: string
  /** False after a restore into another cluster, which has its own numbers. */
  readonly isHere: boolean
}

/** Range of transaction numbers. */
export interface NumberRange {
  readonly from: string
  /** First number after the range. */
  readonly end: string
}

/** Locks the position of a follower; undefined while another process has locked it. */
export async function lockPosition(tx: Tx, table: string): Promise<Position | undefined> {
  const { rows } = await tx.query<Position>(
    `select position::text, pg_snapshot_xmin(pg_current_snapshot())::text as horizon,
         cluster = system_identifier as "isHere"
       from ${table}, pg_control_system() for update of ${table} skip locked`,
  )
  return rows[0]
}

/**
 * Like `lockPosition`. After a restore into another cluster, the position is set to the horizon, so that no row is
 * processed twice.
 */
export async function lockCurrentPosition(tx: Tx, table: string): Promise<Position | undefined> {
  const found = await lockPosition(tx, table)
  if (found?.isHere !== false) return found
  await storePosition(tx, table, found.horizon)
  return { ...found, position: found.horizon, isHere: true }
}

export const storePosition = (tx: Tx, table: string, position: string) =>
  tx.query(`update ${table} set position = $1::xid8, cluster = (select system_identifier from pg_control_system())`, [
    position,
  ])

/**
 * Returns the transaction numbers of the next `atMost` rows of `table`, and of the other rows that the last transaction
 * wrote. Undefined if there are none.
 */
export async function findNextRange(
  tx: Tx,
  { position, horizon }: Position,
  { table, atMost }: { readonly table: string; readonly atMost: number },
): Promise<NumberRange | undefined> {
  await tx.query('set local enable_seqscan = off')
  const { rows } = await tx.query<{ end: string }>(
    `select (xid::text::numeric + 1)::text as end from
       (select xid from ${table} where xid >= $1::xid8 and xid < $2::xid8 order by xid limit $3) as next
      order by next.xid desc limit 1`,
    [position, horizon, atMost],
  )
  return rows[0] && { from: position, end: rows[0].end }
}
