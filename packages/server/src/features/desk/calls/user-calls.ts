// Users' side of calls: whether an operator is calling now, and what the user says about it.

import type { CallStatus, CurrentCall, EndedCall } from '@tern/contract/calls'
import type pg from 'pg'
import { type Db, transact } from '../../../platform/database/db.ts'
import { insertRow } from '../../../platform/database/rows.ts'
import { newId } from '../../../platform/ids.ts'
import { refuse } from '../../../platform/refuse.ts'
import type { Product } from '../../../product.ts'
import { writeLine } from '../log.ts'
import type { DeskCallRow } from '../row-types.ts'
import { endAssignments, endedColumns, type EndedCallRow, notifyEnded, touchCalls } from './end-call.ts'

const earlierCalls = 50
const reportsApartMs = 60 * 60_000

/** Actor of log lines about what users said in the app. */
const user = { id: null, name: 'customer' } as const

type StatusRow = Omit<DeskCallRow, 'user_id' | 'operator_id'> & { readonly is_current: boolean }

const fields = ({ id, caller, about, started_at: startedAt, confirmed_at: confirmedAt }: StatusRow) => ({
  id,
  caller,
  about,
  started_at: startedAt.toISOString(),
  confirmed_at: confirmedAt?.toISOString() ?? null,
})

const toCurrentCall = (row: StatusRow): CurrentCall => ({
  ...fields(row),
  code: row.code ?? '',
  expires_at: row.expires_at.toISOString(),
})

// An expired call is ended by the worker within a minute.
const toEndedCall = (row: StatusRow): EndedCall => ({
  ...fields(row),
  ended_at: (row.ended_at ?? row.expires_at).toISOString(),
  ended_by: row.ended_by ?? 'time',
})

/** Returns the user's current call and earlier ones. */
export async function readCallStatus({ desk }: Pick<Product, 'desk'>, db: Db, userId: bigint): Promise<CallStatus> {
  const at = desk.context.realNow()
  const { rows } = await db.query<StatusRow>(
    `select c.id, caller, about, code, started_at, expires_at, confirmed_at, ended_at, ended_by,
            ended_at is null and expires_at > $2 and o.disabled_at is null as is_current
       from desk_call c join desk_operator o on o.id = c.operator_id
      where user_id = $1 order by started_at desc, c.id desc limit $3`,
    [userId, at, earlierCalls + 1],
  )
  const current = rows.find((row) => row.is_current)
  return {
    current: current ? toCurrentCall(current) : null,
    earlier: rows
      .filter((row) => !row.is_current)
      .slice(0, earlierCalls)
      .map(toEndedCall),
    checked_at: at.toISOString(),
  }
}

interface OwnCall {
  readonly userId: bigint
  readonly id: string
}

/** Records that the caller said the code. Refuses `not_found` unless it is the user's current call. */
export async function confirmCall(product: Product, pool: pg.Pool, { userId, id }: OwnCall): Promise<void> {
  await transact(pool, async (tx) => {
    const at = product.desk.context.realNow()
    const { rows } = await tx.query<{ is_first: boolean }>(
      `update desk_call c set confirmed_at = coalesce(c.confirmed_at, $3) from desk_operator o, desk_call before
        where c.id = $1 and c.user_id = $2 and c.ended_at is null and c.expires_at > $3 and before.id = c.id
          and o.id = c.operator_id and o.disabled_at is null
       returning before.confirmed_at is null as is_first`,
      [id, userId, at],
    )
    const [call] = rows
    if (!call) return refuse('not_found')
    if (!call.is_first) return
    await touchCalls(product, tx, userId)
    await writeLine(tx, user, { act: 'call_confirmed', subject: String(userId) }, at)
  })
}

/** Ends the user's open call and alerts the operators. Refuses `not_found` for any other call. */
export async function refuseCall(product: Product, pool: pg.Pool, { userId, id }: OwnCall): Promise<void> {
  await transact(pool, async (tx) => {
    const at = product.desk.context.realNow()
    const { rows } = await tx.query<EndedCallRow>(
      `update desk_call set ${endAssignments} where id = $3 and user_id = $4 and ended_at is null
       returning ${endedColumns}`,
      [at, 'user', id, userId],
    )
    const [call] = rows
    if (!call) return refuse('not_found')
    await insertRow(tx, 'desk_call_alert', { id: newId(at), user_id: userId, call_id: id, raised_at: at })
    await notifyEnded(product, tx, call)
    await writeLine(tx, user, { act: 'call_refused', subject: String(userId) }, at)
  })
}

/** Alerts the operators to a call by somebody who claimed to be from Tern, unless the user reported one within the hour. */
export async function reportCall(product: Product, pool: pg.Pool, userId: bigint): Promise<void> {
  await transact(pool, async (tx) => {
    const at = product.desk.context.realNow()
    // Concurrent reports of a user wait for each other.
    await tx.query('select from app_user where id = $1 for no key update', [userId])
    const { rowCount } = await tx.query(
      'select from desk_call_alert where user_id = $1 and call_id is null and raised_at > $2 limit 1',
      [userId, new Date(at.getTime() - reportsApartMs)],
    )
    if (rowCount !== 0) return
    await insertRow(tx, 'desk_call_alert', { id: newId(at), user_id: userId, raised_at: at })
    await writeLine(tx, user, { act: 'call_alert_raised', subject: String(userId) }, at)
  })
}
