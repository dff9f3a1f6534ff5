// Mails about the statements of months that have ended, for people who want them.

import type { StatementMails } from '@tern/contract/statements'
import { isTimeZone } from '@tern/contract/schedules/time-zones'
import type pg from 'pg'
import { money } from '@tern/money/money'
import { transact, type Db, type Tx } from '../../../platform/database/db.ts'
import { amountText } from '../../../platform/http/amount.ts'
import { refuseField } from '../../../platform/refuse.ts'
import type { Identity } from '../../identity/identity.ts'
import type { Notifications } from '../../notifications/notifications.ts'
import { findWallet } from '../../wallets/wallets.ts'
import { addDays, findDayStart, toDay, toDays } from '../period.ts'
import { readOpening } from '../read-movements.ts'
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

const monthAfter = (month: string): string => addDays(toDays(month)[1], 1).slice(0, 7)

interface MailContext {
  readonly identity: Pick<Identity, 'usersById'>
  readonly notifications: Pick<Notifications, 'mail'>
  readonly publicUrl: string
  readonly now: () => Date
}

type DueMail = Pick<StatementMailRow, 'user_id' | 'time_zone' | 'next_month'>

/**
 * Mails about each month that has ended, once per person and month with any number of workers: the transaction that
 * stores a mail also moves the person's row to the next month.
 */
export async function mailDueStatements(ctx: MailContext, pool: pg.Pool): Promise<void> {
  while (await transact(pool, (tx) => mailNext(ctx, tx)));
}

/** Mails about the statement that has been due longest; false if none is. */
async function mailNext(ctx: MailContext, tx: Tx): Promise<boolean> {
  const { rows } = await tx.query<DueMail>(
    `select user_id, time_zone, next_month from statement_mail where due_at <= $1
      order by due_at, user_id limit 1 for update skip locked`,
    [ctx.now()],
  )
  const [due] = rows
  if (!due) return false
  const month = due.next_month.slice(0, 7)
  const next = monthAfter(month)
  await tx.query('update statement_mail set next_month = $2, due_at = $3 where user_id = $1', [
    due.user_id,
    `${next}-01`,
    computeDueTime(next, due.time_zone),
  ])
  await writeStatementMail(ctx, tx, { due, month })
  return true
}

async function writeStatementMail(
  { identity, notifications, publicUrl }: MailContext,
  tx: Tx,
  { due: { user_id: userId, time_zone: timeZone }, month }: { readonly due: DueMail; readonly month: string },
): Promise<void> {
  const user = (await identity.usersById(tx, [userId])).get(userId)
  const wallet = await findWallet(tx, userId)
  if (!user || !wallet) return
  const currency = wallet.baseCurrency
  const [first, last] = toDays(month)
  const readBalance = async (at: Date) => {
    const balances = await readOpening(tx, { wallet, currencies: [currency], at })
    return amountText(money(currency, balances.find(({ part }) => part === 'available')?.balance ?? 0n))
  }
  const data = {
    month,
    opening: await readBalance(findDayStart(first, timeZone)),
    amount: await readBalance(findDayStart(addDays(last, 1), timeZone)),
    link: `${publicUrl}/statements?period=${month}&time_zone=${encodeURIComponent(timeZone)}`,
  }
  await notifications.mail(tx, { to: { email: user.email, userId }, template: 'statement_ready', data })
}
