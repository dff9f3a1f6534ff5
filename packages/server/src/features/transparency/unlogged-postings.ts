// Finds committed postings that are not in the log, in the order in which they are appended.

import type { Tx } from '../../platform/database/db.ts'
import { type Position, storePosition } from '../../platform/database/followed-changes.ts'

const table = 'transparency_position'

/** Width of the first range of transaction numbers that is searched for postings. */
const narrowRange = 256n

/** Postings to append next, and whether more may follow. */
export interface NextPostings {
  readonly ids: readonly string[]
  readonly hasMore: boolean
}

/**
 * Queues every posting that is not in the log, by time, and moves the position to the horizon. For the postings from
 * before the log, and after a restore into another cluster, whose transaction numbers begin again.
 */
export async function queueUnlogged(tx: Tx, { horizon }: Position): Promise<void> {
  await tx.query('delete from transparency_queue')
  await tx.query(
    `insert into transparency_queue (number, posting_id)
      select row_number() over (order by p.created_at, p.id), p.id from ledger.posting p
       where p.refusal is null and not exists (select from transparency_leaf l where l.posting_id = p.id)`,
  )
  await storePosition(tx, table, horizon)
  await tx.query(`update ${table} set is_queued = true`)
}

/** Takes the next postings from the queue. */
export async function takeQueued(tx: Tx, atMost: number): Promise<readonly string[]> {
  const { rows } = await tx.query<{ posting_id: string }>(
    `with taken as (
       delete from transparency_queue where number in (select number from transparency_queue order by number limit $1)
       returning number, posting_id
     )
     select posting_id from taken order by number`,
    [atMost],
  )
  return rows.map((row) => row.posting_id)
}

/**
 * Returns the next `atMost` postings by transaction number, and moves the position to the last one's transaction. The
 * next call reads that transaction again, without its postings that are in the log by then.
 */
export async function takeFollowing(tx: Tx, found: Position, atMost: number): Promise<NextPostings> {
  // Block ranges are only searched by bitmap.
  await tx.query('set local enable_seqscan = off')
  const horizon = BigInt(found.horizon)
  const ids: string[] = []
  let from = BigInt(found.position)
  let width = narrowRange
  while (from < horizon) {
    const end = from + width < horizon ? from + width : horizon
    if (width > narrowRange && (await hasPostings(tx, from, end))) {
      width = narrowRange
      continue
    }
    const rows = width === narrowRange ? await readRange(tx, { from, end, atMost: atMost - ids.length }) : []
    ids.push(...rows.map(({ id }) => id))
    const last = rows.at(-1)
    if (last && ids.length === atMost) {
      await storePosition(tx, table, last.xid.toString())
      return { ids, hasMore: true }
    }
    from = end
    width = rows.length > 0 ? narrowRange : width * 2n
  }
  await storePosition(tx, table, found.horizon)
  return { ids, hasMore: false }
}

async function hasPostings(tx: Tx, from: bigint, end: bigint): Promise<boolean> {
  const { rows } = await tx.query<{ exists: boolean }>(
    'select exists (select from ledger.posting where xid >= $1::bigint and xid < $2::bigint) as exists',
    [from, end],
  )
  return rows[0]?.exists === true
}

interface NumberedPosting {
  readonly id: string
  readonly xid: bigint
}

/** Reads committed postings of a range of transaction numbers that are not in the log. */
async function readRange(
  tx: Tx,
  { from, end, atMost }: { readonly from: bigint; readonly end: bigint; readonly atMost: number },
): Promise<readonly NumberedPosting[]> {
  const { rows } = await tx.query<NumberedPosting>(
    `select p.id, p.xid from ledger.posting p
      where p.xid >= $1::bigint and p.xid < $2::bigint and p.refusal is null
        and not exists (select from transparency_leaf l where l.posting_id = p.id)
      order by p.xid, p.created_at, p.id limit $3`,
    [from, end, atMost],
  )
  return rows
}
