// Orders and changes of scheduled sends: what is agreed to, and whether it has to be confirmed.

import type { ChangedSchedule, NewSchedule } from '@tern/contract/schedules/schedules'
import { add, type Money, money } from '@tern/money/money'
import type pg from 'pg'
import { amountText, parseAmount } from '../../platform/http/amount.ts'
import { requestHash } from '../../platform/http/idempotency.ts'
import { transact, type Tx } from '../../platform/database/db.ts'
import { lockName, StepUpNeeded } from '../../platform/database/locks.ts'
import { insertRow, updateRow } from '../../platform/database/rows.ts'
import type { Caller } from '../../platform/http/serve.ts'
import { derivedId } from '../../platform/ids.ts'
import { refuse, refuseField } from '../../platform/refuse.ts'
import { confirmed } from '../../platform/subjects.ts'
import type { Exchange, Price } from '../exchange/exchange.ts'
import type { SensitiveAction, StepUp } from '../identity/identity.ts'
import type { Notifications } from '../notifications/notifications.ts'
import { holdsCurrency, type Party, type Wallets } from '../wallets/wallets.ts'
import { dateAt, isTimeZone } from './local-time.ts'
import { addDays, anchorFrom } from './recurrence.ts'
import { closeWaiting, priceNow, type ScheduleRow, timesOf } from './schedule-rows.ts'

export interface OrderOptions {
  readonly pool: pg.Pool
  readonly wallets: Wallets
  readonly exchange: Exchange
  readonly notifications: Pick<Notifications, 'touch'>
  readonly requireStepUp: StepUp['require']
  readonly now: () => Date
}

const mostPerPerson = 100
const daysAhead = 731
const defaultWaitDays = 3
/** Without a rate guard, a send to a fixed amount abroad may cost a tenth more than now before it waits. */
const roomParts = 10n

interface Agreed {
  readonly sender: Party
  readonly recipient: Party
  readonly price: Price
  /** In the source currency, fee included. */
  readonly ceiling: Money
  readonly columns: Pick<
    ScheduleRow,
    | 'source_currency'
    | 'target_currency'
    | 'side'
    | 'amount_minor'
    | 'note'
    | 'recurrence'
    | 'ceiling_minor'
    | 'has_rate_guard'
    | 'wait_days'
  >
}

/** Who pays what to whom, and at most how much. Refuses what is wrong with it. */
async function agree(
  { wallets, exchange }: OrderOptions,
  caller: Caller,
  recipientId: bigint,
  terms: ChangedSchedule,
): Promise<Agreed> {
  if (!caller.verified) refuse('verification_required')
  if (recipientId === caller.userId) refuseField('recipient_is_sender', 'recipient_id')
  const [sender, recipient] = await Promise.all([wallets.partyOf(caller.userId), wallets.partyOf(recipientId)])
  if (!sender) return refuse('unauthenticated')
  if (!recipient?.verified) return refuseField('recipient_not_found', 'recipient_id')
  const { source_currency, target_currency, side, recurrence } = terms
  if (!holdsCurrency(sender.wallet, source_currency)) refuseField('currency_not_held', 'source_currency')
  if (!holdsCurrency(recipient.wallet, target_currency)) {
    const params = { currency: recipient.wallet.baseCurrency }
    refuseField('currency_not_held', 'target_currency', { code: 'recipient_currency', params })
  }
  const amount = parseAmount('amount', side === 'source' ? source_currency : target_currency, terms.amount)
  const fixed = { source_currency, target_currency, side, amount_minor: amount.minor }
  const price = priceNow(exchange, fixed)
  const guard = typeof terms.rate_guard === 'string' ? terms.rate_guard : undefined
  const floats = side === 'target' && source_currency !== target_currency
  if (guard !== undefined && !floats) refuseField('invalid_request', 'rate_guard', 'rate_guard_not_needed')
  const ceiling = !floats
    ? price.total
    : guard !== undefined
      ? parseAmount('rate_guard', source_currency, guard)
      : terms.ceiling !== undefined
        ? parseAmount('ceiling', source_currency, terms.ceiling)
        : add(price.total, money(source_currency, (price.total.minor + roomParts - 1n) / roomParts))
  const columns = {
    ...fixed,
    note: terms.description ?? '',
    recurrence,
    ceiling_minor: ceiling.minor,
    has_rate_guard: guard !== undefined,
    wait_days: terms.wait_days ?? defaultWaitDays,
  }
  return { sender, recipient, price, ceiling, columns }
}

/** Refuses a date that is not ahead, or too far. */
function checkDate(date: string, field: string, timeZone: string, at: Date): void {
  const today = dateAt(at, timeZone)
  if (date <= today) refuseField('invalid_request', field, 'date_not_ahead')
  if (date > addDays(today, daysAhead)) refuseField('invalid_request', field, 'date_too_far')
}

/** What is confirmed: who gets what, how often, and the most that one send may cost. */
function actOf({ recipient, price, ceiling, columns }: Agreed, nextOn: string, hidden: string): SensitiveAction {
  const { username, name } = recipient
  return {
    action: 'schedule_send',
    subject: {
      to: name === null ? `@${username}` : `${name} (@${username})`,
      ...(columns.side === 'source' ? { amount: amountText(price.source) } : { receives: amountText(price.target) }),
      at_most: amountText(ceiling),
      repeats: confirmed(`repeats_${columns.recurrence}`),
      starts: { code: 'on_day', params: { day: nextOn } },
    },
    // Not the present price, which moves on while somebody confirms.
    hidden: { recipient: String(recipient.userId), for: hidden, note: columns.note },
  }
}

