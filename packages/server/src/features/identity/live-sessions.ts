import type pg from 'pg'
import { listen, listeningSilenceMs } from '../../listen.ts'
import type { Caller } from '../../serve.ts'
import type { Log } from './log.ts'

/** Which sessions live, answered from memory for as long as nothing can have changed unheard. */
export interface LiveSessions {
  /** The caller behind a session, or undefined when it has ended or never was. */
  find(sessionId: string): Promise<Caller | undefined>
  /** To be called after the commit that changed a session, before anything is answered. */
  forgetSession(sessionId: string): void
  /** To be called after the commit that changed a user or all their sessions, before anything is answered. */
  forgetUser(userId: bigint): void
  close(): Promise<void>
}

export const sessionChannel = 'tern_session'
export const sessionNotice = (sessionId: string): string => `session:${sessionId}`
export const userNotice = (userId: bigint): string => `user:${userId}`

const rememberedSessions = 20_000

/**
 * Other processes tell of changes by NOTIFY in the transaction that makes them. Memory is used only while the connection
 * that listens is known to be alive; without it every question goes to the database.
 */
export function createLiveSessions({ pool, databaseUrl, log }: { pool: pg.Pool; databaseUrl: string; log: Log }) {
  const callers = new Map<string, Caller>()
  let changes = 0
  let heardAt = -Infinity

  const canTrust = () => performance.now() - heardAt < listeningSilenceMs
  const forgetAll = () => {
    changes += 1
    callers.clear()
  }
  const forgetSession = (sessionId: string) => {
    changes += 1
    callers.delete(sessionId)
  }
  const forgetUser = (userId: bigint) => {
    changes += 1
    for (const [sessionId, caller] of callers) if (caller.userId === userId) callers.delete(sessionId)
  }
  const onNotice = (notice: string) => {
    const [kind, id = ''] = notice.split(':')
    if (kind === 'session') forgetSession(id)
    else if (kind === 'user') forgetUser(BigInt(id))
    else forgetAll()
  }

  async function find(sessionId: string): Promise<Caller | undefined> {
    const known = callers.get(sessionId)
    if (known && canTrust()) return known
    const changesBefore = changes
    const caller = await readCaller(pool, sessionId)
    // A change heard of while the database was being asked may be missing from its answer.
    if (!caller || !canTrust() || changes !== changesBefore) return caller
    if (callers.size >= rememberedSessions) callers.delete(callers.keys().next().value ?? '')
    callers.set(sessionId, caller)
    return caller
  }

  const listener = listen({
    databaseUrl,
    channel: sessionChannel,
    log,
    onNotice,
    onHeard: () => (heardAt = performance.now()),
    onLost: () => {
      heardAt = -Infinity
      forgetAll()
    },
  })
  return { find, forgetSession, forgetUser, close: listener.close } satisfies LiveSessions
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
