import { randomBytes } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'

/** The channel on which processes tell each other whose streams to wake. */
export const wakeChannel = 'tern_user'

// A payload must stay below 8000 bytes, and a user's number has 19 digits at most.
const usersOfNotice = 350
/** So many may wait while nobody can be told; the streams of the others find out by themselves. */
const mostWaiting = 50_000
const pauseMs = 10
const retryMs = 1000
const connectTimeoutMs = 4000
// Below the time after which the connection is given up: otherwise each attempt would leave a waiting backend behind.
const lockTimeoutMs = 4000
const queryTimeoutMs = 6000
const closeTimeoutMs = 1000

export interface Waker {
  /**
   * To be called after the commit that changed what these users see. Wakes their streams in this process at once, and
   * those of other processes soon after. Never throws and is never waited for: a stream that is not woken looks by
   * itself a little later.
   */
  wake(userIds: Iterable<bigint>): void
  /** Has `listener` told of every `wake` in this process; gives the function that ends it. */
  onWake(listener: (userIds: readonly bigint[]) => void): () => void
  /** The users that a notification on `wakeChannel` names; none when it comes from this process, which knows already. */
  usersOf(payload: string): bigint[]
  /** Tells what is still to be told, for a second at most, and ends the connection. */
  close(): Promise<void>
}

interface Options {
  readonly databaseUrl: string
  readonly log: { warn(details: object, message: string): void }
}

/**
 * Wakes event streams after a commit. NOTIFY takes one lock of the whole cluster until its transaction has ended, so it is never
 * part of a transaction that moves money: it has a connection and transactions of its own. What comes while one
 * notification is under way goes with the next, and a user who comes twice is named once.
 */
export function createWaker({ databaseUrl, log }: Options): Waker {
  const ownMark = `@${randomBytes(8).toString('hex')}`
  const listeners = new Set<(userIds: readonly bigint[]) => void>()
  const waiting = new Set<bigint>()
  const closing = new AbortController()
  const notifier = createNotifier(databaseUrl)
  let telling: Promise<void> | undefined
  let hasFailed = false

  const pause = (ms: number) => delay(ms, undefined, { signal: closing.signal, ref: false }).catch(() => {})

  async function tell(): Promise<void> {
    while (waiting.size > 0) {
      const users = takeFirst(waiting, usersOfNotice)
      try {
        await notifier.notify([ownMark, ...users].join(','))
        hasFailed = false
        await pause(pauseMs)
      } catch (error) {
        if (!hasFailed) log.warn({ err: error }, 'other processes are not told whose streams to wake')
        hasFailed = true
        if (closing.signal.aborted) return
        for (const userId of users) waiting.add(userId)
        await pause(retryMs)
      }
    }
  }

  return {
    wake(userIds) {
      const users = [...new Set(userIds)]
      if (users.length === 0) return
      for (const listener of listeners) listener(users)
      for (const userId of users) if (waiting.size < mostWaiting) waiting.add(userId)
      telling ??= tell().finally(() => (telling = undefined))
    },
    onWake(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    usersOf(payload) {
      const names = payload.split(',')
      return names[0] === ownMark ? [] : names.filter((name) => /^\d{1,19}$/.test(name)).map(BigInt)
    },
    async close() {
      closing.abort()
      await Promise.race([telling, delay(closeTimeoutMs, undefined, { ref: false })])
      waiting.clear()
      await notifier.close()
    },
  }
}

function takeFirst(set: Set<bigint>, count: number): bigint[] {
  const taken: bigint[] = []
  for (const value of set) {
    if (taken.length === count) break
    taken.push(value)
    set.delete(value)
  }
  return taken
}

/** One connection for notifications, made when it is needed and given up when anything goes wrong on it. */
function createNotifier(databaseUrl: string) {
  let client: pg.Client | undefined

  async function giveUp(broken: pg.Client): Promise<void> {
    if (client === broken) client = undefined
    // A connection that has gone silent may never confirm its end.
    await Promise.race([broken.end().catch(() => {}), delay(closeTimeoutMs, undefined, { ref: false })])
  }

  async function connected(): Promise<pg.Client> {
    if (client) return client
    const made = new pg.Client({
      connectionString: databaseUrl,
      application_name: 'tern wake',
      connectionTimeoutMillis: connectTimeoutMs,
      query_timeout: queryTimeoutMs,
      lock_timeout: lockTimeoutMs,
      // A notification that is lost delays a stream; it need not wait for the disk.
      options: '-c synchronous_commit=off',
      keepAlive: true,
    })
    made.on('error', () => void giveUp(made))
    made.on('end', () => void giveUp(made))
    client = made
    await made.connect()
    return made
  }

  return {
    async notify(payload: string): Promise<void> {
      try {
        await (await connected()).query('select pg_notify($1, $2)', [wakeChannel, payload])
      } catch (error) {
        if (client) await giveUp(client)
        throw error
      }
    },
    close: async (): Promise<void> => (client ? giveUp(client) : undefined),
  }
}
