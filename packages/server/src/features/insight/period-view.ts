import type { Db } from '../../platform/database/db.ts'
import type { TransactionRow } from '../wallets/row-types.ts'
import { findMonth, type Period } from './period.ts'

/** Reads the wire form of a period, with the month of the user's first transaction. */
export async function viewPeriod(
  db: Db,
  { userId, period: { period, from, to, timeZone } }: { readonly userId: bigint; readonly period: Period },
) {
  const { rows } = await db.query<Pick<TransactionRow, 'created_at'>>(
    'select created_at from transaction where user_id = $1 order by id limit 1',
    [userId],
  )
  return {
    period,
    from: from.toISOString(),
    to: to.toISOString(),
    time_zone: timeZone,
    first_month: rows[0] ? findMonth(rows[0].created_at, timeZone) : null,
  }
}
