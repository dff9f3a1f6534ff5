// Groups of notifications, as listed and counted by the bell menu. The column `group_key` in `schema.sql` defines them.

import { type NotificationCode, notificationParams } from '@tern/contract/notifications/notification-params'
import type { Notification, notificationGroups, notifications } from '@tern/contract/notifications/notifications'
import type { Reply } from '@tern/contract/protocol/endpoint'
import { type Db, onlyRow } from '../../platform/database/db.ts'
import { refuse } from '../../platform/refuse.ts'
import type { NotificationRow } from './row-types.ts'

/** Kinds that this version can render. A newer version may have stored others. */
export const knownCodes = Object.keys(notificationParams)

/** SQL condition: the notification still needs an action, whether read or not. */
export const isOpen = '(needs_action and answered_at is null)'

const securityCodes: readonly NotificationCode[] = ['new_sign_in', 'security_change']
const listCodes = (codes: readonly string[]): string => codes.map((code) => `'${code}'`).join(', ')
const isSecurity = `code in (${listCodes(securityCodes)})`

const pageRows = 30
const maxOpenGroups = 20
/** Limit for listing an open group, which is not paged. */
const maxPerOpenGroup = 1000
const columns = 'id, code, params, subject_id, needs_action, created_at, read_at, answered_at'

type NotificationFields = Pick<Notification, 'id' | 'code' | 'params' | 'needs_action'> &
  Pick<NotificationRow, 'subject_id' | 'created_at' | 'read_at' | 'answered_at'>

interface GroupRow extends NotificationFields {
  readonly count: number
  readonly unread: number
  readonly total: string | null
  readonly is_summary: boolean
  readonly logins: number
  readonly devices: number
}

const toView = ({
  id,
  code,
  params,
  subject_id,
  needs_action,
  created_at,
  read_at,
  answered_at,
}: NotificationFields) => ({
  id,
  code,
  params: { ...params },
  subject_id,
  needs_action,
  created_at: created_at.toISOString(),
  read_at: read_at?.toISOString() ?? null,
  answered_at: answered_at?.toISOString() ?? null,
})

function toGroupView({ count, unread, total, is_summary: isSummary, logins, devices, ...latest }: GroupRow) {
  const summary = isSummary && count > 1 ? { logins, devices, changes: count - logins } : null
  return { latest: toView(latest), count, unread, total: count > 1 ? total : null, summary }
}

interface Page {
  readonly userId: bigint
  /** True for notifications that need an action, false for all others. */
  readonly open: boolean
  /** Id of a notification; only older ones are returned. */
  readonly before?: string | undefined
  readonly limit: number
}

async function readGroups(db: Db, { userId, open, before, limit }: Page): Promise<GroupRow[]> {
  // Walks the list from its newest row and stops after a page. A group is placed at its newest row; its other rows are
  // skipped.
  const next = (positionCondition: string, isNew: string) => `
    select id, group_key from notification
     where user_id = $1 and code = any($2) and ${isOpen} = $3 and ${positionCondition} and ${isNew}
       and id = (select newest.id from notification newest
                  where newest.user_id = $1 and newest.group_key = notification.group_key order by id desc limit 1)
     order by id desc limit 1`
  const { rows } = await db.query<GroupRow>(
    `with recursive walk as (
       (select id, group_key, array[group_key] as seen, 1 as place
          from (${next('($4::uuid is null or id < $4)', 'true')}) as first)
       union all
       select next.id, next.group_key, seen || next.group_key, place + 1
         from walk cross join lateral (${next('id < walk.id', 'group_key <> all(walk.seen)')}) as next
        where place < $5)
     select ${columns}, ${isSecurity} and read_at is not null and not ${isOpen} as is_summary, members.*
       from walk join notification using (id, group_key) cross join lateral (
         select count(*)::int as count, count(*) filter (where read_at is null)::int as unread,
                sum((params ->> 'amount')::numeric)
                  filter (where code in ('money_received', 'request_paid', 'request_part_paid', 'deposit_arrived'))::text as total,
                count(*) filter (where code = 'new_sign_in')::int as logins,
                count(distinct jsonb_build_array(params -> 'browser', params -> 'system'))
                  filter (where ${isSecurity})::int as devices
           from notification member where member.user_id = $1 and member.group_key = walk.group_key) as members
      order by id desc`,
    [userId, knownCodes, open, before, limit],
  )
  return rows
}

/** Returns a page of the user's groups, latest first. Only the first page has the groups that need an action. */
export async function listGroups(
  db: Db,
  { userId, cursor }: { userId: bigint; cursor?: string | undefined },
): Promise<Reply<typeof notificationGroups>> {
  const rows = await readGroups(db, { userId, open: false, before: cursor, limit: pageRows + 1 })
  const openGroups = cursor ? [] : await readGroups(db, { userId, open: true, limit: maxOpenGroups })
  const page = rows.slice(0, pageRows)
  return {
    needs_action: openGroups.map(toGroupView),
    groups: page.map(toGroupView),
    unread: await countUnreadGroups(db, userId),
    next_cursor: rows.length > pageRows ? (page.at(-1)?.id ?? null) : null,
  }
}

/**
 * Returns a page of notifications: all of the user's, or those of one group. Refuses `not_found` for another user's
 * group.
 */
export async function listNotices(
  db: Db,
  { userId, cursor, group }: { userId: bigint; cursor?: string | undefined; group?: string | undefined },
): Promise<Reply<typeof notifications>> {
  const key = group === undefined ? undefined : await findGroupKey(db, { userId, id: group })
  const readPage = async (open: boolean, before: string | undefined, limit: number) => {
    const { rows } = await db.query<NotificationFields>(
      `select ${columns} from notification
        where user_id = $1 and code = any($2) and ${isOpen} = $3 and ($4::uuid is null or id < $4)
          and ($5::uuid is null or group_key = $5)
        order by id desc limit $6`,
      [userId, knownCodes, open, before, key, limit],
    )
    return rows
  }
  const rows = await readPage(false, cursor, pageRows + 1)
  const openNotices = cursor
    ? []
    : await readPage(true, undefined, group === undefined ? maxOpenGroups : maxPerOpenGroup)
  const page = rows.slice(0, pageRows)
  return {
    needs_action: openNotices.map(toView),
    notifications: page.map(toView),
    unread: await countUnreadGroups(db, userId),
    next_cursor: rows.length > pageRows ? (page.at(-1)?.id ?? null) : null,
  }
}

async function findGroupKey(db: Db, { userId, id }: { userId: bigint; id: string }): Promise<string> {
  const { rows } = await db.query<{ key: string }>(
    `select group_key as key from notification where user_id = $1 and id = $2 and code = any($3)`,
    [userId, id, knownCodes],
  )
  return rows[0]?.key ?? refuse('not_found')
}

/** Counts the user's groups with unread notifications, up to 100, which is displayed as "99+". */
export async function countUnreadGroups(db: Db, userId: bigint): Promise<number> {
  const { rows } = await db.query<{ unread: number }>(
    `with recursive unread as (
       (select group_key, 1 as place from notification
         where user_id = $1 and read_at is null and code = any($2) order by group_key limit 1)
       union all
       select next.group_key, place + 1 from unread cross join lateral (
         select group_key from notification
          where user_id = $1 and read_at is null and code = any($2) and group_key > unread.group_key
          order by group_key limit 1) as next
        where place < 100)
     select count(*)::int as unread from unread`,
    [userId, knownCodes],
  )
  return onlyRow(rows).unread
}
