// What people are told in the product. A notification is kept as a code with parameters, and put into words where it is read.

import type { NotificationCode, NotificationParams } from '@tern/contract/notifications/notification-params'
import type { notificationGroups, notifications } from '@tern/contract/notifications/notifications'
import type { Topic } from '@tern/contract/events'
import type { Reply } from '@tern/contract/protocol/endpoint'
import type pg from 'pg'
import { afterCommit, type Tx } from '../../platform/database/db.ts'
import { noteChanged } from '../../platform/events/topics.ts'
import { newId } from '../../platform/ids.ts'
import { refuse } from '../../platform/refuse.ts'
import { countUnreadGroups, isOpen, knownCodes, listGroups, listNotices } from './notice-groups.ts'

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
}

/** A notification for one of several people. */
export type NoticeTo = Notice & { readonly userId: bigint }

/** Tells people in the product what concerns them. */
export interface Notices {
  /** Tells a person, in the transaction of what is told. False when this event was told before. */
  notify(tx: Tx, userId: bigint, notice: Notice): Promise<boolean>
  /** The same for many people and events at once; gives those that were not told before, with their ids. */
  notifyAll<N extends NoticeTo>(tx: Tx, notices: readonly N[]): Promise<(N & { readonly id: string })[]>
  /** Lets every open page of these users know, once the transaction is over, that their lists of this topic changed. */
  touch(tx: Tx, userIds: readonly bigint[], topic: Topic): Promise<void>
  /** A page of the person's notifications; with `group`, of those in the group of that one. */
  list(
    userId: bigint,
    page?: { cursor?: string | undefined; group?: string | undefined },
  ): Promise<Reply<typeof notifications>>
  /** A page of the same in groups, as the bell shows them. */
  groups(userId: bigint, cursor?: string): Promise<Reply<typeof notificationGroups>>
  /** Count of groups with something unread, up to 100. */
  unreadCount(userId: bigint): Promise<number>
  /**
   * Marks one, and all of its group that are no newer, as read and answered. What joined the group later stays, since its
   * person has not seen it. Refuses `not_found` when the person has none with this id.
   */
  read(userId: bigint, id: string): Promise<void>
  /** Marks the group of what was told about a subject as read and answered, in the transaction that settles it. */
  readAbout(tx: Tx, userId: bigint, subjectId: string): Promise<void>
  /** Marks it and all older ones as read. What needs an answer still does. */
  readUpTo(userId: bigint, id: string): Promise<void>
}

export interface NoticeOptions {
  readonly pool: pg.Pool
  /** Dates notifications; the product's clock. */
  readonly now: () => Date
  /** Wakes the event streams of these users. */
  readonly wake: (userIds: readonly bigint[]) => void
}

export function createNotices({ pool, now, wake }: NoticeOptions): Notices {
  async function touch(tx: Tx, userIds: readonly bigint[], topic: Topic): Promise<void> {
    await noteChanged(tx, userIds, topic)
    afterCommit(tx, () => wake(userIds))
  }

  async function notifyAll<N extends NoticeTo>(tx: Tx, notices: readonly N[]): Promise<(N & { id: string })[]> {
    const at = now()
    const given = notices.map((notice) => ({ ...notice, id: newId(at) }))
    const { rows } = await tx.query<{ id: string }>(
      `insert into notification (id, user_id, code, params, subject_id, dedupe, needs_action, created_at)
         select id, user_id, code, params::jsonb, subject_id, dedupe, needs_action, $8
           from unnest($1::uuid[], $2::bigint[], $3::text[], $4::text[], $5::uuid[], $6::text[], $7::boolean[])
             as given (id, user_id, code, params, subject_id, dedupe, needs_action)
       on conflict (user_id, code, dedupe) do nothing returning id`,
      [
        given.map(({ id }) => id),
        given.map(({ userId }) => userId),
        given.map(({ code }) => code),
        given.map(({ params }) => JSON.stringify(params)),
        given.map(({ subjectId }) => subjectId),
        given.map(({ dedupe, subjectId, id }) => dedupe ?? subjectId ?? id),
        given.map(({ needsAction }) => needsAction ?? false),
        at,
      ],
    )
    const ids = new Set(rows.map(({ id }) => id))
    const told = given.filter(({ id }) => ids.has(id))
    if (told.length > 0) await touch(tx, [...new Set(told.map(({ userId }) => userId))], 'notifications')
    return told
  }

  return {
    touch,
    notifyAll,
    notify: async (tx, userId, notice) => (await notifyAll(tx, [{ userId, ...notice }])).length === 1,
    list: (userId, page = {}) => listNotices(pool, userId, page),
    groups: (userId, cursor) => listGroups(pool, userId, cursor),
    unreadCount: (userId) => countUnreadGroups(pool, userId),
    async read(userId, id) {
      const { rows } = await pool.query(`select from notification where user_id = $1 and id = $2 and code = any($3)`, [
        userId,
        id,
        knownCodes,
      ])
      if (rows.length === 0) refuse('not_found')
      const condition = `id <= $3 and group_key = (select group_key from notification where user_id = $1 and id = $3)`
      await mark({ pool, wake }, userId, { at: now(), change: settling, condition, id })
    },
    async readAbout(tx, userId, subjectId) {
      const { rowCount } = await tx.query(
        `update notification set ${settling}
          where user_id = $1 and ${isUnsettled}
            and group_key in (select group_key from notification where user_id = $1 and subject_id = $3)`,
        [userId, now(), subjectId],
      )
      if ((rowCount ?? 0) > 0) await touch(tx, [userId], 'notifications')
    },
    readUpTo: (userId, id) =>
      mark({ pool, wake }, userId, {
        at: now(),
        change: 'read_at = $2',
        condition: 'id <= $3 and read_at is null',
        id,
      }),
  }
}

const isUnsettled = `(read_at is null or ${isOpen})`
const settling = `read_at = coalesce(read_at, $2), answered_at = case when needs_action then coalesce(answered_at, $2) end`

interface Marking {
  readonly at: Date
  /** What is set, from the time `$2`. */
  readonly change: string
  /** Which of the person's, by the id `$3`. */
  readonly condition: string
  readonly id: string
}

/** One statement, so that nothing is told of a change that did not happen. */
async function mark(
  { pool, wake }: Pick<NoticeOptions, 'pool' | 'wake'>,
  userId: bigint,
  { at, change, condition, id }: Marking,
): Promise<void> {
  const { rowCount } = await pool.query(
    `with marked as (
       update notification set ${change} where user_id = $1 and ${isUnsettled} and ${condition} returning user_id)
     insert into changed_topic (user_id, topic) select distinct user_id, 'notifications' from marked`,
    [userId, at, id],
  )
  if (rowCount === 1) wake([userId])
}
