import type pg from 'pg'
import { keepRunning, type KeptRunner, type RunnerLog } from './queue-runner.ts'

interface RunJobs {
  readonly name: string
  readonly atOnce: number
  readonly run: (payload: unknown) => Promise<unknown>
}

/** Runs the jobs of one name in a runner of their own. */
export const runJobs = (log: RunnerLog, queue: pg.Pool, { name, atOnce, run }: RunJobs): Promise<KeptRunner> =>
  keepRunning(log, {
    pgPool: queue,
    noHandleSignals: true,
    concurrency: atOnce,
    parsedCronItems: [],
    taskList: { [name]: async (payload) => void (await run(payload)) },
  })

/** Returns an id from the payload of a job. */
export function readJobId(payload: unknown, name: string): string {
  const id = (payload as Readonly<Record<string, unknown>> | null)?.[name]
  if (typeof id !== 'string') throw new Error(`a job has no ${name}`)
  return id
}
