import { onlyRow, type Db } from '../../platform/database/db.ts'
import type { ChangeReader, StreamPosition, UserChanges } from '../../platform/events/events.ts'
import { readTopicsSince } from '../../platform/events/topics.ts'
import { lowestId } from './list/list-cursor.ts'
import { selectTransactions, type StoredTransaction, transactionView } from './transactions.ts'
import { findWallet, readOwnWallet } from './accounts/wallet-rows.ts'
import type { TransactionRow } from './row-types.ts'

/** Maximum of rows per read: more than a ledger batch writes for a user, so that each read advances. */
const maxRows = 1000
/** Maximum of rows found by time; above it, the client must reload everything. */
const maxRowsByTime = 200
/** Margin of readings by time; exceeds clock skew and the longest transaction. */
const slackMs = 15 * 60_000
/** Maximum age of a position to read by number, since a range of numbers contains all users' rows. */
const oldestByNumberMs = 10 * 60_000

/**
 * Position in a stream of changes: `xid` is the number of the oldest open transaction at `atMs` of the database clock,
 * and later commits have no lower number. In a position of another cluster or timeline, only the time is usable.
 */
interface Position {
  readonly cluster: string
  readonly xid: bigint
  readonly atMs: number
}

const formatPosition = ({ cluster, xid, atMs }: Position): string => `${cluster}-${xid}-${atMs}`

function parsePosition(text: string): Position | undefined {
  const [, cluster, xid, atMs] = /^([\da-f]{12})-(\d{1,19})-(\d{1,14})$/.exec(text) ?? []
  if (cluster === undefined || xid === undefined || atMs === undefined) return undefined
  return { cluster, xid: BigInt(xid), atMs: Number(atMs) } // not money: milliseconds since 1970
}

/** Current position, and the time since which this server's transaction numbers are continuous. */
interface CurrentPosition {
  readonly position: Position
  readonly sinceMs: number
}

/**
 * Reads the server's position. Numbers are trusted only since the last start or crash recovery, which resets the
 * statistics: after a crash, or from restored files, numbers may be used again.
 */
async function readPosition(db: Db): Promise<CurrentPosition> {
  const { rows } = await db.query<{ cluster: string; oldest: string; at_ms: bigint; since_ms: bigint }>(
    `select substr(md5(system_identifier || ' ' || substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8)), 1, 12) as cluster,
            pg_snapshot_xmin(pg_current_snapshot())::text as oldest,
            floor(extract(epoch from now()) * 1000)::bigint as at_ms,
            ceil(extract(epoch from greatest(pg_postmaster_start_time(), pg_stat_get_bgwriter_stat_reset_time())) * 1000)::bigint
              as since_ms
       from pg_control_system()`,
  )
  const { cluster, oldest, at_ms, since_ms } = onlyRow(rows)
  // not money: milliseconds since 1970
  return { position: { cluster, xid: BigInt(oldest), atMs: Number(at_ms) }, sinceMs: Number(since_ms) }
}

/** True if later rows can be found by number: the position is of this cluster, recent, and not ahead of the server. */
const isComparable = (position: Position, now: Position): boolean =>
  position.cluster === now.cluster && position.xid <= now.xid && now.atMs - position.atMs <= oldestByNumberMs

type ChangedRow = StoredTransaction & Pick<TransactionRow, 'xid'>

interface ChangesQuery {
  readonly userId: bigint
  readonly from: string | undefined
}

/** Reads the changes since a position, and finds the streams that are behind. */
export const changeReader = ({ pool, now }: { readonly pool: Db; readonly now: () => Date }): ChangeReader => ({
  read: (userId, from) => readChanges(pool, { userId, from, at: now() }),
  findBehind: (streams, from) => findStaleStreams(pool, { streams, from }),
})

async function readChanges(db: Db, { userId, from, at }: ChangesQuery & { readonly at: Date }): Promise<UserChanges> {
  const changes = await readChangesSince(db, { userId, from })
  const wallet = await findWallet(db, userId)
  if (!wallet) throw new Error(`user ${String(userId)} has no wallet`)
  return { ...changes, wallet: await readOwnWallet(db, { wallet, at }) }
}

