import type pg from 'pg'
import { traceJob } from '../../tracing/tracing.ts'
import { keepRunning, type KeptRunner, type RunnerLog } from './queue-runner.ts'

interface JobTask {
  readonly name: string
  readonly atOnce: number
  readonly run: (payload: unknown) => Promise<unknown>
}

/** Runs the jobs of one name in a separate runner. */
export const runJobs = (log: RunnerLog, queue: pg.Pool, { name, atOnce, run }: JobTask): Promise<KeptRunner> =>
  keepRunning(log, {
    pgPool: queue,
    noHandleSignals: true,
    concurrency: atOnce,
    parsedCronItems: [],
    taskList: { [name]: async (payload) => void (await traceJob(name, payload, () => run(payload))) },
  })
