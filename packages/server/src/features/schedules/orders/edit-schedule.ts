// Edits of scheduled sends. An edit must be within the confirmed terms, or requires a new confirmation.

import type { ScheduleTerms, Schedule } from '@tern/contract/schedules/schedules'
import type pg from 'pg'
import { type Db, transact, type Tx } from '../../../platform/database/db.ts'
import { updateRow } from '../../../platform/database/rows.ts'
import type { Caller } from '../../../platform/http/serve.ts'
import { refuse } from '../../../platform/refuse.ts'
import { allowsDate, allowsDates, isMoreFrequent, readSentDates } from './confirmed-rhythm.ts'
import { computeAnchor, type Dates } from '../recurrence.ts'
import { requireAcknowledgement, useAcknowledgement } from '../../transfers/transfers.ts'
import type { SchedulesContext } from '../context.ts'
import { closeWaiting, lockOwnSchedule, type OwnSchedule, toTimeColumns } from '../schedule-rows.ts'
import { readSchedule } from '../schedule-view.ts'
import {
  sensitiveAction,
  type AgreedTerms,
  checkDate,
  type RaiseReason,
  toWarnedOrder,
  validateTerms,
  withReason,
} from './schedule-terms.ts'
import type { ScheduleOccurrenceRow, ScheduleRow } from '../row-types.ts'

interface ScheduleEdit {
  readonly caller: Caller
  readonly id: string
  readonly body: ScheduleTerms
  readonly confirmation: string | undefined
}

/**
 * Changes an active or paused schedule. Refuses `step_up_required` for edits that may send more than the account holder
 * confirmed, or more than the current terms; for other refusals see `editSchedule` in the contract.
 */
export async function editSchedule(
  ctx: SchedulesContext,
  pool: pg.Pool,
  { caller, id, body, confirmation }: ScheduleEdit,
): Promise<Schedule> {
  const { identity, now } = ctx
  const own = { userId: caller.userId, id }
  const recipientId = await findPayee(pool, own)
  const agreed = await validateTerms(ctx, pool, { caller, recipientId, terms: body })
  const raise = await transact(pool, (tx) => applyEdit(ctx, tx, { own, body, agreed, confirmedAt: undefined }))
  if (raise) {
    const act = withReason(sensitiveAction(agreed, computeAnchor(body.recurrence, body.next_on), id), raise)
    await identity.requireStepUp({ caller, act, confirmation })
    await transact(pool, (tx) => applyEdit(ctx, tx, { own, body, agreed, confirmedAt: now() }))
  }
  return readSchedule(ctx, pool, own)
}

/** Returns the payee of the user's schedule. Refuses `not_found`. */
async function findPayee(db: Db, { userId, id }: OwnSchedule): Promise<bigint> {
  const { rows } = await db.query<Pick<ScheduleRow, 'payee_id'>>(
    'select payee_id from schedule where id = $1 and user_id = $2',
    [id, userId],
  )
  return rows[0]?.payee_id ?? refuse('not_found')
}

interface ScheduleEditInput {
  readonly own: OwnSchedule
  readonly body: ScheduleTerms
  readonly agreed: AgreedTerms
  /** Undefined before the account holder has confirmed the edit. */
  readonly confirmedAt: Date | undefined
}

/** Stores an edit. If it lacks a required confirmation, stores nothing and returns the reason. */
async function applyEdit(
  { notifications, now }: SchedulesContext,
  tx: Tx,
  { own, body, agreed, confirmedAt }: ScheduleEditInput,
): Promise<RaiseReason | undefined> {
  const row = await lockOwnSchedule(tx, own)
  if (row.state !== 'active' && row.state !== 'paused') refuse('schedule_not_active')
  const at = now()
  const dates = changedDates(row, body)
  if (dates) checkDate(dates.anchorOn, 'next_on', row.time_zone, at)
  const warned = paysOtherwise(row, agreed) ? toWarnedOrder(agreed, row.id) : undefined
  if (warned) await requireAcknowledgement(tx, warned)
  const raise = await findRaiseReason(tx, { row, agreed, dates })
  if (raise && confirmedAt === undefined) return raise
  if (warned) await useAcknowledgement(tx, warned)
  const confirmed = raise ? await confirmedColumns(tx, { row, agreed, dates }) : {}
  if (dates) await closeWaiting(tx, { scheduleId: row.id, state: 'skipped', reason: 'rescheduled', at })
  await updateRow(tx, 'schedule', row.id, {
    ...agreed.columns,
    ...(dates ? toMovedColumns(row, dates) : {}),
    ...confirmed,
    ...(raise ? { confirmed_at: confirmedAt } : {}),
    updated_at: at,
  })
  await notifications.touch(tx, { userIds: [own.userId], topic: 'schedules' })
  return undefined
}

