// Schedules as their account holder sees them.

import type { Occurrence, Schedule, schedules } from '@tern/contract/schedules/schedules'
import type { Reply } from '@tern/contract/protocol/endpoint'
import type { CurrencyCode } from '@tern/money/currency'
import { money, parseDecimal, toDecimal } from '@tern/money/money'
import type { Db } from '../../platform/database/db.ts'
import { wireId } from '../../platform/ids.ts'
import { currentRequestMessages } from '../../platform/messages.ts'
import { Refusal, refuse } from '../../platform/refuse.ts'
import { scheduleReason } from '../../platform/schedule-reasons.ts'
import { findDeletedName } from '../identity/identity.ts'
import type { Price } from '../exchange/exchange.ts'
import { readWallet } from '../wallets/wallets.ts'
import type { SchedulesContext } from './context.ts'
import { toLocalDate } from './local-time.ts'
import { addDays, datesBetween } from './recurrence.ts'
import {
  payeeLabel,
  toDates,
  fixedAmount,
  type OwnSchedule,
  priceTerms,
  selectSchedules,
  visibleName,
  type PayeeColumns,
} from './schedule-rows.ts'
import type { ScheduleOccurrenceRow, ScheduleRow } from './row-types.ts'

type Status = Occurrence['transaction_status']
type StoredOccurrence = ScheduleOccurrenceRow & { readonly status: Status }
type StoredSchedule = ScheduleRow & PayeeColumns
type UpcomingOccurrence = Reply<typeof schedules>['coming'][number]

const daysAhead = 35
const pastRows = 30

/** SQL columns of a date `o` of a schedule `s`, with the status of its transaction. */
const occurrenceColumns = `o.*, (
    select t.status from transaction t where t.user_id = s.user_id and t.id = o.transaction_id) as status`

const formatDecimal = (currency: CurrencyCode, minor: bigint): string => toDecimal(money(currency, minor))

function occurrenceView(row: StoredOccurrence, currency: CurrencyCode): Occurrence {
  return {
    schedule_id: row.schedule_id,
    date: row.on_date,
    state: row.state,
    reason: row.reason,
    reason_text: row.reason && scheduleReason(currentRequestMessages(), row.reason),
    retry_until: row.retry_until?.toISOString() ?? null,
    transaction_id: row.transaction_id,
    transaction_status: row.status,
    total: row.total_minor === null ? null : formatDecimal(currency, row.total_minor),
  }
}

/** Returns the current price; undefined while rates are unknown, or when a small amount is refused. */
function findCurrentPrice(exchange: SchedulesContext['exchange'], row: ScheduleRow): Price | undefined {
  try {
    return priceTerms(exchange, row)
  } catch (error) {
    if (error instanceof Refusal) return undefined
    throw error
  }
}

function scheduleView(
  exchange: SchedulesContext['exchange'],
  row: StoredSchedule,
  waitingOccurrence: StoredOccurrence | undefined,
): Schedule {
  const price = findCurrentPrice(exchange, row)
  const { source_currency: currency } = row
  const ceiling = formatDecimal(currency, row.ceiling_minor)
  return {
    id: row.id,
    state: row.state,
    recipient: {
      id: wireId(row.payee_id),
      username: row.payee_username,
      name: findDeletedName(row.payee_username) ?? visibleName(row),
    },
    source_currency: currency,
    target_currency: row.target_currency,
    side: row.side,
    amount: toDecimal(fixedAmount(row)),
    description: row.note,
    recurrence: row.recurrence,
    first_on: row.anchor_on,
    next_on: row.next_on,
    next_at: row.next_at?.toISOString() ?? null,
    time_zone: row.time_zone,
    paused_until: row.paused_until,
    rate_guard: row.has_rate_guard ? ceiling : null,
    ceiling,
    wait_days: row.wait_days,
    price: price
      ? {
          source_amount: toDecimal(price.source),
          target_amount: toDecimal(price.target),
          fee: toDecimal(price.fee),
          total: toDecimal(price.total),
        }
      : null,
    waiting: waitingOccurrence ? occurrenceView(waitingOccurrence, currency) : null,
    created_at: row.created_at.toISOString(),
  }
}

