import { setTimeout as delay } from 'node:timers/promises'
import type { FastifyBaseLogger } from 'fastify'

interface Repeated {
  /** Time between the end of one run and the beginning of the next. */
  readonly pauseMs: number
  readonly log: Pick<FastifyBaseLogger, 'error'>
  /** Log message of a failed run. */
  readonly failure: string
}

/** Runs `work` repeatedly until closed. A failed run is logged, and the next one follows. */
export function repeat(work: () => Promise<void>, { pauseMs, log, failure }: Repeated): { close(): Promise<void> } {
  const closing = new AbortController()
  const run = async () => {
    while (!closing.signal.aborted) {
      await work().catch((error: unknown) => log.error({ err: error }, failure))
      await delay(pauseMs, undefined, { signal: closing.signal }).catch(() => {})
    }
  }
  const running = run()
  return {
    async close() {
      closing.abort()
      await running
    },
  }
}
