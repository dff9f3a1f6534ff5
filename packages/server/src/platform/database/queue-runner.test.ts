import { afterAll, expect, test } from 'vitest'
import { createTestDatabase } from '../../../../../tools/testing/test-database.ts'
import { startWire } from '../../../../../tools/testing/test-wire.ts'
import { connect } from './db.ts'
import { keepRunning } from './queue-runner.ts'

const database = await createTestDatabase()
const wire = await startWire(database.url)
const pool = connect(wire.url)

afterAll(async () => {
  await pool.end()
  wire.cut()
  await database.drop()
})

test('a runner that ends because the database failed at the end of a job is replaced', async () => {
  const gate = Promise.withResolvers<void>()
  let slow = 0
  let quick = 0
  const warnings: string[] = []
  const silent = () => {}
  const log = { error: silent, debug: silent, trace: silent, warn: (text: unknown) => void warnings.push(String(text)) }
  const runner = await keepRunning(log, {
    pgPool: pool,
    noHandleSignals: true,
    concurrency: 2,
    pollInterval: 200,
    parsedCronItems: [],
    taskList: {
      slow: async () => {
        slow += 1
        await gate.promise
      },
      quick: () => void (quick += 1),
    },
  })
  const add = (task: string) => database.pool.query('select graphile_worker.add_job($1)', [task])
  await add('slow')
  await expect.poll(() => slow, { interval: 10 }).toBe(1)
  wire.cut()
  gate.resolve()
  await expect.poll(() => warnings.length, { interval: 10 }).toBeGreaterThan(0)
  await wire.mend()
  await add('quick')
  await expect.poll(() => quick, { interval: 10 }).toBe(1)
  await runner.stop()
})
