import type pg from 'pg'
import type { Db, WorkInput } from '../../platform/database/db.ts'
import type { SchedulesContext } from './context.ts'
import { openDue, resumeDueSchedules } from './due-dates.ts'
import { sendDue } from './occurrences.ts'
import { editSchedule } from './orders/edit-schedule.ts'
import { createSchedule } from './orders/schedule-orders.ts'
import { pauseSchedule, resumeSchedule, skipDate, stopSchedule } from './schedule-changes.ts'
import type { OwnSchedule } from './schedule-rows.ts'
import { listSchedules } from './schedule-view.ts'
import { warnDue } from './warnings.ts'

/** One-time and recurring scheduled sends. */
export function createSchedules({ pool, ...ctx }: SchedulesContext & { readonly pool: pg.Pool }) {
  return {
    list: (db: Db, userId: bigint) => listSchedules(ctx, db, userId),
    create: (input: WorkInput<typeof createSchedule>) => createSchedule(ctx, pool, input),
    edit: (input: WorkInput<typeof editSchedule>) => editSchedule(ctx, pool, input),
    pause: (input: WorkInput<typeof pauseSchedule>) => pauseSchedule(ctx, pool, input),
    resume: (ownSchedule: OwnSchedule) => resumeSchedule(ctx, pool, ownSchedule),
    stop: (ownSchedule: OwnSchedule) => stopSchedule(ctx, pool, ownSchedule),
    skip: (input: WorkInput<typeof skipDate>) => skipDate(ctx, pool, input),
    runDue: () => runDue(ctx, pool),
  }
}

export type Schedules = ReturnType<typeof createSchedules>

/** Sends due dates and warns of low balances for the next day. Safe with any number of workers. */
async function runDue(ctx: SchedulesContext, pool: pg.Pool): Promise<void> {
  await resumeDueSchedules(ctx, pool)
  await openDue(ctx, pool)
  await sendDue(ctx, pool)
  await warnDue(ctx, pool)
}