/** Returns whether an edit changes what a date pays, or its text, which a warning may be about. */
const paysOtherwise = (row: ScheduleRow, { columns }: AgreedTerms): boolean =>
  row.source_currency !== columns.source_currency ||
  row.target_currency !== columns.target_currency ||
  row.side !== columns.side ||
  row.amount_minor !== columns.amount_minor ||
  row.ceiling_minor < columns.ceiling_minor ||
  row.note !== columns.note

interface PlannedEdit {
  readonly row: ScheduleRow
  readonly agreed: AgreedTerms
  readonly dates: Dates | undefined
}

function changedDates(row: ScheduleRow, { recurrence, next_on: nextOn }: ScheduleTerms): Dates | undefined {
  if (recurrence === row.recurrence && nextOn === (row.next_on ?? row.anchor_on)) return undefined
  return { recurrence, anchorOn: computeAnchor(recurrence, nextOn) }
}

/** Columns of a schedule with new dates. A paused one becomes active. */
const toMovedColumns = (row: ScheduleRow, { anchorOn }: Dates) => ({
  anchor_on: anchorOn,
  ...toTimeColumns(anchorOn, row.time_zone),
  state: 'active',
  paused_until: null,
  resume_at: null,
})

/** Returns the first reason why the edit may send more than confirmed, or more than the current terms. */
async function findRaiseReason(
  tx: Tx,
  { row, agreed: { columns }, dates }: PlannedEdit,
): Promise<RaiseReason | undefined> {
  if (row.source_currency !== columns.source_currency) return 'schedule_other_currency'
  if (columns.ceiling_minor > row.ceiling_minor) return 'schedule_costs_more'
  if (isMoreFrequent(columns.recurrence, row.recurrence)) return 'schedule_more_often'
  if (!dates) return undefined
  const sentDates = await readSentDates(tx, row.id)
  const rhythm = { recurrence: row.confirmed_recurrence, from: row.confirmed_from }
  return allowsDates(rhythm, sentDates, dates) && isCurrentRhythm(row, sentDates, dates) ? undefined : 'schedule_sooner'
}

/** Returns whether the first date also fits the current rhythm, if that is less frequent than the confirmed one. */
function isCurrentRhythm(row: ScheduleRow, sentDates: readonly string[], { anchorOn }: Dates): boolean {
  if (!isMoreFrequent(row.confirmed_recurrence, row.recurrence) || row.recurrence === 'once') return true
  return allowsDate({ recurrence: row.recurrence, from: row.confirmed_from }, sentDates.slice(0, 1), anchorOn)
}

/** Columns of a new confirmation. A waiting date that is not moved is the first date of the new terms. */
async function confirmedColumns(tx: Tx, { row, agreed: { columns }, dates }: PlannedEdit) {
  return {
    confirmed_recurrence: columns.recurrence,
    confirmed_ceiling_minor: columns.ceiling_minor,
    confirmed_from: dates?.anchorOn ?? (await readWaitingDate(tx, row.id)) ?? row.next_on ?? row.anchor_on,
  }
}

async function readWaitingDate(tx: Tx, scheduleId: string): Promise<string | undefined> {
  const { rows } = await tx.query<Pick<ScheduleOccurrenceRow, 'on_date'>>(
    `select on_date from schedule_occurrence where schedule_id = $1 and state = 'waiting'`,
    [scheduleId],
  )
  return rows[0]?.on_date
}
