// Workers that died, froze or stopped working, while others are healthy.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { afterAll, expect, onTestFinished, test } from 'vitest'
import { createTestDatabase } from '@tern/testkit/database'
import { connectQueue } from './queue-pool.ts'
import { freeLostJobs } from './queue-presence.ts'
import { keepRunning } from './queue-runner.ts'
import { watchQueue } from './queue-watch.ts'

const database = await createTestDatabase()
const pool = connectQueue(database.url)

afterAll(async () => {
  await pool.end()
  await database.drop()
})

const doNothing = () => {}
const log = { error: doNothing, debug: doNothing, trace: doNothing, warn: doNothing }
const addJob = (task: string) => database.pool.query('select graphile_worker.add_job($1)', [task])
const clearJobs = () => database.pool.query('delete from graphile_worker._private_jobs')
const loadLockedBy = async () =>
  (
    await database.pool.query<{ locked_by: string | null }>('select locked_by from graphile_worker._private_jobs')
  ).rows.map((row) => row.locked_by !== null)
const runnerOptions = { pgPool: pool, noHandleSignals: true, pollInterval: 50, parsedCronItems: [] }

/** Checks for lost jobs `times` times; returns the number of pools whose jobs were freed. */
async function checkRunners(times: number, missingCounts = new Map<string, number>()): Promise<number> {
  let freedCount = 0
  for (let count = 0; count < times; count += 1) freedCount += (await freeLostJobs(pool, missingCounts)).length
  return freedCount
}

/** Starts a process with a runner that never ends its jobs. */
async function startOtherRunner() {
  const program = `
    import { connectQueue } from '${new URL('queue-pool.ts', import.meta.url).href}'
    import { keepRunning } from '${new URL('queue-runner.ts', import.meta.url).href}'
    const silent = () => {}
    await keepRunning({ error: silent, debug: silent, trace: silent, warn: silent }, {
      pgPool: connectQueue('${database.url}'), noHandleSignals: true, concurrency: 2, pollInterval: 50, parsedCronItems: [],
      taskList: { endless: () => new Promise(() => {}) },
    })`
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], { stdio: 'inherit' })
  onTestFinished(() => void child.kill('SIGKILL'))
  await expect.poll(async () => (await loadLockedBy()).includes(true), { timeout: 120_000 }).toBe(true)
  const holder = `select from pg_locks where locktype = 'advisory' and mode = 'ShareLock' and granted
    and database = (select oid from pg_database where datname = current_database())`
  await expect.poll(async () => (await database.pool.query(holder)).rowCount, { timeout: 120_000 }).toBe(1)
  return child
}

test(
  'jobs of a killed worker are released at the third check; those of a frozen one are not',
  { timeout: 180_000 },
  async () => {
    await addJob('endless')
    const child = await startOtherRunner()
    expect(await checkRunners(5)).toBe(0)
    child.kill('SIGSTOP')
    expect(await checkRunners(5), 'it may go on at any moment').toBe(0)
    expect(await loadLockedBy()).toEqual([true])
    child.kill('SIGKILL')
    await once(child, 'exit')
    const missingCounts = new Map<string, number>()
    await expect.poll(() => checkRunners(1, missingCounts).then(() => missingCounts.size)).toBe(1)
    expect(await loadLockedBy(), 'a worker may have lost its connection only').toEqual([true])
    expect(await checkRunners(2, missingCounts)).toBe(1)
    expect(await loadLockedBy()).toEqual([false])
    await clearJobs()
  },
)

test(
  'a worker whose connection ends keeps its jobs, since it reports again that it is alive',
  { timeout: 120_000 },
  async () => {
    const gate = Promise.withResolvers<void>()
    let runCount = 0
    const runner = await keepRunning(log, {
      ...runnerOptions,
      concurrency: 1,
      taskList: {
        slow: async () => {
          runCount += 1
          await gate.promise
        },
      },
    })
    await addJob('slow')
    await expect.poll(() => runCount).toBe(1)
    const missingCounts = new Map<string, number>()
    const isPresent = async () => {
      await freeLostJobs(pool, missingCounts)
      return missingCounts.size === 0
    }
    await expect.poll(isPresent).toBe(true)
    await database.pool.query(
      `select pg_terminate_backend(pid) from pg_locks where locktype = 'advisory' and mode = 'ShareLock'
      and database = (select oid from pg_database where datname = current_database())`,
    )
    await expect.poll(isPresent, { interval: 200, timeout: 120_000 }).toBe(true)
    gate.resolve()
    await expect.poll(loadLockedBy).toEqual([])
    expect(runCount).toBe(1)
    await runner.stop()
  },
)

const times = { lookMs: 20, notReadyMs: 100, endMs: 400 }

test('a worker that ignores due jobs is stuck; one busy with long jobs is not', { timeout: 600_000 }, async () => {
  const gate = Promise.withResolvers<void>()
  let runningCount = 0
  const busyRunner = await keepRunning(log, {
    ...runnerOptions,
    concurrency: 1,
    taskList: {
      long: async () => {
        runningCount += 1
        await gate.promise
      },
    },
  })
  for (const task of ['long', 'long']) await addJob(task)
  await expect.poll(() => runningCount).toBe(1)
  const queueWatch = watchQueue(log, { pool, runners: [busyRunner], times })
  let hasEnded = false
  void queueWatch.stuck.then(() => (hasEnded = true))
  await new Promise((resolve) => setTimeout(resolve, 3 * times.endMs))
  expect([queueWatch.stuckMs(), hasEnded]).toEqual([0, false])
  gate.resolve()
  await expect.poll(loadLockedBy).toEqual([])
  await queueWatch.close()
  await busyRunner.stop()

  // The runner ignores jobs with this flag, like one that has stopped working.
  const unresponsiveRunner = await keepRunning(log, {
    ...runnerOptions,
    concurrency: 1,
    forbiddenFlags: ['deaf'],
    taskList: { left: doNothing },
  })
  await database.pool.query(`select graphile_worker.add_job('left', flags => array['deaf'])`)
  const otherWatch = watchQueue(log, { pool, runners: [unresponsiveRunner], times })
  await expect.poll(() => otherWatch.stuckMs(), { interval: 10 }).toBeGreaterThan(times.notReadyMs)
  await otherWatch.stuck
  expect(otherWatch.stuckMs()).toBeGreaterThanOrEqual(times.endMs)
  await otherWatch.close()
  await unresponsiveRunner.stop()
  await clearJobs()
})

test('a jump of the database clock makes no worker stuck', { timeout: 600_000 }, async () => {
  const runner = { state: () => ({ tasks: ['left'], started: 0, isFull: false }), stop: () => Promise.resolve() }
  let hours = 0
  const clock = {
    query: async (text: string) => {
      if (!text.includes('clock_timestamp')) return { rows: [] }
      hours += 1
      return { rows: [{ now: new Date(hours * 3_600_000), due: ['left'] }] }
    },
  }
  const queueWatch = watchQueue(log, { pool: clock as never, runners: [runner], times: { ...times, endMs: 2000 } })
  let hasEnded = false
  void queueWatch.stuck.then(() => (hasEnded = true))
  await expect.poll(() => hours, { interval: 5 }).toBeGreaterThan(3)
  expect(hasEnded).toBe(false)
  await queueWatch.close()
})
