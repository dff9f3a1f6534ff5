import type pg from 'pg'
import { describeError } from '../database-errors.ts'
import { freeLostJobs } from './queue-presence.ts'
import type { KeptRunner, RunnerLog } from './queue-runner.ts'

// A worker whose runner has stopped working looks alive. It is stuck if a job that one of its runners could take stays
// due and unlocked, while the runner is not full and starts no other job. Times are the database's.

/** Interval between checks, and the durations after which a stuck worker is not ready and exits. */
export interface WatchTimes {
  readonly lookMs: number
  readonly notReadyMs: number
  readonly endMs: number
}

export const watchTimes: WatchTimes = { lookMs: 10_000, notReadyMs: 30_000, endMs: 120_000 }

interface IdleRunner {
  /** Database time of the first check at which it was idle. */
  readonly since: number
  readonly started: number
  readonly looks: number
}

export interface QueueWatch {
  /** Milliseconds for which a runner has ignored due jobs. */
  stuckMs(): number
  /** Resolves when this process must be replaced. */
  readonly stuck: Promise<void>
  close(): Promise<void>
}

interface QueueSnapshot {
  readonly due: readonly string[]
  readonly now: Date
}

/** Returns tasks with a due job that no runner has taken, and the database's time. */
async function takeSnapshot(pool: pg.Pool): Promise<QueueSnapshot> {
  const { rows } = await pool.query<QueueSnapshot>(
    `select clock_timestamp() as now, array(
       select t.identifier from graphile_worker._private_tasks t
        where exists (select from graphile_worker._private_jobs j
                       where j.task_id = t.id and j.is_available and j.job_queue_id is null and j.run_at <= now())) as due`,
  )
  return rows[0] ?? { due: [], now: new Date(0) }
}

/** Returns the idle state of a runner after a check; undefined while it works. */
function assessRunner(
  runner: KeptRunner,
  previousIdle: IdleRunner | undefined,
  { due, now }: QueueSnapshot,
): IdleRunner | undefined {
  const { tasks, started, isFull } = runner.state()
  if (isFull || !due.some((task) => tasks.includes(task))) return undefined
  if (previousIdle?.started !== started) return { since: now.getTime(), started, looks: 1 }
  return { ...previousIdle, looks: previousIdle.looks + 1 }
}

/** Watches the runners of this process, and frees the jobs of processes that died. */
export function watchQueue(
  log: RunnerLog,
  { pool, runners, times = watchTimes }: { pool: pg.Pool; runners: readonly KeptRunner[]; times?: WatchTimes },
): QueueWatch {
  const missing = new Map<string, number>()
  const idle = new Map<KeptRunner, IdleRunner>()
  const { promise: stuck, resolve: end } = Promise.withResolvers<void>()
  let stuckMs = 0
  let currentCheck: Promise<void> | undefined

  async function checkOnce(): Promise<void> {
    try {
      const snapshot = await takeSnapshot(pool)
      for (const runner of runners) {
        const state = assessRunner(runner, idle.get(runner), snapshot)
        if (state) idle.set(runner, state)
        else idle.delete(runner)
      }
      const idleRunners = [...idle.values()]
      stuckMs = Math.max(0, ...idleRunners.map(({ since }) => snapshot.now.getTime() - since))
      // Requires several checks, so that no clock jump or pause of this process ends it.
      const isStuck = idleRunners.some(
        ({ since, looks }) => snapshot.now.getTime() - since >= times.endMs && looks * times.lookMs >= times.endMs,
      )
      if (isStuck) {
        log.error({ stuckMs }, 'due jobs are not taken any more: this worker ends itself, to be started again')
        end()
      }
      const freedPools = await freeLostJobs(pool, missing)
      if (freedPools.length > 0) log.warn({ pools: freedPools }, 'jobs of workers that died were freed')
    } catch (error) {
      // Without an answer, nothing is known: restarting the worker would not fix the database.
      idle.clear()
      missing.clear()
      stuckMs = 0
      log.debug({ reason: describeError(error) }, 'the job queue could not be watched')
    }
  }

  const timer = setInterval(() => {
    currentCheck ??= checkOnce().finally(() => (currentCheck = undefined))
  }, times.lookMs)
  return {
    stuckMs: () => stuckMs,
    stuck,
    async close() {
      clearInterval(timer)
      await currentCheck
    },
  }
}
