// Notices about money that arrived, left for a bank or went to a new payee. The worker follows transaction rows, so
// that movements have no additional cost and late ones are included.

import { setTimeout as delay } from 'node:timers/promises'
import type pg from 'pg'
import { type Db, transact, type Tx } from '../../../platform/database/db.ts'
import {
  findNextRange,
  lockCurrentPosition,
  type NumberRange,
  storePosition,
} from '../../../platform/database/followed-changes.ts'
import { wireId } from '../../../platform/ids.ts'
import type { Identity } from '../../identity/identity.ts'
import type { AddressedNotice, Notifications } from '../../notifications/notifications.ts'
import { findTrace } from '../../../platform/tracing/passed-traces.ts'
import { tracing } from '../../../platform/tracing/tracing.ts'
import { mailNewPayees } from './new-payee-mails.ts'
import { mailReceived, mailSummaries } from './received-mails.ts'
import { type MovedRow, buildNotice } from './row-notice.ts'

const rowsPerStep = 500
/** Processes name the spans of movements shortly after their commit. */
const tracesArriveMs = 100

export interface NoticesContext {
  readonly people: Pick<Identity, 'usersById' | 'moneyAlertLinks'>
  readonly notifications: Pick<Notifications, 'notifyAll' | 'mail'>
  readonly publicUrl: string
  /** Clock for throttling mails: real time, even if the product's clock is moved. */
  readonly realNow?: () => Date
}

/**
 * Sends the notices about transactions up to the latest commit, each once. Only one of several concurrent processes
 * works; the others return at once. An interrupted step is rolled back.
 */
export async function notifyMoneyMovements(context: NoticesContext, pool: pg.Pool): Promise<void> {
  while ((await transact(pool, (tx) => notifyStep(context, tx))) === 'more');
  while ((await transact(pool, (tx) => summaryStep(context, tx))) === 'more');
}

type BatchResult = 'idle' | 'more'

async function notifyStep(context: NoticesContext, tx: Tx): Promise<BatchResult> {
  const position = await lockCurrentPosition(tx, 'told_position')
  if (!position) return 'idle'
  const range = await findNextRange(tx, position, { table: 'transaction', atMost: rowsPerStep })
  if (!range) return 'idle'
  const movedRows = await readMovedRows(tx, range)
  if (tracing() && movedRows.length > 0) await delay(tracesArriveMs)
  const startedAt = Date.now()
  const notices = await readNotices(context, tx, movedRows)
  const storedNotices = notices.length === 0 ? [] : await context.notifications.notifyAll(tx, notices)
  traceNotices(storedNotices, startedAt)
  await mailReceived(context, tx, storedNotices)
  await mailNewPayees(context, tx, storedNotices)
  await storePosition(tx, 'told_position', range.end)
  return 'more'
}

/** Records a span for each notification, in the trace of its movement. */
function traceNotices(notices: readonly AddressedNotice[], startedAt: number): void {
  const endedAt = Date.now()
  for (const { subjectId } of notices) {
    const parent = findTrace(subjectId)
    if (parent !== undefined) tracing()?.record('notification', { parent, startedAt, endedAt })
  }
}

/** Rows in this range of transaction numbers that need a notice. */
async function readMovedRows(db: Db, { from, end }: NumberRange): Promise<MovedRow[]> {
  const { rows } = await db.query<MovedRow>(
    // Excludes the demo's history, whose rows are dated before the start of its seed.
    `select t.user_id, t.id, t.kind, t.status, t.description, t.source_amount, t.source_currency, t.target_amount,
            t.target_currency, case t.kind when 'RECEIVE' then t.sender_id when 'SEND' then t.recipient_id end as other_id
       from transaction t
      where t.xid >= $1::xid8 and t.xid < $2::xid8
        and t.created_at >= coalesce((select started_at from demo_seed), '-infinity')
        and case t.kind
              when 'RECEIVE' then t.status = 'COMPLETED' and not exists (
                select from notification n where n.user_id = t.user_id and n.dedupe = t.id::text
                   and n.code in ('request_paid', 'request_part_paid'))
              when 'DEPOSIT' then t.status = 'COMPLETED' and not exists (
                select from notification n where n.user_id = t.user_id and n.dedupe = t.id::text and n.code = 'deposit_repriced')
              when 'SEND' then t.status = 'COMPLETED' and not exists (
                select from transaction before where before.user_id = t.user_id and before.recipient_id = t.recipient_id
                   and before.kind = 'SEND' and before.status = 'COMPLETED'
                   and (before.created_at, before.id) < (t.created_at, t.id))
              when 'WITHDRAW' then t.status = 'COMPLETED' or t.status = 'FAILED' and not exists (
                select from payout where payout.id = t.payment_id and payout.reason = 'cancelled')
              else false
            end
      order by t.xid, t.id`,
    [from, end],
  )
  return rows
}

async function readNotices({ people }: NoticesContext, db: Db, rows: readonly MovedRow[]): Promise<AddressedNotice[]> {
  const ids = rows.flatMap(({ other_id: id }) => (id === null ? [] : [id]))
  const users = await people.usersById(db, [...new Set(ids)])
  return rows.flatMap((row) => {
    const counterparty = row.other_id === null ? undefined : users.get(row.other_id)
    const person = counterparty && {
      id: wireId(counterparty.id),
      name: counterparty.name ?? counterparty.username,
      username: counterparty.username,
    }
    return buildNotice(row, person) ?? []
  })
}

async function summaryStep(context: NoticesContext, tx: Tx): Promise<BatchResult> {
  if (!(await lockCurrentPosition(tx, 'told_position'))) return 'idle'
  return (await mailSummaries(context, tx)) ? 'more' : 'idle'
}
