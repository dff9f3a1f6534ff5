import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'

const heartbeatMs = 2000
const silenceMs = 6000
const shortestPauseMs = 100
const longestPauseMs = 5000
const endTimeoutMs = 1000

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

/** Longer than this without `onHeard`, and what was last heard can no longer be relied on. */
export const listeningSilenceMs = silenceMs

/** Keeps one connection that listens to a channel, made anew whenever it is lost or stops answering. */
export function listen(options: Listening): { close: () => Promise<void> } {
  const { channel, log } = options
  const closing = new AbortController()

  async function keepListening(): Promise<void> {
    let pauseMs = shortestPauseMs
    while (!closing.signal.aborted) {
      const startedAt = performance.now()
      await listenOnce(options, closing.signal).catch((error: Error) => {
        if (!closing.signal.aborted) log.warn({ channel, reason: error.message }, 'a channel is no longer listened to')
      })
      const wasHealthy = performance.now() - startedAt > longestPauseMs
      pauseMs = wasHealthy ? shortestPauseMs : Math.min(pauseMs * 2, longestPauseMs)
      await delay(pauseMs, undefined, { signal: closing.signal, ref: false }).catch(() => {})
    }
  }

  const kept = keepListening()
  return {
    async close() {
      closing.abort()
      await kept
    },
  }
}

async function listenOnce({ databaseUrl, channel, onNotice, onHeard, onLost }: Listening, closing: AbortSignal) {
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
    await client.query(`listen ${channel}`)
    onLost?.()
    for (;;) {
      onHeard?.()
      await Promise.race([lost, delay(heartbeatMs, undefined, { signal: closing, ref: false })])
      await client.query('select 1')
    }
  } finally {
    onLost?.()
    // A connection that has gone silent may never confirm its end.
    await Promise.race([client.end().catch(() => {}), delay(endTimeoutMs, undefined, { ref: false })])
  }
}
