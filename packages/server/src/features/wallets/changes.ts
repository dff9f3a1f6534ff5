import type pg from 'pg'
import type { ReadChanges } from '../../events.ts'
import { type StoredTransaction, transactionView } from './transactions.ts'
import type { Wallets } from './wallets.ts'

/** More than one ledger batch can hold for one user, so that each reading gets further. */
const mostRows = 1000

/**
 * What is new for a user since a position. A position is the oldest transaction number (xid8) that was still open when
 * it was read: everything committed later, in whatever order, has that number or a higher one, so nothing is missed.
 */
export function readChanges({ pool, wallets }: { pool: pg.Pool; wallets: Wallets }): ReadChanges {
  return async (userId, position) => {
    const snapshot = await pool.query<{ position: string }>(
      `select pg_snapshot_xmin(pg_current_snapshot())::text as position`,
    )
    const next = snapshot.rows[0]?.position ?? '0'
    const rows = position === undefined ? [] : await rowsSince(pool, userId, position)
    const wallet = await wallets.walletOf(userId)
    if (!wallet) throw new Error(`user ${String(userId)} has no wallet`)
    const more = rows.length === mostRows
    return {
      wallet: await wallets.viewOf(wallet),
      transactions: rows.map(transactionView),
      position: (more ? rows.at(-1)?.position : undefined) ?? next,
      more,
    }
  }
}

async function rowsSince(pool: pg.Pool, userId: bigint, position: string) {
  const { rows } = await pool.query<StoredTransaction & { position: string }>(
    `select t.*, t.xid::text as position, u.username as counterparty_username, u.name as counterparty_name
       from transaction t
       left join app_user u on u.id = case t.kind when 'RECEIVE' then t.sender_id when 'SEND' then t.recipient_id end
      where t.user_id = $1 and t.xid >= $2::text::xid8
      order by t.xid, t.id limit ${String(mostRows)}`,
    [userId, position],
  )
  return rows
}
