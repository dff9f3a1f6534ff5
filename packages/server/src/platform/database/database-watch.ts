import { setTimeout as delay } from 'node:timers/promises'
import { readSqlState } from '@tern/ledger/ledger'
import pg from 'pg'
import { isDatabaseUnavailable, describeError } from './database-errors.ts'
import { Refusal } from '../refuse.ts'
import { createWakingClock, type WakingClock } from '../waking-clock.ts'

const heartbeatMs = 500
const answerMs = 1000
const connectMs = 2000
const retryMs = 250
const defaultCutAfterMs = 10_000
const warningPauseMs = 5000
const endMs = 500

interface Log {
  warn(details: object, message: string): void
  error(details: object, message: string): void
}

interface Outage {
  readonly reason: string
  readonly since: number
  failures: number
  isCut: boolean
}

const refusal = () => new Refusal('service_unavailable')

/**
 * Watches the database at `databaseUrl` over a separate connection. If that connection fails or is silent, the database
 * counts as unavailable unless, within two seconds, a new connection succeeds or `isServerRefusal` applies. After ten
 * seconds of an outage, all connections of `pool` are closed, since calls on them to a dead host or frozen server would
 * never end.
 */
export function createDatabaseWatch(options: { databaseUrl: string; pool: pg.Pool; log: Log; cutAfterMs?: number }) {
  const { databaseUrl, pool, log, cutAfterMs = defaultCutAfterMs } = options
  const clock = createWakingClock()
  const clients = trackClients(pool)
  const rejecters = new Set<(refusal: Refusal) => void>()
  const closing = new AbortController()
  let outage: Outage | undefined
  let warnedAt = -Infinity
  let unwarnedCount = 0

  function markUnavailable(error: unknown): void {
    if (outage || closing.signal.aborted) return
    outage = { reason: describeError(error), since: clock.now(), failures: rejecters.size, isCut: false }
    log.error({ reason: outage.reason }, 'the database does not answer')
    for (const reject of rejecters) reject(refusal())
  }
  function markAvailable(): void {
    if (!outage) return
    const { since, failures } = outage
    outage = undefined
    // not money: seconds
    log.warn({ seconds: Math.round((clock.now() - since) / 1000), failures }, 'the database answers again')
  }
  /** Refuses `service_unavailable` during an outage. */
  function require(): void {
    if (!outage) return
    outage.failures += 1
    throw refusal()
  }
  clock.onTick(() => {
    if (!outage || outage.isCut || clock.now() - outage.since < cutAfterMs) return
    outage.isCut = true
    for (const client of clients) client.connection.stream.destroy()
  })

  const watching = keepWatching({ databaseUrl, clock, closing: closing.signal, markUnavailable, markAvailable })
  return {
    /** Reason why the database is unavailable; undefined while it answers. */
    unavailableReason: () => outage?.reason,
    require,
    /**
     * Returns the result of `work`. Refuses `service_unavailable` during an outage, also if the outage begins while
     * `work` is running; the outcome of `work` is then unknown.
     */
    whileThere<T>(work: () => Promise<T>): Promise<T> {
      return new Promise<T>((resolve, reject) => {
        require()
        const pendingWork = work()
        rejecters.add(reject)
        void pendingWork.then(resolve, reject).then(() => rejecters.delete(reject))
      })
    },
    /** Counts a call that failed because of the database. Logs the count after an outage, otherwise at intervals. */
    noteFailure(error: unknown): void {
      if (outage) {
        outage.failures += 1
        return
      }
      unwarnedCount += 1
      if (clock.now() - warnedAt < warningPauseMs) return
      log.warn({ reason: describeError(error), calls: unwarnedCount }, 'calls failed for want of the database')
      warnedAt = clock.now()
      unwarnedCount = 0
    },
    async close(): Promise<void> {
      closing.abort()
      await watching
      clock.stop()
    },
  }
}

export type DatabaseWatch = ReturnType<typeof createDatabaseWatch>

/** Returns the pool's open connections. */
export function trackClients(pool: pg.Pool): ReadonlySet<pg.PoolClient> {
  const clients = new Set<pg.PoolClient>()
  pool.on('connect', (client) => void clients.add(client))
  pool.on('remove', (client) => void clients.delete(client))
  return clients
}

interface WatchContext {
  readonly databaseUrl: string
  readonly clock: WakingClock
  readonly closing: AbortSignal
  readonly markUnavailable: (error: unknown) => void
  readonly markAvailable: () => void
}

const pause = (ms: number, signal: AbortSignal) => delay(ms, undefined, { signal, ref: false })

async function keepWatching({
  databaseUrl,
  clock,
  closing,
  markUnavailable,
  markAvailable,
}: WatchContext): Promise<void> {
  while (!closing.aborted) {
    const client = new pg.Client({ connectionString: databaseUrl, application_name: 'tern watch' })
    const lost = new Promise<never>((_, reject) => {
      client.on('error', reject)
      client.on('end', () => reject(new Error('Connection terminated')))
      closing.addEventListener('abort', () => reject(new Error('closing')), { once: true })
    })
    lost.catch(() => {})
    try {
      // A pooler may accept a connection without a server behind it: only an answer counts.
      await Promise.race([clock.within(connectMs, connectAndAsk(client), 'timeout expired'), lost])
      // One lost or silent connection does not prove an outage; a new connection attempt decides.
      await pollUntilSilent(client, { clock, closing, markAvailable, lost }).catch(() => {})
    } catch (error) {
      if (isServerRefusal(error)) markAvailable()
      else markUnavailable(error)
      await pause(retryMs, closing).catch(() => {})
    } finally {
      await end(client)
    }
  }
}

async function connectAndAsk(client: pg.Client): Promise<void> {
  await client.connect()
  await client.query('select 1')
}

/** Polls until an answer is missing, then rejects. */
async function pollUntilSilent(
  client: pg.Client,
  {
    clock,
    closing,
    markAvailable,
    lost,
  }: Pick<WatchContext, 'clock' | 'closing' | 'markAvailable'> & { lost: Promise<never> },
): Promise<never> {
  for (;;) {
    markAvailable()
    await Promise.race([pause(heartbeatMs, closing), lost])
    await Promise.race([clock.within(answerMs, client.query('select 1'), 'Query read timeout'), lost])
  }
}

/** Returns whether the server refused only this connection: it is running, and existing connections are unaffected. */
function isServerRefusal(error: unknown): boolean {
  const state = readSqlState(error)
  return state !== undefined && (state.startsWith('53') || !isDatabaseUnavailable(error))
}

async function end(client: pg.Client): Promise<void> {
  // The end of a silent connection may never be confirmed.
  await Promise.race([client.end().catch(() => {}), delay(endMs, undefined, { ref: false })])
  client.connection.stream.destroy()
}
