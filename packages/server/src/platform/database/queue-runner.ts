import { setTimeout as delay } from 'node:timers/promises'
import { Logger as QueueLogger, type Runner, type RunnerOptions, run } from 'graphile-worker'
import pg from 'pg'
import type { Logger } from 'pino'
import { reasonOf } from './database-errors.ts'
import { connect } from './db.ts'

const shortestPauseMs = 500
const longestPauseMs = 10_000

/** Log levels for the queue: completed jobs only at debug. */
const levels = { error: 'error', warning: 'warn', info: 'debug', debug: 'trace' } as const

const queueConnections = 8

/**
 * The queue's connections. It writes failed job ids as JSON, where a bigint would end the process and leave the job
 * locked.
 */
export const connectQueue = (databaseUrl: string): pg.Pool =>
  connect(databaseUrl, queueConnections, {
    types: {
      getTypeParser: (oid, format) =>
        oid === pg.types.builtins.INT8 ? String : (pg.types.getTypeParser(oid, format) as (value: string) => unknown),
    },
  })

/** With batches the queue stops its runner during an outage; otherwise it ends the process. */
export const preset = { worker: { completeJobBatchDelay: 0, failJobBatchDelay: 0 } }

export type RunnerLog = Pick<Logger, 'error' | 'warn' | 'debug' | 'trace'>

/** Runs a queue, restarting its runner when it ends by itself, as in an outage. Throws when the first cannot start. */
export async function keepRunning(log: RunnerLog, given: RunnerOptions): Promise<{ stop(): Promise<void> }> {
  const logger = new QueueLogger(() => (level, message) => log[levels[level]](message))
  const options = { ...given, logger, preset }
  const closing = new AbortController()
  let runner: Runner = await run(options)

  async function keep(): Promise<void> {
    let pauseMs = shortestPauseMs
    for (;;) {
      const ended = await runner.promise.then(
        () => undefined,
        (error: unknown) => reasonOf(error),
      )
      if (closing.signal.aborted) return
      log.warn({ reason: ended }, 'the worker stopped and is started again')
      for (let started = false; !started; pauseMs = Math.min(2 * pauseMs, longestPauseMs)) {
        await delay(pauseMs, undefined, { signal: closing.signal, ref: false }).catch(() => {})
        if (closing.signal.aborted) return
        started = await run(options).then(
          (again) => {
            runner = again
            return true
          },
          () => false,
        )
      }
      pauseMs = shortestPauseMs
    }
  }
  const kept = keep()
  return {
    async stop() {
      closing.abort()
      // One that just ended cannot be stopped.
      await runner.stop().catch(() => {})
      await kept
    },
  }
}
