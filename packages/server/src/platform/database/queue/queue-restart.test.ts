// The job queue during a database restart, with a separate server and two runners with their own connections.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { temporaryFolder } from '@tern/testkit/temporary-folder'
import { runOnce } from '@tern/testkit/database'
import { type EmbeddedPostgres, removeEmbeddedPostgres, startEmbeddedPostgres } from '../embedded-postgres.ts'
import { findAccount, reachablePrograms } from '../postgres-account.ts'
import { connectQueue } from './queue-pool.ts'
import { keepRunning } from './queue-runner.ts'

const rounds = 3
const concurrentJobs = 30

let dataDir: string
let server: EmbeddedPostgres

beforeAll(async () => {
  dataDir = fs.mkdtempSync(path.join(temporaryFolder(), 'tern-queue-'))
  fs.chmodSync(dataDir, 0o755)
  server = await startEmbeddedPostgres({ dataDir })
}, 600_000)
afterAll(async () => {
  await server.stop()
  await removeEmbeddedPostgres(dataDir)
  fs.rmSync(dataDir, { recursive: true, force: true })
})

/** Stops PostgreSQL with `pg_ctl`, which ends all connections, and waits until it has been started again. */
async function restart(): Promise<void> {
  const account = findAccount(server.directory)
  const program = path.join(
    reachablePrograms(account, () => {}),
    'pg_ctl',
  )
  // `-W` does not wait, because the server may be started again before pg_ctl checks.
  const stopArguments = ['stop', '-D', server.directory, '-m', 'fast', '-W']
  const previousStart = await loadStartTime()
  const child = spawn(program, stopArguments, { ...account, cwd: '/', stdio: 'ignore' })
  expect(await once(child, 'exit')).toEqual([0, null])
  await expect.poll(hasRestarted(previousStart), { interval: 20, timeout: 120_000 }).toBe(true)
}

const loadStartTime = async (): Promise<string> => {
  const [row] = await runOnce(server.url, 'select pg_postmaster_start_time()::text as at')
  return String(row?.at)
}

/** Returns a check whether the server has started at another time than `previousStart`. */
const hasRestarted = (previousStart: string) => () =>
  loadStartTime().then(
    (at) => at !== previousStart,
    () => false,
  )

const doNothing = () => {}
const log = { error: doNothing, debug: doNothing, trace: doNothing, warn: doNothing }

/** Starts a runner like the worker's, which counts the runs of each job. */
async function startRunner(gate: () => Promise<void>, runsById: Map<string, number>) {
  const pool = connectQueue(server.url)
  const count = ({ id }: { id: string }) => void runsById.set(id, (runsById.get(id) ?? 0) + 1)
  const runner = await keepRunning(log, {
    pgPool: pool,
    noHandleSignals: true,
    concurrency: concurrentJobs,
    parsedCronItems: [],
    taskList: {
      slow: async (payload) => {
        count(payload as { id: string })
        await gate()
      },
      quick: (payload) => count(payload as { id: string }),
    },
  })
  return {
    async close(): Promise<void> {
      await runner.stop()
      await pool.end()
    },
  }
}

test(
  `after each of ${rounds} restarts of PostgreSQL while jobs run, jobs run again, each once`,
  {
    timeout: 300_000,
  },
  async () => {
    let gate = Promise.withResolvers<void>()
    const runsById = new Map<string, number>()
    const workers = [await startRunner(() => gate.promise, runsById), await startRunner(() => gate.promise, runsById)]
    const addJob = (task: string, id: string) =>
      runOnce(server.url, `select graphile_worker.add_job('${task}', '${JSON.stringify({ id })}', max_attempts => 1)`)
    const listRuns = (name: string) => [...runsById].filter(([id]) => id.startsWith(name)).map(([, count]) => count)

    for (let round = 0; round < rounds; round += 1) {
      gate = Promise.withResolvers<void>()
      for (let job = 0; job < concurrentJobs; job += 1) await addJob('slow', `slow-${round}-${job}`)
      await expect.poll(() => listRuns(`slow-${round}`).length, { timeout: 120_000 }).toBe(concurrentJobs)
      // Jobs end while connections break and the database is down.
      const restartRun = restart()
      setTimeout(gate.resolve, 20 * round)
      await restartRun
      await addJob('quick', `quick-${round}`)
      await expect.poll(() => listRuns(`quick-${round}`), { interval: 50, timeout: 120_000 }).toEqual([1])
    }
    const countJobs = async () => (await runOnce(server.url, 'select from graphile_worker.jobs')).length
    await expect.poll(countJobs, { timeout: 120_000 }).toBe(0)
    expect(listRuns('slow')).toEqual(Array.from({ length: rounds * concurrentJobs }, () => 1))
    for (const worker of workers) await worker.close()
  },
)
