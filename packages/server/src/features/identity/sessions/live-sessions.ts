import type pg from 'pg'
import type { Tx } from '../../../platform/database/db.ts'
import { listen } from '../../../platform/database/listen.ts'
import type { Caller } from '../../../platform/http/serve.ts'
import type { Log } from '../log.ts'
import { beganBefore, type SessionLimits } from './session-limits.ts'

/**
 * Returns a reader that caches per user until the user changes in any process or notices are lost. Does not cache empty
 * results.
 */
export type RememberByUser = <T>(
  read: (userId: bigint) => Promise<T | undefined>,
) => (userId: bigint) => Promise<T | undefined>

export const sessionChannel = 'tern_session'
export const sessionNotice = (sessionId: string): string => `session:${sessionId}`

/** On commit, tells every process that a user changed. */
export async function notifyUserChanged(tx: Tx, userId: bigint): Promise<void> {
  await tx.query('select pg_notify($1, $2)', [sessionChannel, `user:${userId}`])
}

const mostRemembered = 20_000

interface LiveSession {
  readonly caller: Caller
  readonly beganAt: Date
}

interface Options {
  readonly pool: pg.Pool
  readonly databaseUrl: string
  readonly log: Log
  readonly now: () => Date
  readonly limits: SessionLimits
}

/**
 * Live sessions, cached in memory. Other processes announce changes by NOTIFY in the changing transaction; memory is used
 * only while the listening connection is known to be alive.
 */
export function createLiveSessions({ pool, databaseUrl, log, now, limits }: Options) {
  const callers = new Map<string, LiveSession>()
  const byUser = new Set<Map<bigint, unknown>>()
  let changes = 0

  const forgetAll = () => {
    changes += 1
    callers.clear()
    for (const known of byUser) known.clear()
  }
  /** Call after committing a change to a session, before answering. */
  const forgetSession = (sessionId: string) => {
    changes += 1
    callers.delete(sessionId)
  }
  /** Call after committing changes to a user or their sessions, before answering. */
  const forgetUser = (userId: bigint) => {
    changes += 1
    for (const [sessionId, { caller }] of callers) if (caller.userId === userId) callers.delete(sessionId)
    for (const known of byUser) known.delete(userId)
  }
  const onNotice = (notice: string) => {
    const [kind, id = ''] = notice.split(':')
    if (kind === 'session') forgetSession(id)
    else if (kind === 'user') forgetUser(BigInt(id))
    else forgetAll()
  }

  /** Caches what it reads, unless a change was heard meanwhile. */
  async function recall<K, T>(known: Map<K, T>, key: K, read: () => Promise<T | undefined>): Promise<T | undefined> {
    const value = known.get(key)
    if (value !== undefined && listener.isCurrent()) return value
    const changesBefore = changes
    const fresh = await read()
    if (fresh === undefined || !listener.isCurrent() || changes !== changesBefore) return fresh
    for (const oldest of known.keys()) {
      if (known.size < mostRemembered) break
      known.delete(oldest)
    }
    known.set(key, fresh)
    return fresh
  }

  const rememberByUser: RememberByUser = <T>(read: (userId: bigint) => Promise<T | undefined>) => {
    const known = new Map<bigint, T>()
    byUser.add(known)
    return (userId) => recall(known, userId, () => read(userId))
  }

  const listener = listen({ databaseUrl, channel: sessionChannel, log, onNotice, onLost: forgetAll })
  return {
    /** A live session's caller, else undefined. */
    async find(sessionId: string): Promise<Caller | undefined> {
      const live = await recall(callers, sessionId, () => readSession(pool, sessionId))
      // Also of what was read long ago: the session may have ended by age since.
      return live && live.beganAt > beganBefore(now(), limits) ? live.caller : undefined
    },
    forgetSession,
    forgetUser,
    rememberByUser,
    close: listener.close,
  }
}

async function readSession(pool: pg.Pool, sessionId: string): Promise<LiveSession | undefined> {
  const { rows } = await pool.query<{ user_id: bigint; began_at: Date; verified: boolean }>(
    `select session.user_id, session.created_at as began_at, app_user.kyc_status = 'verified' as verified
       from session join app_user on app_user.id = session.user_id
      where session.id = $1 and session.revoked_at is null`,
    [sessionId],
  )
  const row = rows[0]
  return row && { caller: { userId: row.user_id, sessionId, verified: row.verified }, beganAt: row.began_at }
}
