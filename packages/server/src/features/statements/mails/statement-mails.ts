// Mails about the statements of months that have ended, for people who want them.

import type { StatementMails } from '@tern/contract/statements'
import { isTimeZone } from '@tern/contract/schedules/time-zones'
import type { Db } from '../../../platform/database/db.ts'
import { refuseField } from '../../../platform/refuse.ts'
import { addDays, findDayStart, toDay, toDays } from '../period.ts'
import type { StatementMailRow } from '../row-types.ts'

/** Time after the end of a month until its mail, so that the statement is final. */
const delayMs = 60 * 60_000

/** Time from which the mail about a month is sent. */
function computeDueTime(month: string, timeZone: string): Date {
  const [, last] = toDays(month)
  return new Date(findDayStart(addDays(last, 1), timeZone).getTime() + delayMs)
}

type StoredChoice = Pick<StatementMailRow, 'time_zone' | 'next_month'>

const toView = (row: StoredChoice | undefined): StatementMails =>
  row
    ? { is_on: true, time_zone: row.time_zone, next_month: row.next_month.slice(0, 7) }
    : { is_on: false, time_zone: null, next_month: null }

export async function readStatementMails(db: Db, userId: bigint): Promise<StatementMails> {
  const { rows } = await db.query<StoredChoice>('select time_zone, next_month from statement_mail where user_id = $1', [
    userId,
  ])
  return toView(rows[0])
}

interface ChoiceInput {
  readonly userId: bigint
  readonly isOn: boolean
  readonly timeZone: string | undefined
  readonly at: Date
}

/**
 * Turns the mails on or off. The first one is about the current month; a person who has them already keeps the next
 * month. Refuses `invalid_request` for an unknown time zone.
 */
export async function setStatementMails(
  db: Db,
  { userId, isOn, timeZone = 'UTC', at }: ChoiceInput,
): Promise<StatementMails> {
  if (!isTimeZone(timeZone)) refuseField('invalid_request', 'time_zone', 'invalid_time_zone')
  if (!isOn) {
    await db.query('delete from statement_mail where user_id = $1', [userId])
    return toView(undefined)
  }
  const month = toDay(at, timeZone).slice(0, 7)
  const { next_month: keptMonth } = await readStatementMails(db, userId)
  const next = keptMonth !== null && keptMonth > month ? keptMonth : month
  const { rows } = await db.query<StoredChoice>(
    `insert into statement_mail as kept (user_id, time_zone, next_month, due_at, created_at) values ($1, $2, $3, $4, $5)
     on conflict (user_id) do update set time_zone = excluded.time_zone, due_at = excluded.due_at
       where kept.next_month = excluded.next_month
     returning time_zone, next_month`,
    [userId, timeZone, `${next}-01`, computeDueTime(next, timeZone), at],
  )
  return rows[0] ? toView(rows[0]) : readStatementMails(db, userId)
}
