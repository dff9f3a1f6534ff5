// Operators' side of calls. A call is shown to its user as long as it is open, has not expired, and its operator is
// enabled, so it ends for the user even if no process runs that ends it.

import { randomInt } from 'node:crypto'
import type { CallReason } from '@tern/contract/calls'
import type { DeskCall } from '@tern/contract/desk/calls'
import type pg from 'pg'
import { type Db, transact, type Tx } from '../../../platform/database/db.ts'
import { insertRow } from '../../../platform/database/rows.ts'
import { newId, wireId } from '../../../platform/ids.ts'
import { refuse } from '../../../platform/refuse.ts'
import type { Product } from '../../../product.ts'
import type { Operator } from '../context.ts'
import { writeLine } from '../log.ts'
import { isOwnAccount } from '../operators/own-accounts.ts'
import type { DeskCallRow } from '../row-types.ts'
import { endAssignments, endedColumns, type EndedCallRow, notifyEnded, touchCalls } from './end-call.ts'

const callMs = 30 * 60_000
/** Time for which an operator sees how their call ended. */
const afterwardsMs = 60 * 60_000
const callsPerHour = 20

type CallRow = Pick<
  DeskCallRow,
  'id' | 'user_id' | 'about' | 'code' | 'started_at' | 'expires_at' | 'confirmed_at' | 'ended_at' | 'ended_by'
> & { readonly username: string }

const toDeskCall = ({ user_id: userId, username, ...row }: CallRow): DeskCall => ({
  id: row.id,
  person: { id: wireId(userId), username },
  about: row.about,
  code: row.code,
  started_at: row.started_at.toISOString(),
  expires_at: row.expires_at.toISOString(),
  confirmed_at: row.confirmed_at?.toISOString() ?? null,
  ended_at: row.ended_at?.toISOString() ?? null,
  ended_by: row.ended_by,
})

interface NewCall {
  readonly operator: Operator
  readonly userId: bigint
  readonly about: CallReason
}

/**
 * Starts a call that its user sees at once, and returns it with its code. Refuses `desk_involved` for the operator's
 * own account, `desk_call_open` if operator or user have an open call, `rate_limited`, and `not_found`.
 */
export async function startCall(
  product: Product,
  pool: pg.Pool,
  { operator, userId, about }: NewCall,
): Promise<DeskCall> {
  const { realNow } = product.desk.context
  await endOverdueCalls(product)
  const call = await transact(pool, async (tx) => {
    // Links of own accounts lock the same row.
    await tx.query('select from desk_operator where id = $1 for update', [operator.id])
    if (await isOwnAccount(tx, { operatorId: operator.id, userId })) return 'own'
    const at = realNow()
    const id = newId(at)
    await refuseTooMany(tx, operator, at)
    const { rowCount } = await tx.query('select from app_user where id = $1 and deleted_at is null for share', [userId])
    if (rowCount === 0) refuse('not_found')
    const row = {
      id,
      user_id: userId,
      operator_id: operator.id,
      caller: operator.name.split(/\s+/)[0],
      about,
      code: String(randomInt(1_000_000)).padStart(6, '0'),
      started_at: at,
      expires_at: new Date(at.getTime() + callMs),
    }
    if (!(await insertRow(tx, 'desk_call', row, 'on conflict do nothing'))) refuse('desk_call_open')
    await touchCalls(product, tx, userId)
    await writeLine(tx, operator, { act: 'call_started', subject: String(userId), after: about }, at)
    return readCall(tx, operator, id)
  })
  if (call !== 'own') return call ?? refuse('not_found')
  await writeLine(pool, operator, { act: 'refused', subject: String(userId) }, realNow())
  return refuse('desk_involved')
}

async function refuseTooMany(tx: Tx, operator: Operator, at: Date): Promise<void> {
  const { rows } = await tx.query<{ calls: number }>(
    'select count(*)::int as calls from desk_call where operator_id = $1 and started_at > $2',
    [operator.id, new Date(at.getTime() - 3_600_000)],
  )
  if ((rows[0]?.calls ?? 0) >= callsPerHour) refuse('rate_limited', { retryAfterSeconds: 600 })
}

async function readCall(db: Db, operator: Operator, id?: string, since?: Date): Promise<DeskCall | undefined> {
  const { rows } = await db.query<CallRow>(
    `select c.id, user_id, u.username, about, code, started_at, expires_at, confirmed_at, ended_at, ended_by
       from desk_call c join app_user u on u.id = c.user_id
      where operator_id = $1 and ($2::uuid is null or c.id = $2) and ($3::timestamptz is null or started_at > $3)
      order by started_at desc, c.id desc limit 1`,
    [operator.id, id, since],
  )
  return rows[0] && toDeskCall(rows[0])
}

/** Returns the operator's latest call of the last hour, and the number of unseen alerts. */
export async function readOwnCall(
  { desk }: Pick<Product, 'desk'>,
  db: Db,
  operator: Operator,
): Promise<{ call: DeskCall | null; alerts: number }> {
  const since = new Date(desk.context.realNow().getTime() - afterwardsMs)
  const { rows } = await db.query<{ alerts: number }>(
    'select count(*)::int as alerts from desk_call_alert where seen_at is null',
  )
  return { call: (await readCall(db, operator, undefined, since)) ?? null, alerts: rows[0]?.alerts ?? 0 }
}

/** Ends the operator's own call; does nothing if it has ended. Refuses `not_found` for another operator's call. */
export async function endCall(
  product: Product,
  pool: pg.Pool,
  { operator, id }: { readonly operator: Operator; readonly id: string },
): Promise<void> {
  await transact(pool, async (tx) => {
    const at = product.desk.context.realNow()
    const { rows } = await tx.query<EndedCallRow>(
      `update desk_call set ${endAssignments} where id = $3 and operator_id = $4 and ended_at is null
       returning ${endedColumns}`,
      [at, 'operator', id, operator.id],
    )
    const [call] = rows
    if (!call) return (await readCall(tx, operator, id)) ?? refuse('not_found')
    await notifyEnded(product, tx, call)
    await writeLine(tx, operator, { act: 'call_ended', subject: String(call.user_id) }, at)
  })
}

/** Ends calls that have expired or whose operator was disabled. */
export async function endOverdueCalls(
  product: Pick<Product, 'desk' | 'pool' | 'notifications' | 'publicUrl'>,
): Promise<void> {
  const at = product.desk.context.realNow()
  await transact(product.pool, async (tx) => {
    const { rows } = await tx.query<EndedCallRow>(
      `update desk_call set ${endAssignments}
        where id in (select c.id from desk_call c join desk_operator o on o.id = c.operator_id
                      where c.ended_at is null and (c.expires_at <= $1 or o.disabled_at is not null)
                        for update of c skip locked)
       returning ${endedColumns}`,
      [at, 'time'],
    )
    for (const call of rows) {
      await notifyEnded(product, tx, call)
      const line = { act: 'call_ended', subject: String(call.user_id), after: 'time' } as const
      await writeLine(tx, { id: null, name: 'tern' }, line, at)
    }
  })
}
