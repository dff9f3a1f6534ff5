// Workers that died, froze or stopped working, beside healthy ones.

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

const silent = () => {}
const log = { error: silent, debug: silent, trace: silent, warn: silent }
const add = (task: string) => database.pool.query('select graphile_worker.add_job($1)', [task])
const clear = () => database.pool.query('delete from graphile_worker._private_jobs')
const lockedBy = async () =>
  (
    await database.pool.query<{ locked_by: string | null }>('select locked_by from graphile_worker._private_jobs')
  ).rows.map((row) => row.locked_by !== null)
const given = { pgPool: pool, noHandleSignals: true, pollInterval: 50, parsedCronItems: [] }

/** Checks for lost jobs this many times; returns the number of pools whose jobs were freed. */
async function look(times: number, missing = new Map<string, number>()): Promise<number> {
  let freed = 0
  for (let count = 0; count < times; count += 1) freed += (await freeLostJobs(pool, missing)).length
  return freed
}

/** Starts a process with a runner that never ends its jobs. */
async function startOther() {
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
  await expect.poll(async () => (await lockedBy()).includes(true), { timeout: 120_000 }).toBe(true)
  const holder = `select from pg_locks where locktype = 'advisory' and mode = 'ShareLock' and granted
    and database = (select oid from pg_database where datname = current_database())`
  await expect.poll(async () => (await database.pool.query(holder)).rowCount, { timeout: 120_000 }).toBe(1)
  return child
}

test(
  'jobs of a killed worker are released at the third check; those of a frozen one are not',
  { timeout: 180_000 },
  async () => {
    await add('endless')
    const child = await startOther()
    expect(await look(5)).toBe(0)
    child.kill('SIGSTOP')
    expect(await look(5), 'it may go on at any moment').toBe(0)
    expect(await lockedBy()).toEqual([true])
    child.kill('SIGKILL')
    await once(child, 'exit')
    const missing = new Map<string, number>()
    await expect.poll(() => look(1, missing).then(() => missing.size)).toBe(1)
    expect(await lockedBy(), 'a worker may have lost its connection only').toEqual([true])
    expect(await look(2, missing)).toBe(1)
    expect(await lockedBy()).toEqual([false])
    await clear()
  },
)

test(
  'a worker whose connection ends keeps its jobs, since it reports again that it is alive',
  { timeout: 120_000 },
  async () => {
    const gate = Promise.withResolvers<void>()
    let runs = 0
    const runner = await keepRunning(log, {
      ...given,
      concurrency: 1,
      taskList: {
        slow: async () => {
          runs += 1
          await gate.promise
        },
      },
    })
    await add('slow')
    await expect.poll(() => runs).toBe(1)
    const missing = new Map<string, number>()
    const isPresent = async () => {
      await freeLostJobs(pool, missing)
      return missing.size === 0
    }
    await expect.poll(isPresent).toBe(true)
    await database.pool.query(
      `select pg_terminate_backend(pid) from pg_locks where locktype = 'advisory' and mode = 'ShareLock'
      and database = (select oid from pg_database where datname = current_database())`,
    )
    await expect.poll(isPresent, { interval: 200, timeout: 120_000 }).toBe(true)
    gate.resolve()
    await expect.poll(lockedBy).toEqual([])
    expect(runs).toBe(1)
    await runner.stop()
  },
)

const times = { lookMs: 20, notReadyMs: 100, endMs: 400 }

test('a worker that ignores due jobs is stuck; one busy with long jobs is not', { timeout: 600_000 }, async () => {
  const gate = Promise.withResolvers<void>()
  let running = 0
  const busy = await keepRunning(log, {
    ...given,
    concurrency: 1,
    taskList: {
      long: async () => {
        running += 1
        await gate.promise
      },
    },
  })
  for (const task of ['long', 'long']) await add(task)
  await expect.poll(() => running).toBe(1)
  const watch = watchQueue(log, { pool, runners: [busy], times })
  let hasEnded = false
  void watch.stuck.then(() => (hasEnded = true))
  await new Promise((resolve) => setTimeout(resolve, 3 * times.endMs))
  expect([watch.stuckMs(), hasEnded]).toEqual([0, false])
  gate.resolve()
  await expect.poll(lockedBy).toEqual([])
  await watch.close()
  await busy.stop()

  // With this flag it requests no jobs, like a runner that has stopped working.
  const deaf = await keepRunning(log, {
    ...given,
    concurrency: 1,
    forbiddenFlags: ['deaf'],
    taskList: { left: silent },
  })
  await database.pool.query(`select graphile_worker.add_job('left', flags => array['deaf'])`)
  const other = watchQueue(log, { pool, runners: [deaf], times })
  await expect.poll(() => other.stuckMs(), { interval: 10 }).toBeGreaterThan(times.notReadyMs)
  await other.stuck
  expect(other.stuckMs()).toBeGreaterThanOrEqual(times.endMs)
  await other.close()
  await deaf.stop()
  await clear()
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
  const watch = watchQueue(log, { pool: clock as never, runners: [runner], times: { ...times, endMs: 2000 } })
  let hasEnded = false
  void watch.stuck.then(() => (hasEnded = true))
  await expect.poll(() => hours, { interval: 5 }).toBeGreaterThan(3)
  expect(hasEnded).toBe(false)
  await watch.close()
})
