import { randomBytes } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'

/** Channel on which processes announce whose streams to wake. */
export const wakeChannel = 'tern_user'

// Payloads stay below 8000 bytes; user numbers have up to 19 digits.
const maxUsersPerNotice = 350
/** Traces per notification, in which each takes about 100 bytes. */
const maxTracesPerNotice = 9
/** Maximum number of pending users during an outage; streams of further users catch up by polling. */
const maxWaiting = 50_000
const pauseMs = 10
const retryMs = 1000
const connectTimeoutMs = 4000
// Shorter than `queryTimeoutMs`: otherwise each attempt would leave a waiting backend behind.
const lockTimeoutMs = 4000
const queryTimeoutMs = 6000
const closeTimeoutMs = 1000

interface WakerOptions {
  readonly databaseUrl: string
  readonly log: { warn(details: object, message: string): void }
}

/**
 * Wakes event streams after a commit. NOTIFY holds a cluster-wide lock until its transaction ends, so it runs on a
 * separate connection. Wake-ups during a notification are merged into the next one, which names each user once.
 */
export function createWaker({ databaseUrl, log }: WakerOptions) {
  const instanceMark = `@${randomBytes(8).toString('hex')}`
  const listeners = new Set<(userIds: readonly bigint[]) => void>()
  const pendingUserIds = new Set<bigint>()
  const pendingTraces = new Set<string>()
  const closing = new AbortController()
  const notifier = createNotifier(databaseUrl)
  let notification: Promise<void> | undefined
  let hasFailed = false

  const pause = (ms: number) => delay(ms, undefined, { signal: closing.signal, ref: false }).catch(() => {})

  async function notifyOthers(): Promise<void> {
    while (pendingUserIds.size > 0 || pendingTraces.size > 0) {
      const users = removeFirst(pendingUserIds, maxUsersPerNotice)
      // Traces of a failed notification are lost.
      const traces = removeFirst(pendingTraces, maxTracesPerNotice)
      try {
        await notifier.notify([instanceMark, ...users, ...traces].join(','))
        hasFailed = false
        await pause(pauseMs)
      } catch (error) {
        if (!hasFailed) log.warn({ err: error }, 'other processes are not told whose streams to wake')
        hasFailed = true
        if (closing.signal.aborted) return
        for (const userId of users) pendingUserIds.add(userId)
        await pause(retryMs)
      }
    }
  }

  return {
    /**
     * Wakes the streams of these users, at once in this process and soon in others. Must be called after the commit.
     * Never throws or blocks.
     */
    wake(userIds: Iterable<bigint>): void {
      const users = [...new Set(userIds)]
      if (users.length === 0) return
      for (const listener of listeners) listener(users)
      for (const userId of users) if (pendingUserIds.size < maxWaiting) pendingUserIds.add(userId)
      notification ??= notifyOthers().finally(() => (notification = undefined))
    },
    /** Names the span of a committed movement to other processes, which trace its notifications. */
    passTrace(reference: string, traceparent: string): void {
      if (pendingTraces.size < maxWaiting) pendingTraces.add(`${reference}:${traceparent}`)
      notification ??= notifyOthers().finally(() => (notification = undefined))
    },
    /** Calls `listener` on every `wake` in this process; returns the function that removes it. */
    onWake(listener: (userIds: readonly bigint[]) => void): () => void {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    /** Returns the users in a notification on `wakeChannel`; none if it came from this process. */
    parseUserIds(payload: string): bigint[] {
      const names = payload.split(',')
      return names[0] === instanceMark ? [] : names.filter((name) => /^\d{1,19}$/.test(name)).map(BigInt)
    },
    /** Sends pending notifications for at most a second, then disconnects. */
    async close(): Promise<void> {
      closing.abort()
      await Promise.race([notification, delay(closeTimeoutMs, undefined, { ref: false })])
      pendingUserIds.clear()
      await notifier.close()
    },
  }
}

export type Waker = ReturnType<typeof createWaker>

/** Returns the traces in a notification on `wakeChannel`, by the ids of their transactions. */
export function parseTraces(payload: string): [reference: string, traceparent: string][] {
  const traces = payload.matchAll(/(?<=,)([0-9a-f-]{36}):(00-[0-9a-f]{32}-[0-9a-f]{16}-01)(?=,|$)/g)
  return [...traces].map(([, reference = '', traceparent = '']) => [reference, traceparent])
}

function removeFirst<T>(set: Set<T>, count: number): T[] {
  const firstIds: T[] = []
  for (const value of set) {
    if (firstIds.length === count) break
    firstIds.push(value)
    set.delete(value)
  }
  return firstIds
}

/** Returns a connection for notifications, opened on demand and dropped on any error. */
function createNotifier(databaseUrl: string) {
  let client: pg.Client | undefined

  async function closeClient(failedClient: pg.Client): Promise<void> {
    if (client === failedClient) client = undefined
    // The end of a silent connection may never be confirmed.
    await Promise.race([failedClient.end().catch(() => {}), delay(closeTimeoutMs, undefined, { ref: false })])
  }

  async function connectClient(): Promise<pg.Client> {
    if (client) return client
    const newClient = new pg.Client({
      connectionString: databaseUrl,
      application_name: 'tern wake',
      connectionTimeoutMillis: connectTimeoutMs,
      query_timeout: queryTimeoutMs,
      keepAlive: true,
    })
    newClient.on('error', () => void closeClient(newClient))
    newClient.on('end', () => void closeClient(newClient))
    client = newClient
    await newClient.connect()
    // Losing a notification only delays a stream.
    await newClient.query(`set lock_timeout = ${lockTimeoutMs}; set synchronous_commit = off`)
    return newClient
  }

  return {
    async notify(payload: string): Promise<void> {
      try {
        await (await connectClient()).query('select pg_notify($1, $2)', [wakeChannel, payload])
      } catch (error) {
        if (client) await closeClient(client)
        throw error
      }
    },
    close: async (): Promise<void> => (client ? closeClient(client) : undefined),
  }
}
