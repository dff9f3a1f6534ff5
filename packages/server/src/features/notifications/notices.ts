// What people are told in the product. A notification is kept as a code with parameters, and put into words where it is read.

import {
  type NotificationCode,
  type NotificationParams,
  notificationParams,
} from '@tern/contract/notifications/notification-params'
import type { Notification, notifications } from '@tern/contract/notifications/notifications'
import type { Topic } from '@tern/contract/events'
import type { Reply } from '@tern/contract/protocol/endpoint'
import type pg from 'pg'
import { afterCommit, only, type Tx } from '../../platform/database/db.ts'
import { noteChanged } from '../../platform/events/topics.ts'
import { newId } from '../../platform/ids.ts'
import { refuse } from '../../platform/refuse.ts'

/** What one person is told. */
export type Notice = {
  [C in NotificationCode]: { readonly code: C; readonly params: NotificationParams[C] }
}[NotificationCode] & {
  /** The transaction, request, schedule, transfer or session it is about. */
  readonly subjectId?: string
  /** Names the event among those of its code and person, which is told once; the subject's id unless given. */
  readonly dedupe?: string
  /** Whether it waits for the person to do something. */
  readonly needsAction?: boolean
  /** When it goes into a mail that sums up many payments. */
  readonly mailDueAt?: Date
}

/** Tells people in the product what concerns them. */
export interface Notices {
  /** Tells a person, in the transaction of what is told. False when this event was told before. */
  notify(tx: Tx, userId: bigint, notice: Notice): Promise<boolean>
  /** Lets every open page of these users know, once the transaction is over, that their lists of this topic changed. */
  touch(tx: Tx, userIds: readonly bigint[], topic: Topic): Promise<void>
  /** A page of the person's notifications. */
  list(userId: bigint, cursor?: string): Promise<Reply<typeof notifications>>
  unreadCount(userId: bigint): Promise<number>
  /** Marks one as read; refuses `not_found` when the person has none with this id. */
  read(userId: bigint, id: string): Promise<void>
  /** Marks it and all older ones as read, apart from those that wait for the person. */
  readUpTo(userId: bigint, id: string): Promise<void>
}

export interface NoticeOptions {
  readonly pool: pg.Pool
  /** Dates notifications; the product's clock. */
  readonly now: () => Date
  /** Wakes the event streams of these users. */
  readonly wake: (userIds: readonly bigint[]) => void
}

const pageRows = 30
const mostWaiting = 20
/** A newer version may have written kinds that this one cannot put into words. */
const knownCodes = Object.keys(notificationParams)

export function createNotices({ pool, now, wake }: NoticeOptions): Notices {
  async function touch(tx: Tx, userIds: readonly bigint[], topic: Topic): Promise<void> {
    await noteChanged(tx, userIds, topic)
    afterCommit(tx, () => wake(userIds))
  }

  return {
    touch,
    async notify(tx, userId, { code, params, subjectId, dedupe, needsAction = false, mailDueAt }) {
      const at = now()
      const id = newId(at)
      const { rowCount } = await tx.query(
        `insert into notification (id, user_id, code, params, subject_id, dedupe, needs_action, created_at, mail_due_at)
           values ($1, $2, $3, $4, $5, $6, $7, $8, $9) on conflict (user_id, code, dedupe) do nothing`,
        [id, userId, code, params, subjectId, dedupe ?? subjectId ?? id, needsAction, at, mailDueAt],
      )
      if (rowCount === 1) await touch(tx, [userId], 'notifications')
      return rowCount === 1
    },
    list: (userId, cursor) => listNotices(pool, userId, cursor),
    unreadCount: (userId) => countUnread(pool, userId),
    async read(userId, id) {
      const { rows } = await pool.query(`select from notification where user_id = $1 and id = $2 and code = any($3)`, [
        userId,
        id,
        knownCodes,
      ])
      if (rows.length === 0) refuse('not_found')
      await markRead({ pool, wake }, userId, { at: now(), condition: 'id = $3', id })
    },
    readUpTo: (userId, id) =>
      markRead({ pool, wake }, userId, { at: now(), condition: 'id <= $3 and not needs_action', id }),
  }
}

type Row = Pick<Notification, 'id' | 'code' | 'params' | 'needs_action'> & {
  readonly subject_id: string | null
  readonly created_at: Date
  readonly read_at: Date | null
}

const viewOf = ({ created_at: createdAt, read_at: readAt, ...row }: Row) => ({
  ...row,
  params: { ...row.params },
  created_at: createdAt.toISOString(),
  read_at: readAt?.toISOString() ?? null,
})

const waits = 'needs_action and read_at is null'
const columns = 'id, code, params, subject_id, needs_action, created_at, read_at'

async function listNotices(pool: pg.Pool, userId: bigint, cursor?: string): Promise<Reply<typeof notifications>> {
  const { rows } = await pool.query<Row>(
    `select ${columns} from notification
      where user_id = $1 and code = any($2) and not (${waits}) and ($3::uuid is null or id < $3)
      order by id desc limit $4`,
    [userId, knownCodes, cursor, pageRows + 1],
  )
  const waiting = cursor
    ? []
    : await pool
        .query<Row>(
          `select ${columns} from notification where user_id = $1 and code = any($2) and ${waits} order by id desc limit $3`,
          [userId, knownCodes, mostWaiting],
        )
        .then((result) => result.rows)
  const page = rows.slice(0, pageRows)
  return {
    needs_action: waiting.map(viewOf),
    notifications: page.map(viewOf),
    unread: await countUnread(pool, userId),
    next_cursor: rows.length > pageRows ? (page.at(-1)?.id ?? null) : null,
  }
}

/** Counted up to 100, which is shown as "99+". */
async function countUnread(pool: pg.Pool, userId: bigint): Promise<number> {
  const { rows } = await pool.query<{ unread: number }>(
    `select count(*)::int as unread from (
       select from notification where user_id = $1 and read_at is null and code = any($2) limit 100) as counted`,
    [userId, knownCodes],
  )
  return only(rows).unread
}

interface Marking {
  readonly at: Date
  readonly condition: string
  readonly id: string
}

/** One statement, so that nothing is told of a change that did not happen. */
async function markRead(
  { pool, wake }: Pick<NoticeOptions, 'pool' | 'wake'>,
  userId: bigint,
  { at, condition, id }: Marking,
): Promise<void> {
  const { rowCount } = await pool.query(
    `with marked as (
       update notification set read_at = $2 where user_id = $1 and read_at is null and ${condition} returning user_id)
     insert into changed_topic (user_id, topic) select distinct user_id, 'notifications' from marked`,
    [userId, at, id],
  )
  if (rowCount === 1) wake([userId])
}
