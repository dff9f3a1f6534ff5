// Sends due dates. A date is sent in the transaction that updates its row, under that row's lock: at most once, for any
// number of workers and despite clock changes.

import { parseDecimal, toDecimal } from '@tern/money/money'
import type pg from 'pg'
import { type Db, retryOnConflict, transact, type Tx } from '../../platform/database/db.ts'
import { derivedId, wireId } from '../../platform/ids.ts'
import { refuse, Refusal } from '../../platform/refuse.ts'
import { type Attempt, keySend, type AttemptResult, type OrderPosting, toOrderPosting } from '../transfers/transfers.ts'
import type { MoveOutcome } from '../wallets/move.ts'
import { type Party, readWallet } from '../wallets/wallets.ts'
import type { SchedulesContext } from './context.ts'
import { allowsDate, type ConfirmedRhythm, sentSinceConfirmedSql } from './orders/confirmed-rhythm.ts'
import { notifyNotSent, payeeParams } from './due-dates.ts'
import { localMoment } from './local-time.ts'
import { addDays } from './recurrence.ts'
import { finishIfDone, priceTerms, priceRequest, selectSchedules, type PayeeColumns } from './schedule-rows.ts'
import type { ScheduleOccurrenceRow, ScheduleRow } from './row-types.ts'

/** Days for which a date is retried. For a price above the ceiling, the account holder chooses the days. */
const waitDays = 3
const retryMs = 10 * 60_000
const atOnce = 4
const maxPerRound = 100

type DueOccurrence = Pick<ScheduleOccurrenceRow, 'id' | 'on_date' | 'tries'> &
  ScheduleRow &
  PayeeColumns & { occurrence_id: string }

/** Thrown if another worker has the date, or the account holder has just changed it. */
class OccurrenceSkipped extends Error {}

/** Thrown if a date cannot be sent yet. */
class RetryLater extends Error {
  readonly reason: string
  constructor(reason: string) {
    super(reason)
    this.reason = reason
  }
}

/** Sends every due date; each account holder's dates are sent in order. */
export async function sendDue(ctx: SchedulesContext, pool: pg.Pool): Promise<void> {
  const attemptedIds = new Set<string>()
  for (;;) {
    const rows = (await findDue(ctx, pool)).filter(
      ({ occurrence_id: id, tries }) => !attemptedIds.has(`${id} ${tries}`),
    )
    if (rows.length === 0) return
    // Refreshes rates once per call, and while there are none.
    if (!ctx.exchange.hasRates() || attemptedIds.size === 0) await ctx.exchange.refreshRates()
    for (const { occurrence_id: id, tries } of rows) attemptedIds.add(`${id} ${tries}`)
    const remaining = rows.values()
    const sendRemaining = async () => {
      for (const row of remaining) await trySend(ctx, pool, row)
    }
    await Promise.all(Array.from({ length: atOnce }, sendRemaining))
  }
}

/** Returns the earliest date of each account holder that is to be sent or retried now. */
async function findDue({ now }: SchedulesContext, db: Db): Promise<DueOccurrence[]> {
  const { rows } = await db.query<DueOccurrence>(
    `select s.*, o.id as occurrence_id, o.on_date, o.tries from (${selectSchedules}) s
       join schedule_occurrence o on o.schedule_id = s.id
      where o.state = 'waiting' and o.try_at <= $1 and s.state = 'active'
        and not exists (
          select from schedule_occurrence e join schedule f on f.id = e.schedule_id
           where f.user_id = s.user_id and f.state = 'active' and e.state = 'waiting' and e.try_at <= $1
             and (e.due_at, f.created_at, e.id) < (o.due_at, s.created_at, o.id))
      order by o.due_at limit ${maxPerRound}`,
    [now()],
  )
  return rows
}

async function trySend(ctx: SchedulesContext, pool: pg.Pool, due: DueOccurrence): Promise<void> {
  try {
    await send(ctx, pool, due)
  } catch (error) {
    if (error instanceof OccurrenceSkipped || describeReason(error) === 'request_in_progress') return
    const reason = describeReason(error)
    if (reason === 'internal') ctx.log.error({ err: error, scheduleId: due.id }, 'a scheduled send failed')
    await recordRefusal(ctx, pool, { due, reason, isFinal: isFinal(error) }).catch((failure: unknown) =>
      ctx.log.error({ err: failure, scheduleId: due.id }, 'a refused scheduled send was not recorded'),
    )
  }
}