/** Writes with `confirmedAt` null, or, where that throws StepUpNeeded, with the time once it is confirmed. */
async function confirmedIfNeeded<T>(
  { pool, now, requireStepUp }: OrderOptions,
  caller: Caller,
  { act, confirmation }: { act: SensitiveAction; confirmation: string | undefined },
  write: (tx: Tx, confirmedAt: Date | null) => Promise<T>,
): Promise<T> {
  try {
    return await transact(pool, (tx) => write(tx, null))
  } catch (error) {
    if (!(error instanceof StepUpNeeded)) throw error
    await requireStepUp(caller, act, confirmation)
    return transact(pool, (tx) => write(tx, now()))
  }
}

/** Orders a scheduled send, once per key. Gives its id; refuses what the contract's `createSchedule` lists. */
export async function createSchedule(
  options: OrderOptions,
  caller: Caller,
  wanted: NewSchedule,
  { idempotencyKey, confirmation }: { idempotencyKey: string; confirmation: string | undefined },
): Promise<string> {
  const { notifications, pool, now } = options
  const id = derivedId('schedule', caller.userId, idempotencyKey)
  const hash = requestHash({ ...wanted, rate_guard: wanted.rate_guard ?? null })
  const isThere = async (db: pg.Pool | Tx) => {
    const { rows } = await db.query<{ request_hash: Buffer }>('select request_hash from schedule where id = $1', [id])
    if (rows[0] && !rows[0].request_hash.equals(hash)) refuseField('idempotency_key_reused', 'Idempotency-Key')
    return rows.length === 1
  }
  if (await isThere(pool)) return id
  const { time_zone: timeZone, next_on: nextOn } = wanted
  if (!isTimeZone(timeZone)) refuseField('invalid_request', 'time_zone', 'invalid_time_zone')
  const anchorOn = anchorFrom(wanted.recurrence, nextOn)
  checkDate(anchorOn, 'next_on', timeZone, now())
  const agreed = await agree(options, caller, BigInt(wanted.recipient_id), wanted)
  const act = actOf(agreed, anchorOn, idempotencyKey)
  await confirmedIfNeeded(options, caller, { act, confirmation }, async (tx, confirmedAt) => {
    // Nobody is there to confirm a date when it comes (PSD2 RTS, article 14: when a series of payments is created).
    if (confirmedAt === null) throw new StepUpNeeded()
    await lockName(tx, `schedules of ${caller.userId}`)
    if (await isThere(tx)) return
    const { rowCount } = await tx.query(
      `select from schedule where user_id = $1 and state in ('active', 'paused') limit ${mostPerPerson}`,
      [caller.userId],
    )
    if (rowCount === mostPerPerson) refuse('too_many_schedules')
    const at = now()
    await insertRow(tx, 'schedule', {
      ...{ id, user_id: caller.userId, payee_id: agreed.recipient.userId, wallet_id: agreed.sender.wallet.id },
      ...agreed.columns,
      ...{ anchor_on: anchorOn, time_zone: timeZone, confirmed_at: confirmedAt, state: 'active', request_hash: hash },
      ...timesOf(anchorOn, timeZone),
      ...{ created_at: at, updated_at: at },
    })
    await notifications.touch(tx, [caller.userId], 'schedules')
  })
  return id
}

/** Changes a schedule that is active or paused. Refuses what the contract's `editSchedule` lists. */
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
  const act = actOf(agreed, wanted.next_on, id)
  await confirmedIfNeeded(options, caller, { act, confirmation }, async (tx, confirmedAt) => {
    const row = await lockOwn(tx, caller.userId, id)
    if (row.state !== 'active' && row.state !== 'paused') refuse('schedule_not_active')
    const isRaise = isRaised(row, agreed)
    if (isRaise && confirmedAt === null) throw new StepUpNeeded()
    const at = now()
    await updateRow(tx, 'schedule', id, {
      ...agreed.columns,
      ...(await newDates(tx, row, wanted, at)),
      ...(isRaise ? { confirmed_at: confirmedAt } : {}),
      updated_at: at,
    })
    await notifications.touch(tx, [caller.userId], 'schedules')
  })
}

/** Whether more may leave than agreed to so far, or more often. */
const isRaised = (row: ScheduleRow, { columns }: Agreed): boolean =>
  row.source_currency !== columns.source_currency ||
  row.recurrence !== columns.recurrence ||
  columns.ceiling_minor > row.ceiling_minor

/** The dates as changed. What waits is skipped when they change, since its money goes on another day. */
async function newDates(tx: Tx, row: ScheduleRow, wanted: ChangedSchedule, at: Date): Promise<object> {
  const { recurrence, next_on: nextOn } = wanted
  if (recurrence === row.recurrence && nextOn === (row.next_on ?? row.anchor_on)) return {}
  const anchorOn = anchorFrom(recurrence, nextOn)
  checkDate(anchorOn, 'next_on', row.time_zone, at)
  await closeWaiting(tx, row.id, { reason: 'rescheduled', at })
  return {
    ...{ anchor_on: anchorOn, ...timesOf(anchorOn, row.time_zone) },
    ...{ state: 'active', paused_until: null, resume_at: null },
  }
}

/** The caller's schedule, locked. Refuses `not_found`. */
export async function lockOwn(tx: Tx, userId: bigint, id: string): Promise<ScheduleRow> {
  const { rows } = await tx.query<ScheduleRow>('select * from schedule where id = $1 and user_id = $2 for update', [
    id,
    userId,
  ])
  return rows[0] ?? refuse('not_found')
}
