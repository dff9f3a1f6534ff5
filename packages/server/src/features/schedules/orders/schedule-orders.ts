// Creation of scheduled sends.

import type { NewSchedule, Schedule } from '@tern/contract/schedules/schedules'
import { isTimeZone } from '@tern/contract/schedules/time-zones'
import type pg from 'pg'
import { requestHash } from '../../../platform/http/idempotency.ts'
import { type Db, transact, type Tx } from '../../../platform/database/db.ts'
import { lockName } from '../../../platform/database/locks.ts'
import { insertRow } from '../../../platform/database/rows.ts'
import type { Caller } from '../../../platform/http/serve.ts'
import { derivedId } from '../../../platform/ids.ts'
import { refuse, refuseField } from '../../../platform/refuse.ts'
import { requireAcknowledgement, useAcknowledgement } from '../../transfers/transfers.ts'
import type { SchedulesContext } from '../context.ts'
import { computeAnchor } from '../recurrence.ts'
import { toTimeColumns } from '../schedule-rows.ts'
import { readSchedule } from '../schedule-view.ts'
import { sensitiveAction, type AgreedTerms, checkDate, toWarnedOrder, validateTerms } from './schedule-terms.ts'
import type { ScheduleRow } from '../row-types.ts'

const maxPerPerson = 100

interface ScheduleOrder {
  readonly caller: Caller
  readonly body: NewSchedule
  readonly idempotencyKey: string
  readonly confirmation: string | undefined
}

/** Creates a scheduled send once per key. Refusals: see `createSchedule` in the contract. */
export async function createSchedule(ctx: SchedulesContext, pool: pg.Pool, order: ScheduleOrder): Promise<Schedule> {
  const { userId } = order.caller
  const id = derivedId('schedule', userId, order.idempotencyKey)
  if (!(await isRepeated(pool, { id, hash: hashOrder(order) }))) await orderSchedule(ctx, pool, { ...order, id })
  return readSchedule(ctx, pool, { userId, id })
}

const hashOrder = ({ body }: ScheduleOrder): Buffer => requestHash({ ...body, rate_guard: body.rate_guard ?? null })

/** Returns whether the key was used for this request. Refuses `idempotency_key_reused` for a different one. */
async function isRepeated(db: Db, { id, hash }: { readonly id: string; readonly hash: Buffer }): Promise<boolean> {
  const { rows } = await db.query<Pick<ScheduleRow, 'request_hash'>>(
    'select request_hash from schedule where id = $1',
    [id],
  )
  if (rows[0] && !rows[0].request_hash.equals(hash)) refuseField('idempotency_key_reused', 'Idempotency-Key')
  return rows.length === 1
}

type KeyedOrder = ScheduleOrder & { readonly id: string }

async function orderSchedule(ctx: SchedulesContext, pool: pg.Pool, order: KeyedOrder): Promise<void> {
  const { identity, now } = ctx
  const { caller, body, idempotencyKey, confirmation } = order
  const { time_zone: timeZone } = body
  if (!isTimeZone(timeZone)) refuseField('invalid_request', 'time_zone', 'invalid_time_zone')
  const anchorOn = computeAnchor(body.recurrence, body.next_on)
  checkDate(anchorOn, 'next_on', timeZone, now())
  const recipientId = BigInt(body.recipient_id)
  const agreed = await validateTerms(ctx, pool, { caller, recipientId, terms: body })
  await requireAcknowledgement(pool, toWarnedOrder(agreed, order.id))
  // Always confirmed: the sender is absent when a date is due (PSD2 RTS, article 14).
  await identity.requireStepUp({ caller, act: sensitiveAction(agreed, anchorOn, idempotencyKey), confirmation })
  await transact(pool, (tx) => storeSchedule(ctx, tx, { order, agreed, anchorOn, confirmedAt: now() }))
}

interface ConfirmedSchedule {
  readonly order: KeyedOrder
  readonly agreed: AgreedTerms
  readonly anchorOn: string
  readonly confirmedAt: Date
}

/** Stores a confirmed schedule, unless its key was used meanwhile. Refuses `too_many_schedules`. */
async function storeSchedule(
  { notifications, now }: SchedulesContext,
  tx: Tx,
  { order, agreed, anchorOn, confirmedAt }: ConfirmedSchedule,
): Promise<void> {
  const { id, caller, body } = order
  const { userId } = caller
  await lockName(tx, `schedules of ${userId}`)
  const hash = hashOrder(order)
  if (await isRepeated(tx, { id, hash })) return
  const { rowCount } = await tx.query(
    `select from schedule where user_id = $1 and state in ('active', 'paused') limit ${maxPerPerson}`,
    [userId],
  )
  if (rowCount === maxPerPerson) refuse('too_many_schedules')
  await useAcknowledgement(tx, toWarnedOrder(agreed, id))
  const at = now()
  await insertRow(tx, 'schedule', {
    id,
    user_id: userId,
    payee_id: agreed.recipient.userId,
    wallet_id: agreed.sender.wallet.id,
    ...agreed.columns,
    anchor_on: anchorOn,
    time_zone: body.time_zone,
    confirmed_at: confirmedAt,
    confirmed_recurrence: body.recurrence,
    confirmed_ceiling_minor: agreed.columns.ceiling_minor,
    confirmed_from: anchorOn,
    state: 'active',
    request_hash: hash,
    ...toTimeColumns(anchorOn, body.time_zone),
    created_at: at,
    updated_at: at,
  })
  await notifications.touch(tx, { userIds: [userId], topic: 'schedules' })
}
