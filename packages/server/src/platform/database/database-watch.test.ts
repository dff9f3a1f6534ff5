import pg from 'pg'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '@tern/testkit/database'
import { startWire } from '@tern/testkit/wire'
import { createDatabaseWatch, type DatabaseWatch } from './database-watch.ts'

let database: TestDatabase
let wire: Awaited<ReturnType<typeof startWire>>
let pool: pg.Pool
let watch: DatabaseWatch
let logged: string[]
beforeAll(async () => {
  database = await createTestDatabase()
  wire = await startWire(database.url)
  pool = new pg.Pool({ connectionString: wire.url, max: 4, connectionTimeoutMillis: 6000 })
  pool.on('error', () => {})
  const write = (_details: object, message: string) => void logged.push(message)
  watch = createDatabaseWatch({ databaseUrl: wire.url, pool, log: { warn: write, error: write }, cutAfterMs: 1000 })
})
beforeEach(() => {
  logged = []
})
afterAll(async () => {
  await watch.close()
  await pool.end()
  wire.cut()
  await database.drop()
})

const isAway = () => watch.awayBecause() !== undefined

test('an outage is noticed at once, reported to waiting callers, logged once, and ends by itself', async () => {
  await noticeOutage()
  // The fastest of three attempts, to discount other load.
  const times = [await backAfter()]
  while (times.length < 3 && !times.some((time) => time < 2000)) {
    wire.cut()
    await expect.poll(isAway, { interval: 5 }).toBe(true)
    times.push(await backAfter())
  }
  expect(Math.min(...times)).toBeLessThan(2000)
  expect((await watch.whileThere(() => pool.query('select 1'))).rowCount).toBe(1)
  expect(logged.slice(0, 2)).toEqual(['the database does not answer', 'the database answers again'])
  expect(logged).toHaveLength(2 * times.length)
})

/** Restores the connection; returns the milliseconds until the database is available. */
async function backAfter(): Promise<number> {
  await wire.mend()
  const startedAt = performance.now()
  await expect.poll(isAway, { interval: 5 }).toBe(false)
  return performance.now() - startedAt
}

async function noticeOutage(): Promise<void> {
  const waiting = watch.whileThere(() => pool.query('select pg_sleep(60)')).catch((error: unknown) => error)
  await watch.whileThere(() => pool.query('select 1'))
  wire.cut()
  await expect.poll(isAway, { interval: 5 }).toBe(true)
  await waiting
  for (let calls = 0; calls < 50; calls += 1) {
    await expect(watch.whileThere(() => pool.query('select 1'))).rejects.toMatchObject({ code: 'service_unavailable' })
    watch.noteFailure(new Error('Connection terminated'))
  }
}

test('one lost connection is not an outage', async () => {
  await database.pool.query(
    `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'tern watch' and datname = current_database()`,
  )
  const watching = () =>
    database.pool
      .query(`select from pg_stat_activity where application_name = 'tern watch' and datname = current_database()`)
      .then(({ rowCount }) => rowCount)
  await expect.poll(watching).toBe(1)
  expect(isAway()).toBe(false)
  expect(logged).toEqual([])
})

test('silence is noticed within seconds; silent connections are cut, so that no call waits forever', async () => {
  const held = await pool.connect()
  held.on('error', () => {})
  wire.silence(true)
  const startedAt = performance.now()
  const stuck = held.query('select 1').catch((error: Error) => error.message)
  await expect(watch.whileThere(() => pool.query('select 1'))).rejects.toMatchObject({ code: 'service_unavailable' })
  expect(performance.now() - startedAt).toBeLessThan(8000)
  expect(await stuck).toContain('Connection terminated')
  held.release(true)
  wire.silence(false)
  const heardAgainAt = performance.now()
  // Silenced connections stay silent, as with a dead host: only new connections work.
  await expect.poll(isAway, { interval: 5 }).toBe(false)
  expect(performance.now() - heardAgainAt).toBeLessThan(5000)
  expect((await pool.query('select 1')).rowCount).toBe(1)
})

test('failures while the database is reachable are logged only occasionally', () => {
  for (let calls = 0; calls < 50; calls += 1) watch.noteFailure(new Error('Query read timeout'))
  expect(logged).toEqual(['calls failed for want of the database'])
})
