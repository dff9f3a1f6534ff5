// One replica: a standby of the primary, watched over a connection of its own.

import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { describeError } from '../database-errors.ts'
import type { LogPosition } from './log-position.ts'
import { answerMs, longestWaitMs, measure, openSession, poll, reach, readLag, type Session } from './replica-session.ts'

const connectMs = 2000
const retryMs = 500
const endMs = 500

interface ReplicaOptions {
  readonly url: string
  readonly primary: pg.Pool
  readonly log: { warn(details: object, message: string): void }
}

export type Replica = ReturnType<typeof createReplica>

/** Watches the standby at `url`, and logs when it cannot be read any more and when it can be again. */
export function createReplica({ url, primary, log }: ReplicaOptions) {
  const name = nameServer(url)
  const closing = new AbortController()
  let session: Session | undefined
  let fault: string | undefined

  function note(reason: string | undefined): void {
    if (reason === fault || closing.signal.aborted) return
    fault = reason
    if (reason === undefined) log.warn({ replica: name }, 'a replica can be read again')
    else log.warn({ replica: name, reason }, 'a replica cannot be read')
  }

  async function keepWatching(): Promise<void> {
    while (!closing.signal.aborted) {
      await watchUntilLost({ url, primary, note, closing: closing.signal }, (opened) => {
        session = opened
      }).catch((error: unknown) => note(describeError(error)))
      session = undefined
      await delay(retryMs, undefined, { signal: closing.signal, ref: false }).catch(() => {})
    }
  }

  const watching = keepWatching()
  return {
    name,
    /** Time until the replica shows a commit of the primary, in milliseconds; undefined without a connection. */
    lagMs: () => session && readLag(session),
    isUsable: () => session !== undefined && readLag(session) < longestWaitMs,
    /** Returns a pool that shows everything before `position`; undefined if that takes too long. */
    reach: async (position: LogPosition): Promise<pg.Pool | undefined> => session && reach(session, position),
    async close(): Promise<void> {
      closing.abort()
      await watching
    },
  }
}

/** Returns the name under which logs, metrics and checks name a replica. */
export const nameServer = (url: string): string => {
  const { host, searchParams } = new URL(url)
  return host || (searchParams.get('host') ?? 'localhost')
}

interface WatchContext extends Omit<ReplicaOptions, 'log'> {
  readonly closing: AbortSignal
  readonly note: (reason: string | undefined) => void
}

/** Connects, reports the session, and rejects when the connection is lost or the server is no standby any more. */
async function watchUntilLost(context: WatchContext, onOpen: (session: Session) => void): Promise<void> {
  const { url, primary, closing } = context
  const client = new pg.Client({
    connectionString: url,
    application_name: 'tern replica',
    connectionTimeoutMillis: connectMs,
    query_timeout: answerMs,
  })
  const ended = new AbortController()
  const lost = new Promise<never>((_, reject) => {
    client.on('error', reject)
    client.on('end', () => reject(new Error('Connection terminated')))
    closing.addEventListener('abort', () => reject(new Error('closing')), { once: true })
  })
  lost.catch(() => {})
  try {
    await Promise.race([client.connect(), lost])
    const session = await Promise.race([openSession(client, { url, primary, ended: ended.signal }), lost])
    onOpen(session)
    await Promise.race([poll(client, session), measure(session, context), lost])
  } finally {
    ended.abort()
    // The end of a silent connection may never be confirmed.
    await Promise.race([client.end().catch(() => {}), delay(endMs, undefined, { ref: false })])
    client.connection.stream.destroy()
  }
}
