import { setTimeout as delay } from 'node:timers/promises'
import type { FastifyBaseLogger } from 'fastify'

const pauseMs = 500
/** Older deadlines are left to the task of every minute, like those missed while no worker ran. */
const recentMs = 10_000

/** Ends held transfers at their deadlines until closed. Any number of processes may run it. */
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
