import { setTimeout as delay } from 'node:timers/promises'
import type { FastifyBaseLogger } from 'fastify'

export interface RepeatedTask {
  /** Pause before the next run, from the end of the last or, if runs overlap, from its start. */
  readonly pauseMs: number
  /** True if the next run does not wait for the end of the last. */
  readonly overlaps?: true
  readonly log: Pick<FastifyBaseLogger, 'error' | 'warn'>
  /** Log message of a failed run. */
  readonly failure: string
  /** Log level of a failed run; `error` by default. */
  readonly level?: 'error' | 'warn'
}

export interface Repetition {
  /** Ends the repetition; resolves when no run is in progress. */
  close(): Promise<void>
}

/** Runs `work` repeatedly until closed. A failed run is logged and does not end the repetition. */
export function repeat(
  work: () => Promise<void>,
  { pauseMs, overlaps, log, failure, level = 'error' }: RepeatedTask,
): Repetition {
  const closing = new AbortController()
  const runningWork = new Set<Promise<void>>()
  const runOnce = () => work().catch((error: unknown) => log[level]({ err: error }, failure))
  const loop = async () => {
    while (!closing.signal.aborted) {
      const run = runOnce()
      if (overlaps) {
        runningWork.add(run)
        void run.then(() => runningWork.delete(run))
      } else await run
      await delay(pauseMs, undefined, { signal: closing.signal }).catch(() => {})
    }
  }
  const running = loop()
  return {
    async close() {
      closing.abort()
      await running
      await Promise.all(runningWork)
    },
  }
}
