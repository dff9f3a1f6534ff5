// Notifications in the product. Each is stored as a code with parameters, and rendered for its reader.

import type { NotificationCode, NotificationParams } from '@tern/contract/notifications/notification-params'
import type { Topic } from '@tern/contract/events'
import { afterCommit, type Db, type Tx } from '../../platform/database/db.ts'
import { recordTopicChange } from '../../platform/events/topics.ts'
import { newId } from '../../platform/ids.ts'
import { refuse } from '../../platform/refuse.ts'
import type { NotificationsContext } from './context.ts'
import { isOpen, knownCodes } from './notice-groups.ts'
import type { NotificationRow } from './row-types.ts'

export type Notice = {
  [C in NotificationCode]: { readonly code: C; readonly params: NotificationParams[C] }
}[NotificationCode] & {
  /** Id of the record that it is about, such as a transaction, request or session. */
  readonly subjectId?: string
  /** Identifies the event per user and code, so that it is notified once. Defaults to `subjectId`, else is unique. */
  readonly dedupe?: string
  readonly needsAction?: boolean
}

export type AddressedNotice = Notice & { readonly userId: bigint }

type Ctx = Pick<NotificationsContext, 'now' | 'wake'>

/** Signals to the open pages of users, after the commit, that their lists of a topic changed. */
export async function notifyPages(
  { wake }: Pick<Ctx, 'wake'>,
  tx: Tx,
  { userIds, topic }: { userIds: readonly bigint[]; topic: Topic },
): Promise<void> {
  await recordTopicChange(tx, userIds, topic)
  afterCommit(tx, () => wake(userIds))
}

/** Stores a notification. False if the user was already notified of the event. */
export const notify = async (ctx: Ctx, tx: Tx, notice: AddressedNotice): Promise<boolean> =>
  (await notifyAll(ctx, tx, [notice])).length === 1

/** Stores several notifications at once. Returns the new ones with their ids. */
export async function notifyAll<N extends AddressedNotice>(
  ctx: Ctx,
  tx: Tx,
  notices: readonly N[],
): Promise<(N & { readonly id: string })[]> {
  const at = ctx.now()
  const noticesWithIds = notices.map((notice) => ({ ...notice, id: newId(at) }))
  const { rows } = await tx.query<Pick<NotificationRow, 'id'>>(
    `insert into notification (id, user_id, code, params, subject_id, dedupe, needs_action, created_at)
       select id, user_id, code, params::jsonb, subject_id, dedupe, needs_action, $8
         from unnest($1::uuid[], $2::bigint[], $3::text[], $4::text[], $5::uuid[], $6::text[], $7::boolean[])
           as given (id, user_id, code, params, subject_id, dedupe, needs_action)
     on conflict (user_id, code, dedupe) do nothing returning id`,
    [
      noticesWithIds.map(({ id }) => id),
      noticesWithIds.map(({ userId }) => userId),
      noticesWithIds.map(({ code }) => code),
      noticesWithIds.map(({ params }) => JSON.stringify(params)),
      noticesWithIds.map(({ subjectId }) => subjectId),
      noticesWithIds.map(({ dedupe, subjectId, id }) => dedupe ?? subjectId ?? id),
      noticesWithIds.map(({ needsAction }) => needsAction ?? false),
      at,
    ],
  )
  const ids = new Set(rows.map(({ id }) => id))
  const newNotices = noticesWithIds.filter(({ id }) => ids.has(id))
  const userIds = [...new Set(newNotices.map(({ userId }) => userId))]
  if (newNotices.length > 0) await notifyPages(ctx, tx, { userIds, topic: 'notifications' })
  return newNotices
}

const isUnsettledSql = `(read_at is null or ${isOpen})`
const settledColumns = `read_at = coalesce(read_at, $2), answered_at = case when needs_action then coalesce(answered_at, $2) end`

interface OwnNotice {
  readonly userId: bigint
  readonly id: string
}

/**
 * Marks a notification and the older ones of its group as read and answered. Newer ones are unchanged, because the user
 * has not seen them. Refuses `not_found`.
 */
export async function markGroupRead(ctx: Ctx, db: Db, { userId, id }: OwnNotice): Promise<void> {
  const { rows } = await db.query(`select from notification where user_id = $1 and id = $2 and code = any($3)`, [
    userId,
    id,
    knownCodes,
  ])
  if (rows.length === 0) refuse('not_found')
  const condition = `id <= $3 and group_key = (select group_key from notification where user_id = $1 and id = $3)`
  await markNotices(ctx, db, { userId, id, change: settledColumns, condition })
}

/** Marks a notification and all older ones as read. Those that need an action remain open. */
export const markReadUpTo = (ctx: Ctx, db: Db, { userId, id }: OwnNotice): Promise<void> =>
  markNotices(ctx, db, { userId, id, change: 'read_at = $2', condition: 'id <= $3 and read_at is null' })

/** Marks as read and answered all groups with a notification about a subject. */
export async function markSubjectRead(
  ctx: Ctx,
  tx: Tx,
  { userId, subjectId }: { userId: bigint; subjectId: string },
): Promise<void> {
  const { rowCount } = await tx.query(
    `update notification set ${settledColumns}
      where user_id = $1 and ${isUnsettledSql}
        and group_key in (select group_key from notification where user_id = $1 and subject_id = $3)`,
    [userId, ctx.now(), subjectId],
  )
  if ((rowCount ?? 0) > 0) await notifyPages(ctx, tx, { userIds: [userId], topic: 'notifications' })
}

interface NoticeChange extends OwnNotice {
  /** SQL assignments; `$2` is the time. */
  readonly change: string
  /** SQL condition; `$3` is the id. */
  readonly condition: string
}

/** Applies a change, and signals it to open pages only if a row was changed, in one statement. */
async function markNotices({ now, wake }: Ctx, db: Db, { userId, id, change, condition }: NoticeChange): Promise<void> {
  const { rowCount } = await db.query(
    `with marked as (
       update notification set ${change} where user_id = $1 and ${isUnsettledSql} and ${condition} returning user_id)
     insert into changed_topic (user_id, topic) select distinct user_id, 'notifications' from marked`,
    [userId, now(), id],
  )
  if (rowCount === 1) wake([userId])
}
