// Creation of scheduled sends.

import type { NewSchedule } from '@tern/contract/schedules/schedules'
import { isTimeZone } from '@tern/contract/schedules/time-zones'
import type pg from 'pg'
import { requestHash } from '../../../platform/http/idempotency.ts'
import type { Tx } from '../../../platform/database/db.ts'
import { lockName, StepUpNeeded } from '../../../platform/database/locks.ts'
import { insertRow } from '../../../platform/database/rows.ts'
import type { Caller } from '../../../platform/http/serve.ts'
import { derivedId } from '../../../platform/ids.ts'
import { refuse, refuseField } from '../../../platform/refuse.ts'
import { anchorFrom } from '../recurrence.ts'
import { timesOf } from '../schedule-rows.ts'
import { actOf, agree, checkDate, confirmedIfNeeded, type OrderOptions } from './schedule-terms.ts'

const mostPerPerson = 100

/** Creates a scheduled send once per key and returns its id. Refuses what the contract's `createSchedule` lists. */
export async function createSchedule(
  options: OrderOptions,
  caller: Caller,
  wanted: NewSchedule,
  { idempotencyKey, confirmation }: { idempotencyKey: string; confirmation: string | undefined },
): Promise<string> {
  const { notifications, pool, now } = options
  const id = derivedId('schedule', caller.userId, idempotencyKey)
  const hash = requestHash({ ...wanted, rate_guard: wanted.rate_guard ?? null })
  const isThere = async (db: pg.Pool | Tx) => {
    const { rows } = await db.query<{ request_hash: Buffer }>('select request_hash from schedule where id = $1', [id])
    if (rows[0] && !rows[0].request_hash.equals(hash)) refuseField('idempotency_key_reused', 'Idempotency-Key')
    return rows.length === 1
  }
  if (await isThere(pool)) return id
  const { time_zone: timeZone, next_on: nextOn } = wanted
  if (!isTimeZone(timeZone)) refuseField('invalid_request', 'time_zone', 'invalid_time_zone')
  const anchorOn = anchorFrom(wanted.recurrence, nextOn)
  checkDate(anchorOn, 'next_on', timeZone, now())
  const agreed = await agree(options, caller, BigInt(wanted.recipient_id), wanted)
  const act = actOf(agreed, anchorOn, idempotencyKey)
  await confirmedIfNeeded(options, caller, { act, confirmation }, async (tx, confirmedAt) => {
    // Always confirmed: the sender is absent when a date is due (PSD2 RTS, article 14).
    if (confirmedAt === null) throw new StepUpNeeded()
    await lockName(tx, `schedules of ${caller.userId}`)
    if (await isThere(tx)) return
    const { rowCount } = await tx.query(
      `select from schedule where user_id = $1 and state in ('active', 'paused') limit ${mostPerPerson}`,
      [caller.userId],
    )
    if (rowCount === mostPerPerson) refuse('too_many_schedules')
    const at = now()
    await insertRow(tx, 'schedule', {
      ...{ id, user_id: caller.userId, payee_id: agreed.recipient.userId, wallet_id: agreed.sender.wallet.id },
      ...agreed.columns,
      anchor_on: anchorOn,
      time_zone: timeZone,
      confirmed_at: confirmedAt,
      confirmed_recurrence: wanted.recurrence,
      confirmed_ceiling_minor: agreed.columns.ceiling_minor,
      confirmed_from: anchorOn,
      state: 'active',
      request_hash: hash,
      ...timesOf(anchorOn, timeZone),
      ...{ created_at: at, updated_at: at },
    })
    await notifications.touch(tx, { userIds: [caller.userId], topic: 'schedules' })
  })
  return id
}
