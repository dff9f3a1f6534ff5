import type { TaskList } from 'graphile-worker'
import { type Logger, pino } from 'pino'
import type { Config } from './platform/runtime/config.ts'
import { tables } from './features/list.ts'
import type { Task } from './manifests/feature.ts'
import { manifests } from './manifests/manifests.ts'
import { serveOperators } from './platform/operations/admin.ts'
import { createLeadership } from './platform/operations/leadership.ts'
import { type ReadinessProblem, findDatabaseProblem } from './platform/operations/health.ts'
import { clearOldRows } from './platform/housekeeping.ts'
import { logDestination, logSerializers } from './platform/runtime/logging.ts'
import { createMetrics, startAtZero } from './platform/runtime/metrics.ts'
import { createProduct, type Product } from './product.ts'
import { prepareFeatures, readWarnings, startFollowers, watchProduct } from './manifests/running-features.ts'
import { listen } from './platform/database/listen.ts'
import { parseTraces, wakeChannel } from './platform/events/waker.ts'
import { rememberTrace } from './platform/tracing/passed-traces.ts'
import { traceJob, tracing } from './platform/tracing/tracing.ts'
import { runJobs } from './platform/database/queue/jobs.ts'
import { connectQueue } from './platform/database/queue/queue-pool.ts'
import { keepRunning, type KeptRunner } from './platform/database/queue/queue-runner.ts'
import { type QueueWatch, watchQueue, watchTimes } from './platform/database/queue/queue-watch.ts'

/** The tasks of a minute end together; their connections then close for most of the next minute. */
const idleMs = 3000

const clearTask: Task = {
  name: 'clear_old_rows',
  at: '17 3 * * *',
  async run({ pool, now, log }) {
    log.info({ rows: await clearOldRows(pool, tables, { now }) }, 'cleared old rows')
  },
}

const tasks: readonly Task[] = [...manifests.flatMap((feature) => feature.tasks ?? []), clearTask]
const outcomes = ['completed', 'failed']
const jobs = manifests.flatMap((feature) => feature.jobs ?? [])
const ownJobs = jobs.filter(({ hasOwnRunner }) => hasOwnRunner)
const sharedJobs = jobs.filter(({ hasOwnRunner }) => !hasOwnRunner)

/**
 * Runs background work: polls providers, sends mails and deletes old data. `stuck` resolves when the process must be
 * restarted.
 */
export async function startWorker(
  config: Config,
  databaseUrl: string,
  times = watchTimes,
): Promise<Pick<QueueWatch, 'stuck'> & { close(): Promise<void> }> {
  const log = pino({ level: config.logLevel, name: 'worker', serializers: logSerializers }, logDestination())
  const metrics = createMetrics()
  const product = await createProduct({ config, databaseUrl, metrics, log, idleMs })
  watchProduct(metrics, product)
  startAtZero(
    metrics.jobRuns,
    [...tasks, ...jobs].flatMap(({ name: task }) => outcomes.map((outcome) => ({ task, outcome }))),
  )
  const leadership = createLeadership(product)
  let phase: Phase = 'starting'
  let watch: QueueWatch | undefined
  const stopServing = await serveOperators(config, {
    metrics,
    leadership,
    log,
    health: {
      findReadinessProblem: async () => (phase === 'running' ? findWorkerProblem(product, watch, times) : phase),
      warnings: () => readWarnings(metrics, product),
    },
  })
  const queue = connectQueue(databaseUrl)
  const runners: KeptRunner[] = [
    await keepRunning(log, {
      pgPool: queue,
      noHandleSignals: true,
      // One slot for each task, since none overlaps itself, and for each shared job that may run at once.
      concurrency: tasks.length + sharedJobs.reduce((sum, { atOnce }) => sum + atOnce, 0),
      crontab: tasks.map(({ name, at }) => `${at} ${name}`).join('\n'),
      taskList: listTasks(product),
    }),
  ]
  for (const { name, atOnce, run } of ownJobs) {
    runners.push(
      await runJobs(log, queue, {
        name,
        atOnce,
        run: (payload) => measureRun(product, name, () => run(product, payload)),
      }),
    )
  }
  const followers = startFollowers(product, 'worker')
  const traces = tracing() && receiveTraces(databaseUrl, log)
  for (const { name, atStart } of tasks) {
    if (atStart === 'always' || atStart === config.mode) {
      await queue.query(`select graphile_worker.add_job($1, job_key => $1)`, [name])
    }
  }
  await prepareFeatures(product, 'worker')
  watch = watchQueue(log, { pool: queue, runners, times })
  const { stuck, close: stopWatching } = watch
  phase = 'running'
  return {
    stuck,
    async close() {
      phase = 'stopping'
      await stopWatching()
      for (const follower of followers) await follower.close()
      await traces?.close()
      await Promise.all(runners.map((runner) => runner.stop()))
      await queue.end()
      await stopServing()
      await leadership.close()
      await product.close()
    },
  }
}

/** Receives the spans of movements, so that their notifications continue them. */
const receiveTraces = (databaseUrl: string, log: Logger) =>
  listen({
    databaseUrl,
    channel: wakeChannel,
    log,
    onNotice(payload) {
      for (const [reference, traceparent] of parseTraces(payload)) rememberTrace(reference, traceparent)
    },
  })

/** Runs a task or job, and counts the run by its outcome. */
async function measureRun({ metrics }: Product, task: string, work: () => Promise<unknown>): Promise<void> {
  try {
    await work()
    metrics.jobRuns.inc({ task, outcome: 'completed' })
  } catch (error) {
    metrics.jobRuns.inc({ task, outcome: 'failed' })
    throw error
  }
}

/** Returns the scheduled tasks, and the jobs that share their runner. */
const listTasks = (product: Product): TaskList => ({
  ...Object.fromEntries(
    tasks.map(({ name, run }) => [
      name,
      skipWhileRunning(() => measureRun(product, name, () => traceJob(name, undefined, () => run(product)))),
    ]),
  ),
  ...Object.fromEntries(
    sharedJobs.map(({ name, run }) => [
      name,
      (payload: unknown) => measureRun(product, name, () => traceJob(name, payload, () => run(product, payload))),
    ]),
  ),
})

/** Returns why a running worker is not ready; undefined if it is ready. */
async function findWorkerProblem(
  { databaseWatch, pool }: Pick<Product, 'databaseWatch' | 'pool'>,
  watch: QueueWatch | undefined,
  { notReadyMs }: typeof watchTimes,
): Promise<ReadinessProblem | undefined> {
  const reason = await findDatabaseProblem(databaseWatch, pool)
  return reason ?? ((watch?.stuckMs() ?? 0) >= notReadyMs ? 'jobs_stuck' : undefined)
}

type Phase = 'starting' | 'running' | 'stopping'

/**
 * Makes a task skip a run while the previous one is still running: otherwise a slow provider would occupy another slot
 * each minute. A named queue would prevent overlaps too, but stays locked for hours after a crash.
 */
function skipWhileRunning(work: () => Promise<unknown>): () => Promise<void> {
  let isRunning = false
  return async () => {
    if (isRunning) return
    isRunning = true
    try {
      await work()
    } finally {
      isRunning = false
    }
  }
}
