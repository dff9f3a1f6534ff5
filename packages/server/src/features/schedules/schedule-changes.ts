// Changes of an existing schedule by its account holder.

import type pg from 'pg'
import { transact, type Tx } from '../../platform/database/db.ts'
import { updateRow } from '../../platform/database/rows.ts'
import { refuse, refuseField } from '../../platform/refuse.ts'
import type { Notifications } from '../notifications/notifications.ts'
import { dateAt, momentOf } from './local-time.ts'
import { addDays, nextDate } from './recurrence.ts'
import { closeWaiting, datesOf, finishIfDone, occurrenceId, type ScheduleRow, timesOf } from './schedule-rows.ts'
import { lockOwn } from './orders/schedule-terms.ts'

interface Options {
  readonly pool: pg.Pool
  readonly notifications: Pick<Notifications, 'touch'>
  readonly now: () => Date
}

const noPause = { paused_until: null, resume_at: null }
const nothingNext = timesOf(undefined, 'UTC')

export function createScheduleChanges({ pool, notifications, now }: Options) {
  /** Runs a change of the caller's schedule in a transaction. Refuses `not_found`. */
  const change = (userId: bigint, id: string, work: (tx: Tx, row: ScheduleRow, at: Date) => Promise<void>) =>
    transact(pool, async (tx) => {
      await work(tx, await lockOwn(tx, userId, id), now())
      await notifications.touch(tx, { userIds: [userId], topic: 'schedules' })
    })

  return {
    /** Pauses a schedule; a repeated call replaces the end of the pause. Refuses `not_found`, `schedule_not_active`. */
    pause: (userId: bigint, id: string, until: string | undefined) =>
      change(userId, id, async (tx, row, at) => {
        if (row.state !== 'active' && row.state !== 'paused') refuse('schedule_not_active')
        const zone = row.time_zone
        if (until !== undefined && until <= dateAt(at, zone)) refuseField('invalid_request', 'until', 'date_not_ahead')
        const next = until === undefined ? undefined : nextDate(datesOf(row), addDays(until, -1))
        if (until !== undefined && next === undefined) refuseField('invalid_request', 'until', 'date_after_last')
        await closeWaiting(tx, id, { reason: 'paused', at })
        await updateRow(tx, 'schedule', id, {
          ...{ state: 'paused', paused_until: until ?? null, updated_at: at },
          resume_at: until === undefined ? null : momentOf(until, 0, zone),
          ...timesOf(next, zone),
        })
      }),

    /** Refuses `not_found`, `schedule_not_active`, `schedule_date_passed`. */
    resume: (userId: bigint, id: string) =>
      change(userId, id, async (tx, row, at) => {
        if (row.state === 'active') return
        if (row.state !== 'paused') refuse('schedule_not_active')
        const next = nextDate(datesOf(row), dateAt(at, row.time_zone)) ?? refuse('schedule_date_passed')
        const changed = { state: 'active', ...noPause, ...timesOf(next, row.time_zone), updated_at: at }
        await updateRow(tx, 'schedule', id, changed)
      }),

    /** Stops a schedule; a repeated call changes nothing. Refuses `not_found`. */
    stop: (userId: bigint, id: string) =>
      change(userId, id, async (tx, row, at) => {
        if (row.state === 'stopped' || row.state === 'finished') return
        await closeWaiting(tx, id, { reason: 'stopped', at })
        const changed = { state: 'stopped', ...noPause, ...nothingNext, updated_at: at, ended_at: at }
        await updateRow(tx, 'schedule', id, changed)
      }),

    /** Skips the waiting date, or the next one. Refuses `not_found`, `schedule_not_active`, `schedule_changed`. */
    skip: (userId: bigint, id: string, date: string) =>
      change(userId, id, async (tx, row, at) => {
        if (row.state !== 'active') refuse('schedule_not_active')
        const closed = await tx.query(
          `update schedule_occurrence
              set state = 'skipped', reason = 'by_owner', try_at = null, retry_until = null, closed_at = $3
            where schedule_id = $1 and on_date = $2 and state = 'waiting'`,
          [id, date, at],
        )
        if (closed.rowCount === 0) await skipNext(tx, row, date, at)
        await finishIfDone(tx, id, at)
      }),
  }
}

/** Refuses `schedule_changed` unless this is the next date, or is already skipped. */
async function skipNext(tx: Tx, row: ScheduleRow, date: string, at: Date): Promise<void> {
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
  const next = nextDate(datesOf(row), date)
  await updateRow(tx, 'schedule', row.id, { ...timesOf(next, row.time_zone), updated_at: at })
}
