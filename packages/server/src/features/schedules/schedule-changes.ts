// Changes of an existing schedule by its account holder.

import type { Schedule } from '@tern/contract/schedules/schedules'
import type pg from 'pg'
import { transact, type Tx } from '../../platform/database/db.ts'
import { updateRow } from '../../platform/database/rows.ts'
import { refuse, refuseField } from '../../platform/refuse.ts'
import type { SchedulesContext } from './context.ts'
import { toLocalDate, localMoment } from './local-time.ts'
import { addDays, computeNextDate } from './recurrence.ts'
import {
  closeWaiting,
  toDates,
  finishIfDone,
  lockOwnSchedule,
  occurrenceId,
  type OwnSchedule,
  toTimeColumns,
} from './schedule-rows.ts'
import { readSchedule } from './schedule-view.ts'
import type { ScheduleRow } from './row-types.ts'

const noPauseColumns = { paused_until: null, resume_at: null }
const noNextDateColumns = toTimeColumns(undefined, 'UTC')

/**
 * Pauses a schedule; a repeated call replaces the end of the pause. Refuses `not_found`, `schedule_not_active`, and
 * `invalid_request` for an end that is not ahead or leaves no date.
 */
export async function pauseSchedule(
  ctx: SchedulesContext,
  pool: pg.Pool,
  { until, ...own }: OwnSchedule & { readonly until: string | undefined },
): Promise<Schedule> {
  await transact(pool, async (tx) => {
    const row = await lockOwnSchedule(tx, own)
    const at = ctx.now()
    if (row.state !== 'active' && row.state !== 'paused') refuse('schedule_not_active')
    const zone = row.time_zone
    if (until !== undefined && until <= toLocalDate(at, zone)) refuseField('invalid_request', 'until', 'date_not_ahead')
    const next = until === undefined ? undefined : computeNextDate(toDates(row), addDays(until, -1))
    if (until !== undefined && next === undefined) refuseField('invalid_request', 'until', 'date_after_last')
    await closeWaiting(tx, { scheduleId: row.id, state: 'skipped', reason: 'paused', at })
    await updateRow(tx, 'schedule', row.id, {
      state: 'paused',
      paused_until: until ?? null,
      updated_at: at,
      resume_at: until === undefined ? null : localMoment(until, 0, zone),
      ...toTimeColumns(next, zone),
    })
    await notifySchedulePages(ctx, tx, own)
  })
  return readSchedule(ctx, pool, own)
}

/** Resumes a paused schedule. Refuses `not_found`, `schedule_not_active`, `schedule_date_passed`. */
export async function resumeSchedule(
  ctx: SchedulesContext,
  pool: pg.Pool,
  ownSchedule: OwnSchedule,
): Promise<Schedule> {
  await transact(pool, async (tx) => {
    const row = await lockOwnSchedule(tx, ownSchedule)
    if (row.state !== 'active') await activate(ctx, tx, row)
    await notifySchedulePages(ctx, tx, ownSchedule)
  })
  return readSchedule(ctx, pool, ownSchedule)
}

async function activate({ now }: SchedulesContext, tx: Tx, row: ScheduleRow): Promise<void> {
  const at = now()
  if (row.state !== 'paused') refuse('schedule_not_active')
  const next = computeNextDate(toDates(row), toLocalDate(at, row.time_zone)) ?? refuse('schedule_date_passed')
  const changed = { state: 'active', ...noPauseColumns, ...toTimeColumns(next, row.time_zone), updated_at: at }
  await updateRow(tx, 'schedule', row.id, changed)
}

/** Stops a schedule; a repeated call changes nothing. Refuses `not_found`. */
export async function stopSchedule(ctx: SchedulesContext, pool: pg.Pool, ownSchedule: OwnSchedule): Promise<Schedule> {
  await transact(pool, async (tx) => {
    const { id, state } = await lockOwnSchedule(tx, ownSchedule)
    const at = ctx.now()
    if (state !== 'stopped' && state !== 'finished') {
      await closeWaiting(tx, { scheduleId: id, state: 'skipped', reason: 'stopped', at })
      const changed = { state: 'stopped', ...noPauseColumns, ...noNextDateColumns, updated_at: at, ended_at: at }
      await updateRow(tx, 'schedule', id, changed)
    }
    await notifySchedulePages(ctx, tx, ownSchedule)
  })
  return readSchedule(ctx, pool, ownSchedule)
}

/** Skips the waiting date, or the next one. Refuses `not_found`, `schedule_not_active`, `schedule_changed`. */
export async function skipDate(
  ctx: SchedulesContext,
  pool: pg.Pool,
  { date, ...own }: OwnSchedule & { readonly date: string },
): Promise<Schedule> {
  await transact(pool, async (tx) => {
    const row = await lockOwnSchedule(tx, own)
    const at = ctx.now()
    if (row.state !== 'active') refuse('schedule_not_active')
    const closeResult = await tx.query(
      `update schedule_occurrence
          set state = 'skipped', reason = 'by_owner', try_at = null, retry_until = null, closed_at = $3
        where schedule_id = $1 and on_date = $2 and state = 'waiting'`,
      [row.id, date, at],
    )
    if (closeResult.rowCount === 0) await skipNext(tx, { row, date, at })
    await finishIfDone(tx, { scheduleId: row.id, at })
    await notifySchedulePages(ctx, tx, own)
  })
  return readSchedule(ctx, pool, own)
}

const notifySchedulePages = ({ notifications }: SchedulesContext, tx: Tx, { userId }: OwnSchedule): Promise<void> =>
  notifications.touch(tx, { userIds: [userId], topic: 'schedules' })

/** Skips the next date. Refuses `schedule_changed` for any other date that is not skipped already. */
async function skipNext(
  tx: Tx,
  { row, date, at }: { readonly row: ScheduleRow; readonly date: string; readonly at: Date },
): Promise<void> {
  if (row.next_on !== date) {
    const { rowCount } = await tx.query(
      `select from schedule_occurrence where schedule_id = $1 and on_date = $2 and state = 'skipped'`,
      [row.id, date],
    )
    if (rowCount === 1) return
    refuse('schedule_changed')
  }
  await tx.query(
    `insert into schedule_occurrence (id, schedule_id, on_date, due_at, state, reason, closed_at)
     values ($1, $2, $3, $4, 'skipped', 'by_owner', $5)
     on conflict on constraint schedule_occurrence_date do nothing`,
    [occurrenceId(row.id, date), row.id, date, row.next_at, at],
  )
  const next = computeNextDate(toDates(row), date)
  await updateRow(tx, 'schedule', row.id, { ...toTimeColumns(next, row.time_zone), updated_at: at })
}
