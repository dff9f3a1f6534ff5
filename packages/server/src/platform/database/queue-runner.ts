import { setTimeout as delay } from 'node:timers/promises'
import { Logger as QueueLogger, type Runner, type RunnerOptions, run } from 'graphile-worker'
import pg from 'pg'
import type { Logger } from 'pino'
import { reasonOf } from './database-errors.ts'
import { connect } from './db.ts'

const shortestPauseMs = 500
const longestPauseMs = 10_000

/** Of the queue's levels: that a job was done is told only to whoever asks for details. */
const levels = { error: 'error', warning: 'warn', info: 'debug', debug: 'trace' } as const

const queueConnections = 6

/**
 * The queue's own connections. It writes the numbers of failed jobs as JSON, which knows no bigint: there they stay text,
 * or the first job that fails would end the process and stay locked.
 */
export const connectQueue = (databaseUrl: string): pg.Pool =>
  connect(databaseUrl, queueConnections, {
    getTypeParser: (oid, format) =>
      oid === pg.types.builtins.INT8 ? String : (pg.types.getTypeParser(oid, format) as (value: string) => unknown),
  })

/** Told by batch that a job has ended, the queue stops its runner when the database is away; told singly, it ends the process. */
const preset = { worker: { completeJobBatchDelay: 0, failJobBatchDelay: 0 } }

/**
 * Runs a queue's runner, and another one whenever it ends by itself, as it does when the database is away while a job ends.
 * Throws when even the first cannot start.
 */
export async function keepRunning(
  log: Pick<Logger, 'error' | 'warn' | 'debug' | 'trace'>,
  given: RunnerOptions,
): Promise<{ stop(): Promise<void> }> {
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
      // One that has just ended by itself cannot be stopped.
      await runner.stop().catch(() => {})
      await kept
    },
  }
}
