// Inserts the rows of due dates, each once across workers.

import { toDecimal } from '@tern/money/money'
import type pg from 'pg'
import { transact, type Tx } from '../../platform/database/db.ts'
import { updateRow } from '../../platform/database/rows.ts'
import { amountText } from '../../platform/http/amount.ts'
import { wireId } from '../../platform/ids.ts'
import { toLocalDate, localMoment, sendHour } from './local-time.ts'
import type { SchedulesContext } from './context.ts'
import { datesBetween, computeNextDate } from './recurrence.ts'
import {
  payeeLabel,
  closeWaiting,
  toDates,
  fixedAmount,
  occurrenceId,
  readMailbox,
  selectSchedules,
  toTimeColumns,
  type PayeeColumns,
} from './schedule-rows.ts'
import type { ScheduleOccurrenceRow, ScheduleRow } from './row-types.ts'

/** Resumes schedules whose pause has ended, except those of accounts scheduled for deletion. */
export async function resumeDueSchedules({ notifications, now }: SchedulesContext, pool: pg.Pool): Promise<void> {
  await transact(pool, async (tx) => {
    const { rows } = await tx.query<Pick<ScheduleRow, 'user_id'>>(
      `update schedule set state = 'active', paused_until = null, resume_at = null, updated_at = $1
        where id in (select id from schedule where state = 'paused' and resume_at <= $1
            and not exists (select from app_user u where u.id = schedule.user_id and u.deletion_due_at is not null)
          for update skip locked)
        returning user_id`,
      [now()],
    )
    if (rows.length > 0) {
      const owners = rows.map((row) => row.user_id)
      await notifications.touch(tx, { userIds: owners, topic: 'schedules' })
    }
  })
}

/** Opens all due dates, one schedule at a time. */
export async function openDue(ctx: SchedulesContext, pool: pg.Pool): Promise<void> {
  while (await transact(pool, (tx) => openNextOccurrence(ctx, tx))) {
    // Ends when no date is due.
  }
}

/**
 * Opens the due date of one schedule. After downtime or a clock change several may be due: the latest is sent, though
 * late, and earlier ones count as missed, so that wallets are not emptied at once. Returns false when none is due.
 */
async function openNextOccurrence(ctx: SchedulesContext, tx: Tx): Promise<boolean> {
  const at = ctx.now()
  const { rows } = await tx.query<ScheduleRow & PayeeColumns>(
    `${selectSchedules} where s.state = 'active' and s.next_at <= $1 order by s.next_at limit 1 for update of s skip locked`,
    [at],
  )
  const [row] = rows
  if (!row || row.next_on === null) return false
  const zone = row.time_zone
  const isDue = (date: string) => localMoment(date, sendHour, zone) <= at
  const dueDates = datesBetween(toDates(row), row.next_on, toLocalDate(at, zone)).filter(isDue)
  const latest = dueDates.pop() ?? row.next_on
  // A schedule has one waiting date at most.
  const waitingDate = await markWaitingMissed(tx, { scheduleId: row.id, at })
  for (const date of dueDates) await insertMissedOccurrence(tx, { row, date, at })
  const missedDate = dueDates.at(-1) ?? waitingDate
  // Notifies only about the latest missed date; the page lists all of them.
  if (missedDate !== undefined)
    await notifyNotSent(ctx, tx, {
      row,
      date: missedDate,
      reason: 'too_late',
      dedupe: occurrenceId(row.id, missedDate),
    })
  // The date may have been skipped and then scheduled again.
  await tx.query(
    `insert into schedule_occurrence (id, schedule_id, on_date, due_at, state, try_at)
     values ($1, $2, $3, $4, 'waiting', $5)
     on conflict on constraint schedule_occurrence_date do update
        set state = 'waiting', try_at = excluded.try_at, reason = null, closed_at = null
      where schedule_occurrence.state = 'skipped'`,
    [occurrenceId(row.id, latest), row.id, latest, localMoment(latest, sendHour, zone), at],
  )
  await updateRow(tx, 'schedule', row.id, {
    ...toTimeColumns(computeNextDate(toDates(row), latest), zone),
    updated_at: at,
  })
  await ctx.notifications.touch(tx, { userIds: [row.user_id], topic: 'schedules' })
  return true
}

async function insertMissedOccurrence(
  tx: Tx,
  { row, date, at }: { readonly row: ScheduleRow; readonly date: string; readonly at: Date },
): Promise<void> {
  const { id, time_zone: zone } = row
  await tx.query(
    `insert into schedule_occurrence (id, schedule_id, on_date, due_at, state, reason, closed_at)
     values ($1, $2, $3, $4, 'missed', 'too_late', $5) on conflict on constraint schedule_occurrence_date do nothing`,
    [occurrenceId(id, date), id, date, localMoment(date, sendHour, zone), at],
  )
}

/** Marks a date as missed if it still waits when the next one is due, and returns it. */
async function markWaitingMissed(
  tx: Tx,
  { scheduleId, at }: { readonly scheduleId: string; readonly at: Date },
): Promise<string | undefined> {
  const { rows } = await tx.query<Pick<ScheduleOccurrenceRow, 'on_date'>>(
    `select on_date from schedule_occurrence where schedule_id = $1 and state = 'waiting'`,
    [scheduleId],
  )
  if (rows[0]) await closeWaiting(tx, { scheduleId, state: 'missed', reason: 'too_late', at })
  return rows[0]?.on_date
}

interface UnsentNotice {
  readonly row: ScheduleRow & PayeeColumns
  readonly date: string
  readonly reason: string
  readonly dedupe: string
}

/** Notifies the account holder, in the product and by email, that a date was not sent. */
export async function notifyNotSent(
  ctx: SchedulesContext,
  tx: Tx,
  { row, date, reason, dedupe }: UnsentNotice,
): Promise<void> {
  const { notifications, publicUrl } = ctx
  const amount = fixedAmount(row)
  const isNew = await notifications.notify(tx, {
    userId: row.user_id,
    code: 'schedule_skipped',
    params: { person: payeeParams(row), amount: toDecimal(amount), currency: amount.currency, date },
    subjectId: row.id,
    dedupe,
  })
  if (!isNew) return
  const to = await readMailbox(ctx, tx, row.user_id)
  const data = { to: payeeLabel(row), amount: amountText(amount), date, reason, link: `${publicUrl}/scheduled` }
  await notifications.mail(tx, { to, template: 'schedule_not_sent', data })
}

/** Notice parameters of the payee, with the name that the account holder may see. */
export const payeeParams = (row: ScheduleRow & PayeeColumns) => ({
  id: wireId(row.payee_id),
  name: payeeLabel(row),
  username: row.payee_username,
})
