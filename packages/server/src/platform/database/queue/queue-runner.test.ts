import { afterAll, expect, test } from 'vitest'
import { createTestDatabase } from '@tern/testkit/database'
import { startDatabaseProxy } from '@tern/testkit/database-proxy'
import { connectQueue } from './queue-pool.ts'
import { keepRunning } from './queue-runner.ts'

const database = await createTestDatabase()
const proxy = await startDatabaseProxy(database.url)
const pool = connectQueue(proxy.url)

afterAll(async () => {
  await pool.end()
  proxy.disconnect()
  await database.drop()
})

const doNothing = () => {}
const addJob = (task: string) => database.pool.query('select graphile_worker.add_job($1)', [task])

test('a runner that loses its database at the end of a job records that end later and continues', async () => {
  const gate = Promise.withResolvers<void>()
  let slowCount = 0
  let quickCount = 0
  const warnings: string[] = []
  const log = {
    error: doNothing,
    debug: doNothing,
    trace: doNothing,
    warn: (text: unknown) => void warnings.push(String(text)),
  }
  const runner = await keepRunning(log, {
    pgPool: pool,
    noHandleSignals: true,
    concurrency: 2,
    pollInterval: 200,
    parsedCronItems: [],
    taskList: {
      slow: async () => {
        slowCount += 1
        await gate.promise
      },
      quick: () => void (quickCount += 1),
    },
  })
  await addJob('slow')
  await expect.poll(() => slowCount, { interval: 10 }).toBe(1)
  proxy.disconnect()
  gate.resolve()
  await proxy.reconnect()
  await addJob('quick')
  await expect.poll(() => quickCount, { interval: 10 }).toBe(1)
  const countJobs = async () => (await database.pool.query('select from graphile_worker.jobs')).rowCount
  await expect.poll(countJobs, { interval: 10, timeout: 120_000 }).toBe(0)
  expect({ slow: slowCount, warnings }).toEqual({ slow: 1, warnings: [] })
  await runner.stop()
})

test('a runner that stops is replaced', async () => {
  let quickCount = 0
  const warnings: string[] = []
  const log = {
    error: doNothing,
    debug: doNothing,
    trace: doNothing,
    warn: (text: unknown) => void warnings.push(String(text)),
  }
  const runner = await keepRunning(log, {
    pgPool: pool,
    noHandleSignals: true,
    concurrency: 2,
    pollInterval: 200,
    parsedCronItems: [],
    taskList: {
      // PostgreSQL cannot store this reason.
      broken: () => Promise.reject(new Error('\u0000')),
      quick: () => void (quickCount += 1),
    },
  })
  await addJob('broken')
  await expect.poll(() => warnings.length, { interval: 10, timeout: 120_000 }).toBeGreaterThan(0)
  await addJob('quick')
  await expect.poll(() => quickCount, { interval: 10, timeout: 120_000 }).toBe(1)
  await runner.stop()
})