/** Refusals after which a date is retried. All others end the date. */
const transient: ReadonlySet<string> = new Set([
  'insufficient_funds',
  'rates_unavailable',
  'liquidity_unavailable',
  'rate_limited',
  'idempotency_key_reused',
  'quote_expired',
  'quote_used',
  'quote_mismatch',
  'service_unavailable',
])
const describeReason = (error: unknown): string =>
  error instanceof RetryLater ? error.reason : error instanceof Refusal ? error.code : 'internal'
const isFinal = (error: unknown): boolean => error instanceof Refusal && !transient.has(error.code)

/** Sends a date at the current price. Throws RetryLater, OccurrenceSkipped, or the refusal of the send. */
async function send(ctx: SchedulesContext, pool: pg.Pool, due: DueOccurrence): Promise<void> {
  const { wallets, exchange, transfers } = ctx
  const { user_id: userId, payee_id: payeeId, source_currency: currency, ceiling_minor: ceiling, tries } = due
  const sender = await wallets.findParty(pool, userId)
  if (!sender) throw new Error(`user ${userId} has no wallet`)
  const currentTotal = priceTerms(exchange, due).total.minor
  if (currentTotal > ceiling) throw new RetryLater('price_above_ceiling')
  if ((await readAvailableAmount(pool, { sender, currency })) < currentTotal) throw new RetryLater('insufficient_funds')
  // Rates may have changed since the check: the quoted price is checked again, and paid.
  const quote = await exchange.quote({ userId, request: priceRequest(due), recipientId: payeeId })
  const total = parseDecimal(currency, quote.total).minor
  if (total > ceiling) throw new RetryLater('price_above_ceiling')
  const order = {
    sender: { userId, verified: sender.verified },
    request: {
      recipient_id: wireId(payeeId),
      amount: quote.source_amount,
      source_currency: currency,
      target_currency: due.target_currency,
      description: due.note,
      quote_id: quote.quote_id,
    },
    idempotencyKey: derivedId('scheduled send', due.occurrence_id, String(tries)),
    isConfirmed: due.confirmed_at !== null,
  }
  const orderKey = keySend(order.sender, order)
  await transfers.runOrderOnce(orderKey, () =>
    transfers.readResult({ orderKey, pendingResult: makeSend(ctx, pool, { order, due, total }) }),
  )
}

interface DueSend extends PricedOccurrence {
  readonly order: Parameters<SchedulesContext['transfers']['prepareScheduled']>[0]
}

/** Moves the money of a date, and marks the date as sent in the same transaction. */
async function makeSend(
  ctx: SchedulesContext,
  pool: pg.Pool,
  { order, ...occurrence }: DueSend,
): Promise<AttemptResult> {
  const { transfers } = ctx
  let next: Attempt | AttemptResult = await transfers.begin(await transfers.prepareScheduled(order))
  while (!('outcome' in next)) {
    const attempt: Attempt = next
    const pendingMove = retryOnConflict(pool, (tx) => sendInTransaction(ctx, tx, { ...occurrence, attempt }))
    next = await transfers.nextAttempt({ attempt, pendingMove })
  }
  return next
}

/** Moves the money of a date and marks it as sent, unless the date or its schedule has changed. */
async function sendInTransaction(
  ctx: SchedulesContext,
  tx: Tx,
  { attempt, ...occurrence }: PricedOccurrence & { readonly attempt: Attempt },
): Promise<MoveOutcome> {
  await requireUnchanged(tx, occurrence)
  const outcome = await ctx.transfers.moveWithin(tx, attempt)
  if (outcome.status === 'posted') await recordSent(ctx, tx, { ...occurrence, ...toOrderPosting(attempt) })
  return outcome
}

/** Returns the sender's available balance of a currency, in minor units. */
export async function readAvailableAmount(
  db: Db,
  { sender, currency }: { readonly sender: Party; readonly currency: DueOccurrence['source_currency'] },
): Promise<bigint> {
  const { assets } = await readWallet(db, sender.wallet)
  const asset = assets.find((candidate) => candidate.currency === currency)
  return asset ? parseDecimal(currency, asset.available).minor : 0n
}

interface ConfirmedTerms extends ConfirmedRhythm {
  readonly ceiling: bigint
  /** Newest first. */
  readonly sent: readonly string[]
}

interface PricedOccurrence {
  readonly due: DueOccurrence
  readonly total: bigint
}

