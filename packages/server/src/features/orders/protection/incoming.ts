// Matches incoming payments with protection rules, once per payment and rule.

import type pg from 'pg'
import { transact, type Tx } from '../../../platform/database/db.ts'
import { findNextRange, lockCurrentPosition, storePosition } from '../../../platform/database/followed-changes.ts'
import { derivedId } from '../../../platform/ids.ts'
import type { OrdersContext } from '../context.ts'

const rowsPerStep = 500

/**
 * Adds an action for each committed incoming payment to which a rule applies. Other workers return at once while one
 * is working. An interrupted step leaves nothing behind.
 */
export async function followIncoming(ctx: OrdersContext, pool: pg.Pool): Promise<void> {
  while ((await transact(pool, (tx) => processIncomingStep(ctx, tx))) === 'more');
}

async function processIncomingStep({ now }: OrdersContext, tx: Tx): Promise<'idle' | 'more'> {
  const position = await lockCurrentPosition(tx, 'protection_position')
  if (!position) return 'idle'
  const range = await findNextRange(tx, position, { table: 'transaction', atMost: rowsPerStep })
  if (!range) return 'idle'
  const { rows } = await tx.query<{ rule_id: string; incoming_id: string }>(
    `select r.id as rule_id, t.id as incoming_id
       from transaction t
       join protection_rule r on r.user_id = t.user_id and r.is_on and r.kind = 'convert_incoming'
         and r.base_currency = t.target_currency
       join ledger.posting p on p.id = t.posting_id
      where t.xid >= $1::xid8 and t.xid < $2::xid8 and t.kind in ('RECEIVE', 'DEPOSIT') and t.status = 'COMPLETED'
        and p.created_at >= r.on_since`,
    [range.from, range.end],
  )
  const at = now()
  await tx.query(
    `insert into protection_action (id, rule_id, incoming_id, state, try_at, created_at)
       select id, rule_id, incoming_id, 'waiting', $4, $4
         from unnest($1::uuid[], $2::uuid[], $3::uuid[]) as n (id, rule_id, incoming_id)
     on conflict do nothing`,
    [
      rows.map((row) => derivedId('protection action', row.rule_id, row.incoming_id)),
      rows.map((row) => row.rule_id),
      rows.map((row) => row.incoming_id),
      at,
    ],
  )
  await storePosition(tx, 'protection_position', range.end)
  return 'more'
}