/** Reads the waiting dates of schedules, by the id of the schedule. */
async function readWaiting(db: Db, ids: readonly string[]): Promise<Map<string, StoredOccurrence>> {
  const { rows } = await db.query<StoredOccurrence>(
    `select ${occurrenceColumns} from schedule_occurrence o join schedule s on s.id = o.schedule_id
      where o.schedule_id = any($1::uuid[]) and o.state = 'waiting'`,
    [ids],
  )
  return new Map(rows.map((row) => [row.schedule_id, row]))
}

/** Returns one of the user's schedules. Refuses `not_found`. */
export async function readSchedule(
  { exchange }: SchedulesContext,
  db: Db,
  { userId, id }: OwnSchedule,
): Promise<Schedule> {
  const { rows } = await db.query<StoredSchedule>(`${selectSchedules} where s.id = $1 and s.user_id = $2`, [id, userId])
  const row = rows[0] ?? refuse('not_found')
  return scheduleView(exchange, row, (await readWaiting(db, [id])).get(id))
}

/** Returns the user's active and paused schedules, their coming dates, and the latest past dates of all schedules. */
export async function listSchedules(ctx: SchedulesContext, db: Db, userId: bigint): Promise<Reply<typeof schedules>> {
  const { rows } = await db.query<StoredSchedule>(
    `${selectSchedules} where s.user_id = $1 and s.state in ('active', 'paused')
      order by s.next_on nulls last, s.created_at`,
    [userId],
  )
  const waiting = await readWaiting(
    db,
    rows.map((row) => row.id),
  )
  const pastOccurrences = await db.query<StoredOccurrence & Omit<StoredSchedule, keyof ScheduleOccurrenceRow>>(
    `select s.*, ${occurrenceColumns} from (${selectSchedules}) s join schedule_occurrence o on o.schedule_id = s.id
      where s.user_id = $1 and o.closed_at is not null order by o.on_date desc, o.closed_at desc limit ${pastRows}`,
    [userId],
  )
  const { coming, until } = await forecast(ctx, db, { userId, rows, waiting })
  return {
    schedules: rows.map((row) => scheduleView(ctx.exchange, row, waiting.get(row.id))),
    coming,
    coming_until: until,
    past: pastOccurrences.rows.map((row) =>
      Object.assign(occurrenceView(row, row.source_currency), {
        recipient_name: payeeLabel(row),
        currency: row.source_currency,
      }),
    ),
  }
}

interface ScheduleList {
  readonly userId: bigint
  readonly rows: readonly StoredSchedule[]
  readonly waiting: ReadonlyMap<string, unknown>
}

/** Returns the sends of the coming weeks by date, each with the amount that the balance lacks for it. */
async function forecast(
  { wallets, exchange, now }: SchedulesContext,
  db: Db,
  { userId, rows, waiting }: ScheduleList,
): Promise<{ coming: UpcomingOccurrence[]; until: string }> {
  const today = toLocalDate(now(), rows[0]?.time_zone ?? 'UTC')
  const until = addDays(today, daysAhead)
  const sender = await wallets.findParty(db, userId)
  const assets = sender ? (await readWallet(db, sender.wallet)).assets : []
  const availableByCurrency = new Map(
    assets.map(({ currency, available }) => [currency, parseDecimal(currency, available).minor]),
  )
  const planned = rows
    .flatMap((row) => [
      ...(waiting.has(row.id) ? [{ row, date: today }] : []),
      ...(row.next_on === null ? [] : datesBetween(toDates(row), row.next_on, until)).map((date) => ({ row, date })),
    ])
    .toSorted((a, b) => (a.date < b.date ? -1 : a.date > b.date ? 1 : +a.row.created_at - +b.row.created_at))
  const upcoming = planned.map(({ row, date }): UpcomingOccurrence => {
    const { id, source_currency: currency } = row
    const total = findCurrentPrice(exchange, row)?.total.minor
    const available = availableByCurrency.get(currency) ?? 0n
    const missing = total !== undefined && total > available ? total - available : undefined
    // A send that the balance does not cover waits, so later ones can use the balance.
    if (total !== undefined && missing === undefined) availableByCurrency.set(currency, available - total)
    return {
      schedule_id: id,
      date,
      currency,
      total: total === undefined ? null : formatDecimal(currency, total),
      missing: missing === undefined ? null : formatDecimal(currency, missing),
    }
  })
  return { coming: upcoming, until }
}
