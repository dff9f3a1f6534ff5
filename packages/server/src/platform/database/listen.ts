import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'

const heartbeatMs = 2000
const silenceMs = 6000
const shortestPauseMs = 100
const longestPauseMs = 5000
const endTimeoutMs = 1000
const pollIntervalMs = 200
const longestStallMs = 500

export interface ListenerOptions {
  readonly databaseUrl: string
  /** Plain SQL identifier. */
  readonly channel: string
  readonly log: { warn(details: object, message: string): void }
  readonly onNotice: (payload: string) => void
  /** Called after each answer: no notice has been missed since the last call or, if later, the last `onLost`. */
  readonly onHeard?: () => void
  /** Called when the connection begins and when it is lost: earlier notices may have been missed. */
  readonly onLost?: () => void
  /** Pause between heartbeats; default two seconds. */
  readonly heartbeatEveryMs?: number
}

/** Listens to a channel on one connection, which is replaced when it is lost or silent. */
export function listen(options: ListenerOptions) {
  const { channel, log } = options
  const closing = new AbortController()
  const freshness = createFreshness()

  async function keepListening(): Promise<void> {
    let pauseMs = shortestPauseMs
    while (!closing.signal.aborted) {
      const startedAt = performance.now()
      await listenUntilError(options, freshness, closing.signal).catch((error: Error) => {
        if (!closing.signal.aborted) log.warn({ channel, reason: error.message }, 'a channel is no longer listened to')
      })
      const wasHealthy = performance.now() - startedAt > longestPauseMs
      pauseMs = wasHealthy ? shortestPauseMs : Math.min(pauseMs * 2, longestPauseMs)
      await delay(pauseMs, undefined, { signal: closing.signal, ref: false }).catch(() => {})
    }
  }

  const listenerLoop = keepListening()
  return {
    /**
     * Returns whether all notices committed more than a few seconds ago have arrived and the process has not paused
     * since: caches that notices invalidate can then be used.
     */
    isCurrent: freshness.isCurrent,
    async close(): Promise<void> {
      closing.abort()
      freshness.stop()
      await listenerLoop
    },
  }
}

/**
 * Tracks until when notices are complete: the answer to a heartbeat follows all earlier notices. A process that has
 * paused may read requests before notices, so only a heartbeat sent after the pause counts; it is sent at once, so that
 * the caches can soon be used again.
 */
function createFreshness() {
  let lastHeardAt = -Infinity
  let resolveWake = () => {}
  let tickedAt = performance.now()
  let lastWakeAt = -Infinity
  const timer = setInterval(() => {
    const at = performance.now()
    if (at - tickedAt > longestStallMs) {
      lastWakeAt = at
      resolveWake()
    }
    tickedAt = at
  }, pollIntervalMs)
  timer.unref()
  return {
    heard(sentAt: number): void {
      lastHeardAt = sentAt
    },
    lost(): void {
      lastHeardAt = -Infinity
    },
    /**
     * Waits until the next heartbeat is due: after `ms`, or when the process wakes from a pause. Rejects when closing.
     */
    async untilDue(ms: number, closing: AbortSignal): Promise<void> {
      if (lastWakeAt > lastHeardAt) return
      const waking = new Promise<void>((resolve) => {
        resolveWake = resolve
      })
      await Promise.race([waking, delay(ms, undefined, { signal: closing, ref: false })])
    },
    isCurrent(): boolean {
      const at = performance.now()
      return lastHeardAt > lastWakeAt && at - lastHeardAt < silenceMs && at - tickedAt <= longestStallMs
    },
    stop: () => clearInterval(timer),
  }
}

async function listenUntilError(
  { databaseUrl, channel, onNotice, onHeard, onLost, heartbeatEveryMs = heartbeatMs }: ListenerOptions,
  freshness: ReturnType<typeof createFreshness>,
  closing: AbortSignal,
) {
  const client = new pg.Client({
    connectionString: databaseUrl,
    application_name: `tern ${channel}`,
    connectionTimeoutMillis: silenceMs,
    query_timeout: silenceMs - heartbeatMs,
  })
  const connectionLost = new Promise<never>((_, reject) => {
    client.on('error', reject)
    client.on('end', () => reject(new Error('The connection was closed')))
  })
  connectionLost.catch(() => {})
  client.on('notification', ({ payload }) => onNotice(payload ?? ''))
  try {
    await client.connect()
    let sentAt = performance.now()
    await client.query(`listen ${channel}`)
    onLost?.()
    for (;;) {
      freshness.heard(sentAt)
      onHeard?.()
      await Promise.race([connectionLost, freshness.untilDue(heartbeatEveryMs, closing)])
      sentAt = performance.now()
      await client.query('select 1')
    }
  } finally {
    freshness.lost()
    onLost?.()
    // The end of a silent connection may never be confirmed.
    await Promise.race([client.end().catch(() => {}), delay(endTimeoutMs, undefined, { ref: false })])
  }
}
