// Notifications in groups, as the bell shows and counts them: one row for each kind and device, kind and person of a day.

import { type NotificationCode, notificationParams } from '@tern/contract/notifications/notification-params'
import type { Notification, notificationGroups, notifications } from '@tern/contract/notifications/notifications'
import type { Reply } from '@tern/contract/protocol/endpoint'
import type pg from 'pg'
import { only } from '../../platform/database/db.ts'
import { refuse } from '../../platform/refuse.ts'

/** Kinds that this version can put into words; a newer one may have written others. */
export const knownCodes = Object.keys(notificationParams)

/** SQL condition: the notification still needs an answer, whether or not it was read. */
export const isOpen = '(needs_action and answered_at is null)'

/** Kinds of which all from one person within a day (UTC), in one currency, are one group. */
const codesByPerson: readonly NotificationCode[] = [
  'money_received',
  'request_received',
  'request_reminder',
  'request_paid',
  'request_part_paid',
  'schedule_sent',
]
/** Kinds of which all within a day, in one currency, are one group. */
const codesByDay: readonly NotificationCode[] = ['deposit_arrived', 'order_filled', 'protection_acted', 'rate_alert']
const securityCodes: readonly NotificationCode[] = ['new_sign_in', 'security_change']

const listed = (codes: readonly string[]): string => codes.map((code) => `'${code}'`).join(', ')
const day = `to_char(created_at at time zone 'UTC', 'YYYY-MM-DD')`
const month = `to_char(created_at at time zone 'UTC', 'YYYY-MM')`
const device = `params -> 'browser', params -> 'system', coalesce(params -> 'country', params -> 'network')`

/** SQL expression: the group of a notification among those of its person. Settled security events share one per month. */
export const groupKey = `case
  when code in (${listed(securityCodes)}) and read_at is not null and not ${isOpen}
    then jsonb_build_array('security', ${month})
  when code in (${listed(securityCodes)}) then jsonb_build_array(${isOpen}, code, params -> 'change', ${device})
  when code in (${listed(codesByPerson)})
    then jsonb_build_array(${isOpen}, code, params -> 'person', params -> 'currency', ${day})
  when code in (${listed(codesByDay)}) then jsonb_build_array(${isOpen}, code, params -> 'currency', ${day})
  else jsonb_build_array(id)
end`

const pageRows = 30
const mostOpen = 20
/** An open group is listed whole. */
const mostOfOpenGroup = 1000
const columns = 'id, code, params, subject_id, needs_action, created_at, read_at, answered_at'

type Row = Pick<Notification, 'id' | 'code' | 'params' | 'needs_action'> & {
  readonly subject_id: string | null
  readonly created_at: Date
  readonly read_at: Date | null
  readonly answered_at: Date | null
}

interface GroupRow extends Row {
  readonly count: number
  readonly unread: number
  readonly total: string | null
  readonly is_summary: boolean
  readonly logins: number
  readonly devices: number
}

const viewOf = ({ id, code, params, subject_id, needs_action, created_at, read_at, answered_at }: Row) => ({
  id,
  code,
  params: { ...params },
  subject_id,
  needs_action,
  created_at: created_at.toISOString(),
  read_at: read_at?.toISOString() ?? null,
  answered_at: answered_at?.toISOString() ?? null,
})

function groupViewOf({ count, unread, total, is_summary: isSummary, logins, devices, ...latest }: GroupRow) {
  const summary = isSummary && count > 1 ? { logins, devices, changes: count - logins } : null
  return { latest: viewOf(latest), count, unread, total: count > 1 ? total : null, summary }
}

interface Page {
  readonly userId: bigint
  /** Those that need an answer, or the others. */
  readonly open: boolean
  /** Only what is older than this. */
  readonly before?: string | undefined
  readonly limit: number
}

async function readGroups(pool: pg.Pool, { userId, open, before, limit }: Page): Promise<GroupRow[]> {
  const { rows } = await pool.query<GroupRow>(
    `select ${columns}, count, unread, total, key ->> 0 = 'security' as is_summary, logins, devices
       from (select ${groupKey} as key, (array_agg(id order by id desc))[1] as id, count(*)::int as count,
                    count(*) filter (where read_at is null)::int as unread,
                    sum((params ->> 'amount')::numeric)
                      filter (where code in ('money_received', 'request_paid', 'request_part_paid', 'deposit_arrived'))::text as total,
                    count(*) filter (where code = 'new_sign_in')::int as logins,
                    count(distinct jsonb_build_array(params -> 'browser', params -> 'system'))::int as devices
               from notification where user_id = $1 and code = any($2) and ${isOpen} = $3
              group by 1) as grouped
       join notification using (id)
      where $4::uuid is null or id < $4
      order by id desc limit $5`,
    [userId, knownCodes, open, before, limit],
  )
  return rows
}

/** A page of the person's groups, by the newest notification of each. Open ones come with the first page only. */
export async function listGroups(
  pool: pg.Pool,
  userId: bigint,
  cursor?: string,
): Promise<Reply<typeof notificationGroups>> {
  const rows = await readGroups(pool, { userId, open: false, before: cursor, limit: pageRows + 1 })
  const waiting = cursor ? [] : await readGroups(pool, { userId, open: true, limit: mostOpen })
  const page = rows.slice(0, pageRows)
  return {
    needs_action: waiting.map(groupViewOf),
    groups: page.map(groupViewOf),
    unread: await countUnreadGroups(pool, userId),
    next_cursor: rows.length > pageRows ? (page.at(-1)?.id ?? null) : null,
  }
}

/** A page of single notifications: all of the person, or those in the group of one. Refuses `not_found` for another's group. */
export async function listNotices(
  pool: pg.Pool,
  userId: bigint,
  { cursor, group }: { cursor?: string | undefined; group?: string | undefined },
): Promise<Reply<typeof notifications>> {
  const key = group === undefined ? undefined : await groupOf(pool, userId, group)
  const read = async (open: boolean, before: string | undefined, limit: number) => {
    const { rows } = await pool.query<Row>(
      `select ${columns} from notification
        where user_id = $1 and code = any($2) and ${isOpen} = $3 and ($4::uuid is null or id < $4)
          and ($5::jsonb is null or ${groupKey} = $5)
        order by id desc limit $6`,
      [userId, knownCodes, open, before, key, limit],
    )
    return rows
  }
  const rows = await read(false, cursor, pageRows + 1)
  const waiting = cursor ? [] : await read(true, undefined, group === undefined ? mostOpen : mostOfOpenGroup)
  const page = rows.slice(0, pageRows)
  return {
    needs_action: waiting.map(viewOf),
    notifications: page.map(viewOf),
    unread: await countUnreadGroups(pool, userId),
    next_cursor: rows.length > pageRows ? (page.at(-1)?.id ?? null) : null,
  }
}

async function groupOf(pool: pg.Pool, userId: bigint, id: string): Promise<string> {
  const { rows } = await pool.query<{ key: string }>(
    `select (${groupKey})::text as key from notification where user_id = $1 and id = $2 and code = any($3)`,
    [userId, id, knownCodes],
  )
  return rows[0]?.key ?? refuse('not_found')
}

/** How many groups hold something unread. Counted up to 100, which is shown as "99+". */
export async function countUnreadGroups(pool: pg.Pool, userId: bigint): Promise<number> {
  const { rows } = await pool.query<{ unread: number }>(
    `select count(*)::int as unread from (
       select distinct ${groupKey} from notification
        where user_id = $1 and read_at is null and code = any($2) limit 100) as counted`,
    [userId, knownCodes],
  )
  return only(rows).unread
}
