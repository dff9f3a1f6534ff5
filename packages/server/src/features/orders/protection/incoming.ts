// Matches incoming payments to protection rules, once per payment and rule across workers.

import type pg from 'pg'
import { transact, type Tx } from '../../../platform/database/db.ts'
import { derivedId } from '../../../platform/ids.ts'
import type { OrdersContext } from '../context.ts'

const rowsPerStep = 500

interface Position {
  readonly position: string
  readonly horizon: string
  readonly is_here: boolean
}

/**
 * Records every incoming payment up to the latest commit for the rules it concerns. Only one of several workers works,
 * the others return at once; an interrupted worker has recorded nothing of its step.
 */
export async function followIncoming(ctx: OrdersContext, pool: pg.Pool): Promise<void> {
  while ((await transact(pool, (tx) => followStep(ctx, tx))) === 'more');
}

/** Locks the position; undefined while another worker has it. */
async function lockPosition(tx: Tx): Promise<Position | undefined> {
  const { rows } = await tx.query<Position>(
    `select position::text, pg_snapshot_xmin(pg_current_snapshot())::text as horizon, cluster = system_identifier as is_here
       from protection_position, pg_control_system() for update of protection_position skip locked`,
  )
  const [found] = rows
  if (found?.is_here !== false) return found
  // After a restore into another cluster, transaction ids start over, so earlier payments are skipped.
  await tx.query(
    `update protection_position set position = $1::xid8, cluster = (select system_identifier from pg_control_system())`,
    [found.horizon],
  )
  return { ...found, position: found.horizon, is_here: true }
}

async function followStep({ now }: OrdersContext, tx: Tx): Promise<'idle' | 'more'> {
  const at = await lockPosition(tx)
  if (!at) return 'idle'
  await tx.query('set local enable_seqscan = off')
  const { rows: ends } = await tx.query<{ xid: string }>(
    `select (xid::text::numeric + 1)::text as xid from
       (select xid from transaction where xid >= $1::xid8 and xid < $2::xid8 order by xid limit $3) as next
      order by next.xid desc limit 1`,
    [at.position, at.horizon, rowsPerStep],
  )
  const end = ends[0]?.xid
  if (end === undefined) return 'idle'
  const { rows } = await tx.query<{ rule_id: string; incoming_id: string }>(
    `select r.id as rule_id, t.id as incoming_id
       from transaction t
       join protection_rule r on r.user_id = t.user_id and r.is_on and r.kind = 'convert_incoming'
         and r.base_currency = t.target_currency
       join ledger.posting p on p.id = t.posting_id
      where t.xid >= $1::xid8 and t.xid < $2::xid8 and t.kind in ('RECEIVE', 'DEPOSIT') and t.status = 'COMPLETED'
        and p.created_at >= r.on_since`,
    [at.position, end],
  )
  const when = now()
  await tx.query(
    `insert into protection_action (id, rule_id, incoming_id, state, try_at, created_at)
       select id, rule_id, incoming_id, 'waiting', $4, $4
         from unnest($1::uuid[], $2::uuid[], $3::uuid[]) as n (id, rule_id, incoming_id)
     on conflict do nothing`,
    [
      rows.map((row) => derivedId('protection action', row.rule_id, row.incoming_id)),
      rows.map((row) => row.rule_id),
      rows.map((row) => row.incoming_id),
      when,
    ],
  )
  await tx.query('update protection_position set position = $1::xid8', [end])
  return 'more'
}
