// Dates allowed by a confirmed rhythm. Account holders may move dates, but never send more in any period than the
// rhythm they confirmed.

import type { Recurrence } from '@tern/contract/schedules/schedules'
import type { Db } from '../../../platform/database/db.ts'
import { addDays, addMonths, type Dates, computeNextDate } from '../recurrence.ts'

/** Rhythm and first date that the account holder confirmed. */
export interface ConfirmedRhythm {
  readonly recurrence: Recurrence
  readonly from: string
}

const frequency: Readonly<Record<Recurrence, number>> = { once: 0, monthly: 1, month_end: 1, biweekly: 2, weekly: 3 }

/** Number of earlier sends that a new date is compared with: a year of monthly sends. */
export const comparedSendCount = 13

export const isMoreFrequent = (requested: Recurrence, confirmed: Recurrence): boolean =>
  frequency[requested] > frequency[confirmed]

/** Earliest allowed date of the send that comes `count` sends after one on `date`; undefined for `once`. */
function earliestDate(recurrence: Recurrence, date: string, count: number): string | undefined {
  if (recurrence === 'once') return undefined
  if (recurrence === 'weekly') return addDays(date, 7 * count)
  if (recurrence === 'biweekly') return addDays(date, 14 * count)
  return addMonths(date, count)
}

/** Returns whether the rhythm allows a send on `date` after the `sentDates` since its confirmation, newest first. */
export const allowsDate = (
  { recurrence, from }: ConfirmedRhythm,
  sentDates: readonly string[],
  date: string,
): boolean =>
  date >= from &&
  sentDates.slice(0, comparedSendCount).every((sentDate, index) => {
    // Compares with each: two months after January 31 is March 31, but one month after February 28 is March 28.
    const earliest = earliestDate(recurrence, sentDate, index + 1)
    return earliest !== undefined && date >= earliest
  })

/** Returns whether the rhythm allows the first `comparedSendCount` of `dates` after `sentDates`, newest first. */
export function allowsDates(confirmed: ConfirmedRhythm, sentDates: readonly string[], dates: Dates): boolean {
  const planned = [...sentDates]
  let date: string | undefined = dates.anchorOn
  for (let count = 0; count < comparedSendCount && date !== undefined; count += 1) {
    if (!allowsDate(confirmed, planned, date)) return false
    planned.unshift(date)
    date = computeNextDate(dates, date)
  }
  return true
}

/** SQL: dates of schedule `s` sent since its confirmation, newest first, as text. */
export const sentSinceConfirmedSql = `array(
  select p.on_date::text from schedule_occurrence p
   where p.schedule_id = s.id and p.state = 'sent' and p.on_date >= s.confirmed_from
   order by p.on_date desc limit ${comparedSendCount})`

/** Returns the dates of a schedule sent since its confirmation, newest first. */
export async function readSentDates(db: Db, scheduleId: string): Promise<readonly string[]> {
  const { rows } = await db.query<{ sent: string[] }>(
    `select ${sentSinceConfirmedSql} as sent from schedule s where s.id = $1`,
    [scheduleId],
  )
  return rows[0]?.sent ?? []
}
