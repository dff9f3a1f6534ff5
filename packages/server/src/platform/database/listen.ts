import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'

const heartbeatMs = 2000
const silenceMs = 6000
const shortestPauseMs = 100
const longestPauseMs = 5000
const endTimeoutMs = 1000
const tickMs = 200
const longestStallMs = 500

export interface Listening {
  readonly databaseUrl: string
  /** A plain identifier. */
  readonly channel: string
  readonly log: { warn(details: object, message: string): void }
  readonly onNotice: (payload: string) => void
  /** The connection has just answered: until then nothing was missed. */
  readonly onHeard?: () => void
  /** From here on something may be missed, until the next `onHeard`. */
  readonly onLost?: () => void
}

/** A channel that is being listened to. */
export interface Listener {
  /**
   * True while every notice of a change that was committed more than a few seconds ago is known to have been heard, and
   * this process has not stood still since: what is kept in memory and dropped by notices may be used.
   */
  isCurrent(): boolean
  close(): Promise<void>
}

/** Keeps one connection that listens to a channel, made anew whenever it is lost or stops answering. */
export function listen(options: Listening): Listener {
  const { channel, log } = options
  const closing = new AbortController()
  const currency = createCurrency()

  async function keepListening(): Promise<void> {
    let pauseMs = shortestPauseMs
    while (!closing.signal.aborted) {
      const startedAt = performance.now()
      await listenOnce(options, currency, closing.signal).catch((error: Error) => {
        if (!closing.signal.aborted) log.warn({ channel, reason: error.message }, 'a channel is no longer listened to')
      })
      const wasHealthy = performance.now() - startedAt > longestPauseMs
      pauseMs = wasHealthy ? shortestPauseMs : Math.min(pauseMs * 2, longestPauseMs)
      await delay(pauseMs, undefined, { signal: closing.signal, ref: false }).catch(() => {})
    }
  }

  const kept = keepListening()
  return {
    isCurrent: currency.isCurrent,
    async close() {
      closing.abort()
      currency.stop()
      await kept
    },
  }
}

/**
 * Until when everything was heard: a heartbeat's answer comes after all notices of before it was sent. A process that
 * stood still may find a request before the notices that came meanwhile; so it trusts only a heartbeat sent afterwards.
 */
function createCurrency() {
  let heardUntil = -Infinity
  let tickedAt = performance.now()
  let wokeAt = -Infinity
  const timer = setInterval(() => {
    const at = performance.now()
    if (at - tickedAt > longestStallMs) wokeAt = at
    tickedAt = at
  }, tickMs)
  timer.unref()
  return {
    heard(sentAt: number): void {
      heardUntil = sentAt
    },
    lost(): void {
      heardUntil = -Infinity
    },
    isCurrent(): boolean {
      const at = performance.now()
      return heardUntil > wokeAt && at - heardUntil < silenceMs && at - tickedAt <= longestStallMs
    },
    stop: () => clearInterval(timer),
  }
}

async function listenOnce(
  { databaseUrl, channel, onNotice, onHeard, onLost }: Listening,
  currency: ReturnType<typeof createCurrency>,
  closing: AbortSignal,
) {
  const client = new pg.Client({
    connectionString: databaseUrl,
    application_name: `tern ${channel}`,
    connectionTimeoutMillis: silenceMs,
    query_timeout: silenceMs - heartbeatMs,
  })
  const lost = new Promise<never>((_, reject) => {
    client.on('error', reject)
    client.on('end', () => reject(new Error('The connection was closed')))
  })
  lost.catch(() => {})
  client.on('notification', ({ payload }) => onNotice(payload ?? ''))
  try {
    await client.connect()
    let sentAt = performance.now()
    await client.query(`listen ${channel}`)
    onLost?.()
    for (;;) {
      currency.heard(sentAt)
      onHeard?.()
      await Promise.race([lost, delay(heartbeatMs, undefined, { signal: closing, ref: false })])
      sentAt = performance.now()
      await client.query('select 1')
    }
  } finally {
    currency.lost()
    onLost?.()
    // A connection that has gone silent may never confirm its end.
    await Promise.race([client.end().catch(() => {}), delay(endTimeoutMs, undefined, { ref: false })])
  }
}