async function readChangesSince(db: Db, { userId, from }: ChangesQuery): Promise<Omit<UserChanges, 'wallet'>> {
  const { position: now, sinceMs } = await readPosition(db)
  const noChanges = { transactions: [], topics: [], more: false, isIncomplete: false, position: formatPosition(now) }
  if (from === undefined) return noChanges
  const position = parsePosition(from)
  if (!position) return { ...noChanges, isIncomplete: true }
  const byNumber = isComparable(position, now) ? await rowsByNumber(db, { userId, xid: position.xid }) : undefined
  const sinceAtMs = Math.min(position.atMs, now.atMs) - slackMs
  const isContinuous = byNumber !== undefined && position.atMs > sinceMs
  const byTime = isContinuous ? [] : await rowsByTime(db, { userId, atMs: sinceAtMs })
  // If read by time only, the page reloads everything anyway.
  const topics = byNumber
    ? await readTopicsSince(db, userId, { xid: position.xid, atMs: isContinuous ? undefined : sinceAtMs })
    : []
  const hasTooManyRows = byTime.length > maxRowsByTime
  const rows = new Map([...(hasTooManyRows ? [] : byTime), ...(byNumber ?? [])].map((row) => [row.id, row]))
  const last = byNumber?.length === maxRows ? byNumber.at(-1) : undefined
  return {
    transactions: [...rows.values()].map(transactionView),
    topics,
    more: last !== undefined,
    isIncomplete: !byNumber || hasTooManyRows,
    position: last ? formatPosition({ ...position, xid: BigInt(last.xid) }) : noChanges.position,
  }
}

interface Streams<S> {
  readonly streams: readonly S[]
  readonly from: string | undefined
}

async function findStaleStreams<S extends StreamPosition>(db: Db, { streams, from }: Streams<S>) {
  const { position: now, sinceMs } = await readPosition(db)
  const start = from === undefined ? undefined : parsePosition(from)
  const position = formatPosition(now)
  if (!start || !isComparable(start, now) || start.atMs <= sinceMs) return { behind: new Set(streams), position }
  const changed = await listUsersChangedSince(db, { xid: start.xid, userIds: streams.map(({ userId }) => userId) })
  const isStale = (stream: S) => {
    const streamPosition = parsePosition(stream.position)
    if (streamPosition?.cluster !== now.cluster || streamPosition.xid < start.xid || streamPosition.atMs <= sinceMs)
      return true
    return changed.has(stream.userId)
  }
  return { behind: new Set(streams.filter(isStale)), position }
}

async function rowsByNumber(
  db: Db,
  { userId, xid }: { readonly userId: bigint; readonly xid: bigint },
): Promise<ChangedRow[]> {
  const { rows } = await db.query<ChangedRow>(
    `${selectTransactions} where t.user_id = $1 and t.xid >= $2::text::xid8 order by t.xid, t.id limit ${String(maxRows)}`,
    [userId, String(xid)],
  )
  return rows
}

/**
 * Reads the rows created or changed since a time, up to one over the maximum. Misses rows inserted long after their id
 * was made, such as the recipient's row of a slow payment.
 */
async function rowsByTime(
  db: Db,
  { userId, atMs }: { readonly userId: bigint; readonly atMs: number },
): Promise<ChangedRow[]> {
  const { rows } = await db.query<ChangedRow>(
    `${selectTransactions}
      where t.user_id = $1 and t.id in (
        select id from transaction where user_id = $1 and id >= $2
        union select id from transaction where user_id = $1 and changed_at >= to_timestamp($3 / 1000.0)
        limit ${String(maxRowsByTime + 1)})
      order by coalesce(t.changed_at, t.created_at), t.id`,
    [userId, lowestId(new Date(Math.max(atMs, 0))), atMs],
  )
  return rows
}

/** Returns those of the users whose rows or topics changed from this number on. */
async function listUsersChangedSince(
  db: Db,
  { xid, userIds }: { readonly xid: bigint; readonly userIds: readonly bigint[] },
): Promise<ReadonlySet<bigint>> {
  const { rows } = await db.query<{ user_id: bigint }>(
    // Materialized, because a join could read these users' whole histories.
    `with recent as materialized (
       select user_id from transaction where xid >= $1::text::xid8
       union select user_id from changed_topic where xid >= $1::text::xid8)
      select user_id from recent where user_id = any($2::bigint[])`,
    [String(xid), [...new Set(userIds)]],
  )
  return new Set(rows.map((row) => row.user_id))
}
