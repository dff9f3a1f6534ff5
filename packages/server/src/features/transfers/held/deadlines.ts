import { setTimeout as delay } from 'node:timers/promises'
import type { FastifyBaseLogger } from 'fastify'

const pauseMs = 500
/** What cannot be ended is left to the task of every minute, as is what became due while no worker ran. */
const recentMs = 10_000

/** Ends held transfers as their deadlines come, until it is closed. Any number of processes may do so at once. */
export function followDeadlines(
  { endDue }: { readonly endDue: (since: Date) => Promise<void> },
  now: () => Date,
  log: Pick<FastifyBaseLogger, 'error'>,
): { close(): Promise<void> } {
  const closing = new AbortController()
  const work = async () => {
    while (!closing.signal.aborted) {
      await endDue(new Date(now().getTime() - recentMs)).catch((error: unknown) =>
        log.error({ err: error }, 'held transfers that are due were not read'),
      )
      await delay(pauseMs, undefined, { signal: closing.signal }).catch(() => {})
    }
  }
  const working = work()
  return {
    async close() {
      closing.abort()
      await working
    },
  }
}
