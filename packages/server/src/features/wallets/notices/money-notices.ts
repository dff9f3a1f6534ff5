// Tells people of money that came, left a bank's way or went to somebody new: the worker follows the rows of transactions,
// so that moving money costs nothing more, and so that whatever completes late is told as well.

import { setTimeout as delay } from 'node:timers/promises'
import type { FastifyBaseLogger } from 'fastify'
import type pg from 'pg'
import { transact, type Tx } from '../../../platform/database/db.ts'
import { wireId } from '../../../platform/ids.ts'
import type { Identity } from '../../identity/identity.ts'
import type { NoticeTo, Notifications } from '../../notifications/notifications.ts'
import { mailNewPayees } from './new-payee-mails.ts'
import { mailReceived, mailSummaries } from './received-mails.ts'
import { type MovedRow, noticeOf } from './notice-of-row.ts'

const rowsPerStep = 500
const pauseMs = 1000

export interface FollowOptions {
  readonly pool: pg.Pool
  readonly people: Pick<Identity, 'usersById' | 'moneyAlertLinks'>
  readonly notifications: Pick<Notifications, 'notifyAll' | 'mail'>
  readonly publicUrl: string
  /** Decides which mails come too often, by real time even where the product's clock moves. */
  readonly realNow?: () => Date
}

/**
 * Tells people of every transaction up to the latest commit, each once. Of concurrent processes one works, the others
 * return at once; an interrupted one has told nothing of its step.
 */
export async function tellOfMoney(options: FollowOptions): Promise<void> {
  const { pool } = options
  while ((await transact(pool, (tx) => tellStep(tx, options))) === 'more');
  while ((await transact(pool, (tx) => summaryStep(tx, options))) === 'more');
}

/** Tells people every second until closed; logs failures and retries. */
export function followMoney(options: FollowOptions, log: FastifyBaseLogger): { close(): Promise<void> } {
  const end = new AbortController()
  const work = async () => {
    while (!end.signal.aborted) {
      await tellOfMoney(options).catch((error: unknown) => log.error({ error }, 'people were not told of money'))
      await delay(pauseMs, undefined, { signal: end.signal }).catch(() => {})
    }
  }
  const working = work()
  return {
    async close() {
      end.abort()
      await working
    },
  }
}

type Step = 'idle' | 'more'

interface Position {
  readonly position: string
  readonly horizon: string
  readonly is_here: boolean
}

/** Locks the position; undefined while another process works. */
async function lockPosition(tx: Tx): Promise<Position | undefined> {
  const { rows } = await tx.query<Position>(
    `select position::text, pg_snapshot_xmin(pg_current_snapshot())::text as horizon, cluster = system_identifier as is_here
       from told_position, pg_control_system() for update of told_position skip locked`,
  )
  const [found] = rows
  if (found?.is_here !== false) return found
  // Restored into another cluster, whose numbers begin anew: what was told stays told.
  await tx.query(
    `update told_position set position = $1::xid8, cluster = (select system_identifier from pg_control_system())`,
    [found.horizon],
  )
  return { ...found, position: found.horizon, is_here: true }
}

async function tellStep(tx: Tx, options: FollowOptions): Promise<Step> {
  const at = await lockPosition(tx)
  if (!at) return 'idle'
  await tx.query('set local enable_seqscan = off')
  const { rows: ends } = await tx.query<{ xid: string }>(
    `select (xid::text::numeric + 1)::text as xid from
       (select xid from transaction where xid >= $1::xid8 and xid < $2::xid8 order by xid limit $3) as next
      order by next.xid desc limit 1`,
    [at.position, at.horizon, rowsPerStep],
  )
  const end = ends[0]?.xid
  if (end === undefined) return 'idle'
  const moved = await readMoved(tx, at.position, end)
  const notices = await noticesOf(options, tx, moved)
  const told = notices.length === 0 ? [] : await options.notifications.notifyAll(tx, notices)
  await mailReceived(tx, told, options)
  await mailNewPayees(tx, told, options)
  await tx.query('update told_position set position = $1::xid8', [end])
  return 'more'
}

/** The rows of these transaction numbers of which somebody is to be told. */
async function readMoved(tx: Tx, from: string, end: string): Promise<MovedRow[]> {
  const { rows } = await tx.query<MovedRow>(
    // The demo's history lies before its making began.
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

async function noticesOf({ people }: FollowOptions, tx: Tx, rows: readonly MovedRow[]): Promise<NoticeTo[]> {
  const ids = rows.flatMap(({ other_id: id }) => (id === null ? [] : [id]))
  const users = await people.usersById(tx, [...new Set(ids)])
  return rows.flatMap((row) => {
    const other = row.other_id === null ? undefined : users.get(row.other_id)
    const person = other && { id: wireId(other.id), name: other.name ?? other.username, username: other.username }
    return noticeOf(row, person) ?? []
  })
}

async function summaryStep(tx: Tx, options: FollowOptions): Promise<Step> {
  if (!(await lockPosition(tx))) return 'idle'
  return (await mailSummaries(tx, options)) ? 'more' : 'idle'
}
