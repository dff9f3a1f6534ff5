import { EventEmitter } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import { Logger as QueueLogger, type Runner, type RunnerOptions, run, type WorkerEvents } from 'graphile-worker'
import type pg from 'pg'
import type { Logger } from 'pino'
import { describeError } from '../database-errors.ts'
import { runnerPool } from './queue-pool.ts'
import { sharedPresence } from './queue-presence.ts'

const shortestPauseMs = 500
const longestPauseMs = 10_000
/** Time limit for stopping a runner. If its jobs do not end, other workers free them after the process exits. */
const longestStopMs = 10_000

/** Log levels of the queue's messages; completed jobs are logged only at debug. */
const levels = { error: 'error', warning: 'warn', info: 'debug', debug: 'trace' } as const

/**
 * With batched reports, graphile-worker stops only the runner if it cannot record a job's end; without them, it would
 * end the process.
 */
export const preset = { worker: { completeJobBatchDelay: 0, failJobBatchDelay: 0 } }

export type RunnerLog = Pick<Logger, 'error' | 'warn' | 'debug' | 'trace'>

type RunOptions = Omit<RunnerOptions, 'events' | 'taskList' | 'pgPool' | 'concurrency'> &
  Required<Pick<RunnerOptions, 'taskList' | 'concurrency'>> & { readonly pgPool: pg.Pool }

export interface RunnerState {
  readonly tasks: readonly string[]
  /** Count of jobs started since `keepRunning`. */
  readonly started: number
  readonly isFull: boolean
}

export interface KeptRunner {
  state(): RunnerState
  stop(): Promise<void>
}

/** Counts the jobs of a runner and registers the presence of each of its pools. */
function trackJobs({ taskList, concurrency, pgPool }: RunOptions): { events: WorkerEvents; state: () => RunnerState } {
  const events = new EventEmitter() as WorkerEvents
  const presence = sharedPresence(pgPool)
  let started = 0
  let running = 0
  events.on('pool:create', ({ workerPool }) => {
    running = 0
    presence.add(workerPool.id)
  })
  events.on('pool:release', ({ workerPool }) => presence.remove(workerPool.id))
  events.on('job:start', () => {
    started += 1
    running += 1
  })
  events.on('job:complete', () => {
    running -= 1
  })
  const tasks = Object.keys(taskList)
  return { events, state: () => ({ tasks, started, isFull: running >= concurrency }) }
}

/** Runs a queue, and starts a new runner when one stops, as in an outage. Throws if the first runner cannot start. */
export async function keepRunning(log: RunnerLog, setup: RunOptions): Promise<KeptRunner> {
  const logger = new QueueLogger(() => (level, message) => log[levels[level]](message))
  const { events, state } = trackJobs(setup)
  const options = { ...setup, pgPool: runnerPool(setup.pgPool), events, logger, preset }
  const closing = new AbortController()
  let runner: Runner = await run(options)

  async function keepRunnerAlive(): Promise<void> {
    let pauseMs = shortestPauseMs
    for (;;) {
      const failureText = await runner.promise.then(
        () => undefined,
        (error: unknown) => describeError(error),
      )
      if (closing.signal.aborted) return
      log.warn({ reason: failureText }, 'the worker stopped and is started again')
      for (let started = false; !started; pauseMs = Math.min(2 * pauseMs, longestPauseMs)) {
        await delay(pauseMs, undefined, { signal: closing.signal, ref: false }).catch(() => {})
        if (closing.signal.aborted) return
        started = await run(options).then(
          (newRunner) => {
            runner = newRunner
            return true
          },
          () => false,
        )
      }
      pauseMs = shortestPauseMs
    }
  }
  const running = keepRunnerAlive()
  return {
    state,
    async stop() {
      closing.abort()
      // Stopping a runner that has just ended throws.
      const stoppedRunner = runner
        .stop()
        .catch(() => {})
        .then(() => running)
      await Promise.race([stoppedRunner, delay(longestStopMs, undefined, { ref: false })])
    },
  }
}