/** Throws OccurrenceSkipped if the date or its terms changed. Refuses `step_up_required` beyond the confirmed terms. */
async function requireUnchanged(tx: Tx, { due, total }: PricedOccurrence): Promise<void> {
  // Rows locked by an edit or another attempt count as changed.
  const { rows } = await tx.query<ConfirmedTerms>(
    `select s.confirmed_recurrence as recurrence, s.confirmed_from as "from",
            s.confirmed_ceiling_minor as ceiling, ${sentSinceConfirmedSql} as sent
       from schedule_occurrence o join schedule s on s.id = o.schedule_id
      where o.id = $1 and o.state = 'waiting' and o.tries = $2 and s.state = 'active' and s.ceiling_minor >= $3
        and s.side = $4 and s.amount_minor = $5 and s.source_currency = $6 and s.target_currency = $7
      for update of o, s skip locked`,
    [due.occurrence_id, due.tries, total, due.side, due.amount_minor, due.source_currency, due.target_currency],
  )
  const [confirmedRow] = rows
  if (!confirmedRow) throw new OccurrenceSkipped()
  // Edits passed this check already; it also covers rows that were changed in any other way.
  const isWithinTerms = total <= confirmedRow.ceiling && allowsDate(confirmedRow, confirmedRow.sent, due.on_date)
  if (!isWithinTerms) refuse('step_up_required')
}

async function recordSent(
  { notifications, now }: SchedulesContext,
  tx: Tx,
  { due, total, transactionId, isHeld }: PricedOccurrence & Pick<OrderPosting, 'transactionId' | 'isHeld'>,
): Promise<void> {
  const at = now()
  await tx.query(
    `update schedule_occurrence o
        set state = 'sent', reason = null, try_at = null, retry_until = null, transaction_id = $2, total_minor = $3,
            ceiling_minor = (select ceiling_minor from schedule where id = o.schedule_id), closed_at = $4
      where id = $1`,
    [due.occurrence_id, transactionId, total, at],
  )
  await finishIfDone(tx, { scheduleId: due.id, at })
  await notifications.touch(tx, { userIds: [due.user_id], topic: 'schedules' })
  // A held payment is not sent yet.
  if (isHeld) return
  const amount = { currency: due.source_currency, minor: total }
  await notifications.notify(tx, {
    userId: due.user_id,
    code: 'schedule_sent',
    params: { person: payeeParams(due), amount: toDecimal(amount), currency: amount.currency, date: due.on_date },
    subjectId: due.id,
    dedupe: due.occurrence_id,
  })
}

/** Returns when a date refused for this reason is given up: at the end of its last day, local time. */
const computeDeadline = ({ on_date: date, wait_days: days, time_zone: zone }: DueOccurrence, reason: string): Date =>
  localMoment(addDays(date, (reason === 'price_above_ceiling' ? days : waitDays) + 1), 0, zone)

/** Schedules a retry of a refused date, or closes the date if the refusal is final or the deadline has passed. */
async function recordRefusal(
  ctx: SchedulesContext,
  pool: pg.Pool,
  {
    due,
    reason,
    isFinal: mustEnd,
  }: { readonly due: DueOccurrence; readonly reason: string; readonly isFinal: boolean },
): Promise<void> {
  const { notifications } = ctx
  const at = ctx.now()
  const deadline = computeDeadline(due, reason)
  await transact(pool, async (tx) => {
    if (mustEnd || deadline <= at) {
      await closeOccurrence(ctx, tx, { due, reason, at })
      return
    }
    const { rows } = await tx.query<{ is_news: boolean }>(
      `update schedule_occurrence o set tries = tries + 1, reason = $3, try_at = $4, retry_until = $5
         from (select id, reason from schedule_occurrence where id = $1) as before
        where o.id = before.id and o.state = 'waiting' and o.tries = $2
        returning before.reason is distinct from $3 as is_news`,
      [due.occurrence_id, due.tries, reason, new Date(at.getTime() + retryMs), deadline],
    )
    if (rows[0]?.is_news) await notifications.touch(tx, { userIds: [due.user_id], topic: 'schedules' })
  })
}

/** Closes a date that is not sent, and notifies the account holder. */
async function closeOccurrence(
  ctx: SchedulesContext,
  tx: Tx,
  { due, reason, at }: { readonly due: DueOccurrence; readonly reason: string; readonly at: Date },
): Promise<void> {
  // Locks the schedule before its date, like an edit.
  await tx.query('select from schedule where id = $1 for update', [due.id])
  const state = reason === 'price_above_ceiling' ? 'skipped' : 'failed'
  const { rowCount } = await tx.query(
    `update schedule_occurrence set state = $3, reason = $4, try_at = null, retry_until = null, closed_at = $5
      where id = $1 and state = 'waiting' and tries = $2`,
    [due.occurrence_id, due.tries, state, reason, at],
  )
  if (rowCount !== 1) return
  await finishIfDone(tx, { scheduleId: due.id, at })
  await ctx.notifications.touch(tx, { userIds: [due.user_id], topic: 'schedules' })
  await notifyNotSent(ctx, tx, { row: due, date: due.on_date, reason, dedupe: due.occurrence_id })
}
