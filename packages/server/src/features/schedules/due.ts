// Opens due dates as rows, once each across workers.

import { toDecimal } from '@tern/money/money'
import { transact, type Tx } from '../../platform/database/db.ts'
import { updateRow } from '../../platform/database/rows.ts'
import { amountText } from '../../platform/http/amount.ts'
import { wireId } from '../../platform/ids.ts'
import { dateAt, momentOf, sendHour } from './local-time.ts'
import type { RunOptions } from './occurrences.ts'
import { datesBetween, nextDate } from './recurrence.ts'
import {
  calledOf,
  closeWaiting,
  datesOf,
  fixedAmount,
  mailboxOf,
  occurrenceId,
  type ScheduleRow,
  selectSchedules,
  timesOf,
  type WithPayee,
} from './schedule-rows.ts'

/**
 * Ends pauses whose date has come. Skips accounts scheduled for deletion, whose pauses end when the account is
 * restored.
 */
export async function resumeDue({ pool, notifications, now }: RunOptions): Promise<void> {
  await transact(pool, async (tx) => {
    const { rows } = await tx.query<{ user_id: bigint }>(
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
export async function openDue(options: RunOptions): Promise<void> {
  while (await transact(options.pool, (tx) => openNext(options, tx))) {
    // Until none is due.
  }
}

/**
 * Opens the due date of one schedule. After downtime or a clock change several may be due: the latest is sent, though
 * late, and earlier ones count as missed, so that wallets are not emptied at once. Returns false when none is due.
 */
async function openNext(options: RunOptions, tx: Tx): Promise<boolean> {
  const at = options.now()
  const { rows } = await tx.query<ScheduleRow & WithPayee>(
    `${selectSchedules} where s.state = 'active' and s.next_at <= $1 order by s.next_at limit 1 for update of s skip locked`,
    [at],
  )
  const [row] = rows
  if (!row || row.next_on === null) return false
  const zone = row.time_zone
  const isDue = (date: string) => momentOf(date, sendHour, zone) <= at
  const due = datesBetween(datesOf(row), row.next_on, dateAt(at, zone)).filter(isDue)
  const latest = due.pop() ?? row.next_on
  for (const date of due) await insertMissed(tx, row, date, at)
  const missed = due.at(-1) ?? (await missWaiting(tx, row.id, at))
  if (missed !== undefined) await tellMissed(options, tx, row, missed)
  // The date may have been skipped and then scheduled again.
  await tx.query(
    `insert into schedule_occurrence (id, schedule_id, on_date, due_at, state, try_at)
     values ($1, $2, $3, $4, 'waiting', $5)
     on conflict on constraint schedule_occurrence_date do update
        set state = 'waiting', try_at = excluded.try_at, reason = null, closed_at = null
      where schedule_occurrence.state = 'skipped'`,
    [occurrenceId(row.id, latest), row.id, latest, momentOf(latest, sendHour, zone), at],
  )
  await updateRow(tx, 'schedule', row.id, { ...timesOf(nextDate(datesOf(row), latest), zone), updated_at: at })
  await options.notifications.touch(tx, { userIds: [row.user_id], topic: 'schedules' })
  return true
}

async function insertMissed(tx: Tx, { id, time_zone: zone }: ScheduleRow, date: string, at: Date): Promise<void> {
  await tx.query(
    `insert into schedule_occurrence (id, schedule_id, on_date, due_at, state, reason, closed_at)
     values ($1, $2, $3, $4, 'missed', 'too_late', $5) on conflict on constraint schedule_occurrence_date do nothing`,
    [occurrenceId(id, date), id, date, momentOf(date, sendHour, zone), at],
  )
}

/** Closes a date that still waits when the next one is due. */
async function missWaiting(tx: Tx, scheduleId: string, at: Date): Promise<string | undefined> {
  const { rows } = await tx.query<{ on_date: string }>(
    `select on_date from schedule_occurrence where schedule_id = $1 and state = 'waiting'`,
    [scheduleId],
  )
  if (rows[0]) await closeWaiting(tx, scheduleId, { state: 'missed', reason: 'too_late', at })
  return rows[0]?.on_date
}

/** Reports only the latest missed date; the page lists them all. */
async function tellMissed(options: RunOptions, tx: Tx, row: ScheduleRow & WithPayee, date: string): Promise<void> {
  await tellNotSent(options, tx, row, { date, reason: 'too_late', dedupe: occurrenceId(row.id, date) })
}

/** Notifies the account holder, in the product and by email, that a date was not sent. */
export async function tellNotSent(
  { notifications, identity, publicUrl }: RunOptions,
  tx: Tx,
  row: ScheduleRow & WithPayee,
  { date, reason, dedupe }: { date: string; reason: string; dedupe: string },
): Promise<void> {
  const amount = fixedAmount(row)
  const isNew = await notifications.notify(tx, {
    userId: row.user_id,
    code: 'schedule_skipped',
    params: { person: personOf(row), amount: toDecimal(amount), currency: amount.currency, date },
    subjectId: row.id,
    dedupe,
  })
  if (!isNew) return
  const to = await mailboxOf(identity, row.user_id, tx)
  const data = { to: calledOf(row), amount: amountText(amount), date, reason, link: `${publicUrl}/scheduled` }
  await notifications.mail(tx, { to, template: 'schedule_not_sent', data })
}

/** Payee as the account holder may see them. */
export const personOf = (row: ScheduleRow & WithPayee) => ({
  id: wireId(row.payee_id),
  name: calledOf(row),
  username: row.payee_username,
})
