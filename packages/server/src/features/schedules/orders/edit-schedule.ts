// Edits of scheduled sends. An edit stays within what the account holder confirmed, or requires a new confirmation.

import type { ChangedSchedule } from '@tern/contract/schedules/schedules'
import type { Tx } from '../../../platform/database/db.ts'
import { updateRow } from '../../../platform/database/rows.ts'
import type { Caller } from '../../../platform/http/serve.ts'
import { refuse } from '../../../platform/refuse.ts'
import { allowsDate, allowsDates, isMoreOften, readSentDates } from './confirmed-rhythm.ts'
import { anchorFrom, type Dates } from '../recurrence.ts'
import { closeWaiting, type ScheduleRow, timesOf } from '../schedule-rows.ts'
import {
  actOf,
  agree,
  type Agreed,
  checkDate,
  confirmedIfNeeded,
  lockOwn,
  type OrderOptions,
  type Raise,
  RaiseToConfirm,
} from './schedule-terms.ts'

/**
 * Changes an active or paused schedule. Refuses `step_up_required` for edits that may send more than the account holder
 * confirmed, or more than the current terms, and what the contract's `editSchedule` lists.
 */
export async function editSchedule(
  options: OrderOptions,
  caller: Caller,
  id: string,
  wanted: ChangedSchedule,
  confirmation: string | undefined,
): Promise<void> {
  const { pool, notifications, now } = options
  const { rows } = await pool.query<{ payee_id: bigint }>(
    'select payee_id from schedule where id = $1 and user_id = $2',
    [id, caller.userId],
  )
  const { payee_id: payeeId } = rows[0] ?? refuse('not_found')
  const agreed = await agree(options, caller, payeeId, wanted)
  const act = actOf(agreed, anchorFrom(wanted.recurrence, wanted.next_on), id)
  await confirmedIfNeeded(options, caller, { act, confirmation }, async (tx, confirmedAt) => {
    const row = await lockOwn(tx, caller.userId, id)
    if (row.state !== 'active' && row.state !== 'paused') refuse('schedule_not_active')
    const at = now()
    const dates = changedDates(row, wanted)
    if (dates) checkDate(dates.anchorOn, 'next_on', row.time_zone, at)
    const raise = await findRaise(tx, row, agreed, dates)
    if (raise && confirmedAt === null) throw new RaiseToConfirm(raise)
    const confirmed = raise ? await confirmedColumns(tx, row, agreed, dates) : {}
    if (dates) await closeWaiting(tx, row.id, { reason: 'rescheduled', at })
    await updateRow(tx, 'schedule', id, {
      ...agreed.columns,
      ...(dates ? movedColumns(row, dates) : {}),
      ...confirmed,
      ...(raise ? { confirmed_at: confirmedAt } : {}),
      updated_at: at,
    })
    await notifications.touch(tx, { userIds: [caller.userId], topic: 'schedules' })
  })
}

function changedDates(row: ScheduleRow, { recurrence, next_on: nextOn }: ChangedSchedule): Dates | undefined {
  if (recurrence === row.recurrence && nextOn === (row.next_on ?? row.anchor_on)) return undefined
  return { recurrence, anchorOn: anchorFrom(recurrence, nextOn) }
}

/** A paused schedule with new dates is active again. */
const movedColumns = (row: ScheduleRow, { anchorOn }: Dates) => ({
  anchor_on: anchorOn,
  ...timesOf(anchorOn, row.time_zone),
  state: 'active',
  paused_until: null,
  resume_at: null,
})

/** Returns the first reason why the edit may send more than confirmed, or more than the current terms. */
async function findRaise(
  tx: Tx,
  row: ScheduleRow,
  { columns }: Agreed,
  dates: Dates | undefined,
): Promise<Raise | undefined> {
  if (row.source_currency !== columns.source_currency) return 'schedule_other_currency'
  if (columns.ceiling_minor > row.ceiling_minor) return 'schedule_costs_more'
  if (isMoreOften(columns.recurrence, row.recurrence)) return 'schedule_more_often'
  if (!dates) return undefined
  const sent = await readSentDates(tx, row.id)
  const rhythm = { recurrence: row.confirmed_recurrence, from: row.confirmed_from }
  return allowsDates(rhythm, sent, dates) && keepsPresentRhythm(row, sent, dates) ? undefined : 'schedule_sooner'
}

/** Returns whether the first date keeps to a rhythm that was lowered since its confirmation. */
function keepsPresentRhythm(row: ScheduleRow, sent: readonly string[], { anchorOn }: Dates): boolean {
  if (!isMoreOften(row.confirmed_recurrence, row.recurrence) || row.recurrence === 'once') return true
  return allowsDate({ recurrence: row.recurrence, from: row.confirmed_from }, sent.slice(0, 1), anchorOn)
}

/** Columns of the new confirmation. A waiting date continues under the new terms, so it is their first date. */
async function confirmedColumns(tx: Tx, row: ScheduleRow, { columns }: Agreed, dates: Dates | undefined) {
  return {
    confirmed_recurrence: columns.recurrence,
    confirmed_ceiling_minor: columns.ceiling_minor,
    confirmed_from: dates?.anchorOn ?? (await readWaitingDate(tx, row.id)) ?? row.next_on ?? row.anchor_on,
  }
}

async function readWaitingDate(tx: Tx, scheduleId: string): Promise<string | undefined> {
  const { rows } = await tx.query<{ on_date: string }>(
    `select on_date from schedule_occurrence where schedule_id = $1 and state = 'waiting'`,
    [scheduleId],
  )
  return rows[0]?.on_date
}
