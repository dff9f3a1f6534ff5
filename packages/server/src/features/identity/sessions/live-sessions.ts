import type pg from 'pg'
import type { Tx } from '../../../platform/database/db.ts'
import { listen } from '../../../platform/database/listen.ts'
import type { Caller } from '../../../platform/http/serve.ts'
import type { Log } from '../log.ts'

/**
 * Gives a function that reads something about a user and remembers it until that user changes, in whichever process, or
 * until changes can no longer be heard of. Nothing is remembered of a user about whom there is nothing.
 */
export type RememberByUser = <T>(
  read: (userId: bigint) => Promise<T | undefined>,
) => (userId: bigint) => Promise<T | undefined>

/** Which sessions live, answered from memory for as long as nothing can have changed unheard. */
export interface LiveSessions {
  /** The caller behind a session, or undefined when it has ended or never was. */
  find(sessionId: string): Promise<Caller | undefined>
  /** To be called after the commit that changed a session, before anything is answered. */
  forgetSession(sessionId: string): void
  /** To be called after the commit that changed a user or all their sessions, before anything is answered. */
  forgetUser(userId: bigint): void
  readonly rememberByUser: RememberByUser
  close(): Promise<void>
}

export const sessionChannel = 'tern_session'
export const sessionNotice = (sessionId: string): string => `session:${sessionId}`

/** Tells every process, when the transaction commits, that something about a user has changed. */
export async function notifyUserChanged(tx: Tx, userId: bigint): Promise<void> {
  await tx.query('select pg_notify($1, $2)', [sessionChannel, `user:${userId}`])
}

const mostRemembered = 20_000

/**
 * Other processes tell of changes by NOTIFY in the transaction that makes them. Memory is used only while the connection
 * that listens is known to be alive; without it every question goes to the database.
 */
export function createLiveSessions({ pool, databaseUrl, log }: { pool: pg.Pool; databaseUrl: string; log: Log }) {
  const callers = new Map<string, Caller>()
  const byUser = new Set<Map<bigint, unknown>>()
  let changes = 0

  const forgetAll = () => {
    changes += 1
    callers.clear()
    for (const known of byUser) known.clear()
  }
  const forgetSession = (sessionId: string) => {
    changes += 1
    callers.delete(sessionId)
  }
  const forgetUser = (userId: bigint) => {
    changes += 1
    for (const [sessionId, caller] of callers) if (caller.userId === userId) callers.delete(sessionId)
    for (const known of byUser) known.delete(userId)
  }
  const onNotice = (notice: string) => {
    const [kind, id = ''] = notice.split(':')
    if (kind === 'session') forgetSession(id)
    else if (kind === 'user') forgetUser(BigInt(id))
    else forgetAll()
  }

  /** What is known, or what is read now; remembered when no change was heard of meanwhile, which it may be missing. */
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

  const listener = listen({
    databaseUrl,
    channel: sessionChannel,
    log,
    onNotice,
    onLost: forgetAll,
  })
  return {
    find: (sessionId) => recall(callers, sessionId, () => readCaller(pool, sessionId)),
    forgetSession,
    forgetUser,
    rememberByUser,
    close: listener.close,
  } satisfies LiveSessions
}

async function readCaller(pool: pg.Pool, sessionId: string): Promise<Caller | undefined> {
  const { rows } = await pool.query<{ user_id: bigint; verified: boolean }>(
    `select session.user_id, app_user.kyc_status = 'verified' as verified
       from session join app_user on app_user.id = session.user_id
      where session.id = $1 and session.revoked_at is null`,
    [sessionId],
  )
  const row = rows[0]
  return row && { userId: row.user_id, sessionId, verified: row.verified }
}
