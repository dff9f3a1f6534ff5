import { type Money, money } from '@tern/money/money'
import type { Db, Tx } from '../../platform/database/db.ts'
import { derivedId } from '../../platform/ids.ts'
import { refuse } from '../../platform/refuse.ts'
import { haveTransactedSql, abbreviateName, wasShownSql } from '../identity/identity.ts'
import type { Exchange, Price } from '../exchange/exchange.ts'
import type { SchedulesContext } from './context.ts'
import { localMoment, sendHour } from './local-time.ts'
import { addDays, type Dates } from './recurrence.ts'
import type { ScheduleRow } from './row-types.ts'

/** Ids of a schedule and of the user who owns it. */
export interface OwnSchedule {
  readonly userId: bigint
  readonly id: string
}

/** Returns the user's schedule, locked. Refuses `not_found`. */
export async function lockOwnSchedule(tx: Tx, { userId, id }: OwnSchedule): Promise<ScheduleRow> {
  const { rows } = await tx.query<ScheduleRow>('select * from schedule where id = $1 and user_id = $2 for update', [
    id,
    userId,
  ])
  return rows[0] ?? refuse('not_found')
}

/**
 * Payee of a schedule. The account holder sees the whole name only if `is_known`: a payment between the two has
 * arrived, or the review showed the name. Otherwise they see initials.
 */
export interface PayeeColumns {
  readonly payee_username: string
  readonly payee_name: string | null
  readonly is_known: boolean
}

export const selectSchedules = `select s.*, u.username as payee_username, u.name as payee_name,
    (${haveTransactedSql('s.user_id', 's.payee_id')}
      or ${wasShownSql('s.user_id', 's.payee_id', 's.created_at')}) as is_known
  from schedule s join app_user u on u.id = s.payee_id`

export const visibleName = ({ payee_name: name, is_known: isKnown }: PayeeColumns): string | null =>
  name === null || isKnown ? name : abbreviateName(name)

/** Returns the payee's visible name, or the username if there is none. */
export const payeeLabel = (row: PayeeColumns): string => visibleName(row) ?? row.payee_username

export const fixedAmount = ({ side, source_currency: source, target_currency: target, amount_minor }: Terms): Money =>
  money(side === 'source' ? source : target, amount_minor)

type Terms = Pick<ScheduleRow, 'side' | 'source_currency' | 'target_currency' | 'amount_minor'>

export const toDates = ({ recurrence, anchor_on: anchorOn }: Pick<ScheduleRow, 'recurrence' | 'anchor_on'>): Dates => ({
  recurrence,
  anchorOn,
})

/** Returns the current price of one send. Refuses `rates_unavailable`, `amount_too_small`. */
export const priceTerms = (exchange: Pick<Exchange, 'price'>, terms: Terms): Price =>
  exchange.price(priceRequest(terms))

export const priceRequest = (terms: Terms) => ({
  amount: fixedAmount(terms),
  side: terms.side,
  sourceCurrency: terms.source_currency,
  targetCurrency: terms.target_currency,
  useStablecoin: true,
})

/** Columns for the time of the send and of the balance check a day before. */
export const toTimeColumns = (date: string | undefined, timeZone: string) => ({
  next_on: date ?? null,
  next_at: date === undefined ? null : localMoment(date, sendHour, timeZone),
  warn_at: date === undefined ? null : localMoment(addDays(date, -1), sendHour, timeZone),
})

export const occurrenceId = (scheduleId: string, date: string): string =>
  derivedId('schedule occurrence', scheduleId, date)

/** Closes the waiting date of a schedule, if any, as skipped or missed. */
export async function closeWaiting(
  tx: Tx,
  { scheduleId, state, reason, at }: { scheduleId: string; state: 'skipped' | 'missed'; reason: string; at: Date },
): Promise<void> {
  await tx.query(
    `update schedule_occurrence set state = $2, reason = $3, try_at = null, retry_until = null, closed_at = $4
      where schedule_id = $1 and state = 'waiting'`,
    [scheduleId, state, reason, at],
  )
}

/** Finishes a schedule if no date is left. Call it after closing a date. */
export async function finishIfDone(
  tx: Tx,
  { scheduleId, at }: { readonly scheduleId: string; readonly at: Date },
): Promise<void> {
  await tx.query(
    `update schedule set state = 'finished', ended_at = $2, updated_at = $2
      where id = $1 and state = 'active' and next_on is null
        and not exists (select from schedule_occurrence where schedule_id = $1 and state = 'waiting')`,
    [scheduleId, at],
  )
}

/** Returns the recipient of mails about a schedule. */
export async function readMailbox({ identity }: SchedulesContext, db: Db, userId: bigint) {
  const user = (await identity.usersById(db, [userId])).get(userId)
  if (!user) throw new Error(`user ${userId} is not there`)
  return { userId, email: user.email }
}
