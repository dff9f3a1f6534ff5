import type pg from 'pg'
import { type Db, isTransaction, type Tx } from '../../../platform/database/db.ts'
import { createJointReads } from '../../../platform/database/joint-reads.ts'
import { listen } from '../../../platform/database/listen.ts'
import { isReplica } from '../../../platform/database/replicas/replica-pool.ts'
import type { Caller } from '../../../platform/http/serve.ts'
import type { Log } from '../log.ts'
import { computeEarliestStart, type SessionLimits } from './session-limits.ts'
import type { SessionRow } from '../row-types.ts'

/** Reads a value for each of several users; users without one are omitted. */
export type UserValuesReader<T> = (db: Db, userIds: readonly bigint[]) => Promise<ReadonlyMap<bigint, T>>

/**
 * Returns a reader that caches a value per user until the user changes in any process or notifications are lost. Joins
 * reads requested in one turn of the event loop. Does not cache missing values, nor reads within a transaction or from a replica.
 */
export type UserValueCache = <T>(read: UserValuesReader<T>) => (db: Db, userId: bigint) => Promise<T | undefined>

export const sessionChannel = 'tern_session'
export const sessionNotice = (sessionId: string): string => `session:${sessionId}`

/** Notifies every process, on commit, that a user changed. */
export async function notifyUserChanged(tx: Tx, userId: bigint): Promise<void> {
  await tx.query('select pg_notify($1, $2)', [sessionChannel, `user:${userId}`])
}

const maxCachedEntries = 20_000

interface LiveSession {
  readonly caller: Caller
  readonly beganAt: Date
}

interface LiveSessionsOptions {
  readonly pool: pg.Pool
  readonly databaseUrl: string
  readonly log: Log
  readonly now: () => Date
  readonly limits: SessionLimits
}

/**
 * Caches live sessions in memory. Other processes announce changes by NOTIFY in the changing transaction. The cache is
 * used only while the listening connection is known to be alive.
 */
export function createLiveSessions({ pool, databaseUrl, log, now, limits }: LiveSessionsOptions) {
  const sessions = new Map<string, LiveSession>()
  const byUser = new Set<Map<bigint, unknown>>()
  let changes = 0

  const clearCache = () => {
    changes += 1
    sessions.clear()
    for (const cache of byUser) cache.clear()
  }
  /** Drops a cached session. Call after committing a change to it, before replying. */
  const forgetSession = (sessionId: string) => {
    changes += 1
    sessions.delete(sessionId)
  }
  /** Drops a user's cached values and sessions. Call after committing a change, before replying. */
  const forgetUser = (userId: bigint) => {
    changes += 1
    for (const [sessionId, { caller }] of sessions) if (caller.userId === userId) sessions.delete(sessionId)
    for (const cache of byUser) cache.delete(userId)
  }
  const onNotice = (notice: string) => {
    const [kind, id = ''] = notice.split(':')
    if (kind === 'session') forgetSession(id)
    else if (kind === 'user') forgetUser(BigInt(id))
    else clearCache()
  }

  /** Reads and caches a value, unless a change was announced during the read. */
  async function readThroughCache<K, T>(
    cache: Map<K, T>,
    db: Db,
    key: K,
    read: (db: Db, key: K) => Promise<T | undefined>,
  ): Promise<T | undefined> {
    const value = cache.get(key)
    if (value !== undefined && listener.isCurrent()) return value
    const changesBefore = changes
    const newValue = await read(db, key)
    const isUncertain = isTransaction(db) || isReplica(db) || !listener.isCurrent() || changes !== changesBefore
    if (newValue === undefined || isUncertain) return newValue
    for (const oldest of cache.keys()) {
      if (cache.size < maxCachedEntries) break
      cache.delete(oldest)
    }
    cache.set(key, newValue)
    return newValue
  }

  const rememberByUser: UserValueCache = <T>(read: UserValuesReader<T>) => {
    const cache = new Map<bigint, T>()
    const readOne = createJointReads(read)
    byUser.add(cache)
    return (db, userId) => readThroughCache(cache, db, userId, readOne)
  }
  const readSession = createJointReads(readSessions)

  const listener = listen({ databaseUrl, channel: sessionChannel, log, onNotice, onLost: clearCache })
  return {
    /** Returns the caller of a live session; undefined if it has ended. */
    async find(sessionId: string): Promise<Caller | undefined> {
      const liveSession = await readThroughCache(sessions, pool, sessionId, readSession)
      // Checked on each use, because a cached session may have exceeded its maximum age.
      return liveSession && liveSession.beganAt > computeEarliestStart(now(), limits) ? liveSession.caller : undefined
    },
    forgetSession,
    forgetUser,
    rememberByUser,
    close: listener.close,
  }
}

export type LiveSessions = ReturnType<typeof createLiveSessions>

type UsableSession = Pick<SessionRow, 'id' | 'user_id'> & { readonly began_at: Date; readonly verified: boolean }

/** Reads sessions that are not revoked, by id. */
async function readSessions(db: Db, sessionIds: readonly string[]): Promise<Map<string, LiveSession>> {
  const { rows } = await db.query<UsableSession>({
    name: 'live_sessions',
    text: `select session.id, session.user_id, session.created_at as began_at, app_user.kyc_status = 'verified' as verified
             from session join app_user on app_user.id = session.user_id
            where session.id = any($1::uuid[]) and session.revoked_at is null`,
    values: [sessionIds],
  })
  return new Map(rows.map((row) => [row.id, toLiveSession(row)]))
}

const toLiveSession = ({ id, user_id: userId, verified, began_at: beganAt }: UsableSession): LiveSession => ({
  caller: { userId, sessionId: id, verified },
  beganAt,
})
