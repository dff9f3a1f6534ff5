import net from 'node:net'
import pg from 'pg'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '@tern/testkit/database'
import { startDatabaseProxy } from '@tern/testkit/database-proxy'
import { createDatabaseWatch, type DatabaseWatch } from './database-watch.ts'

let database: TestDatabase
let proxy: Awaited<ReturnType<typeof startDatabaseProxy>>
let pool: pg.Pool
let watch: DatabaseWatch
let logLines: string[]
beforeAll(async () => {
  database = await createTestDatabase()
  proxy = await startDatabaseProxy(database.url)
  pool = new pg.Pool({ connectionString: proxy.url, max: 4, connectionTimeoutMillis: 6000 })
  pool.on('error', () => {})
  const logLine = (_details: object, message: string) => void logLines.push(message)
  watch = createDatabaseWatch({
    databaseUrl: proxy.url,
    pool,
    log: { warn: logLine, error: logLine },
    cutAfterMs: 1000,
  })
})
beforeEach(() => {
  logLines = []
})
afterAll(async () => {
  await watch.close()
  await pool.end()
  proxy.disconnect()
  await database.drop()
})

const isDisconnected = () => watch.unavailableReason() !== undefined

test('an outage is noticed at once, reported to waiting callers, logged once, and ends by itself', async () => {
  await causeOutage()
  // Takes the fastest of three attempts, to tolerate other load.
  const times = [await measureRecovery()]
  while (times.length < 3 && !times.some((time) => time < 2000)) {
    proxy.disconnect()
    await expect.poll(isDisconnected, { interval: 5 }).toBe(true)
    times.push(await measureRecovery())
  }
  expect(Math.min(...times)).toBeLessThan(2000)
  expect((await watch.whileThere(() => pool.query('select 1'))).rowCount).toBe(1)
  expect(logLines.slice(0, 2)).toEqual(['the database does not answer', 'the database answers again'])
  expect(logLines).toHaveLength(2 * times.length)
})

/** Restores the connection; returns the milliseconds until the database counts as available. */
async function measureRecovery(): Promise<number> {
  await proxy.reconnect()
  const startedAt = performance.now()
  await expect.poll(isDisconnected, { interval: 5 }).toBe(false)
  return performance.now() - startedAt
}

async function causeOutage(): Promise<void> {
  const waitingQuery = watch.whileThere(() => pool.query('select pg_sleep(60)')).catch((error: unknown) => error)
  await watch.whileThere(() => pool.query('select 1'))
  proxy.disconnect()
  await expect.poll(isDisconnected, { interval: 5 }).toBe(true)
  await waitingQuery
  for (let calls = 0; calls < 50; calls += 1) {
    await expect(watch.whileThere(() => pool.query('select 1'))).rejects.toMatchObject({ code: 'service_unavailable' })
    watch.noteFailure(new Error('Connection terminated'))
  }
}

test('a pooler that accepts connections without a server behind it is an outage', async () => {
  let connections = 0
  const pooler = net.createServer((socket) => {
    connections += 1
    socket.on('error', () => {})
    // Answers of pgbouncer: the login succeeds, and the first statement fails.
    socket.once('data', () => {
      socket.write(Buffer.from('R\0\0\0\x08\0\0\0\0Z\0\0\0\x05I', 'latin1'))
      const fields = 'SFATAL\0C08P01\0Mserver login has been failing\0\0'
      const length = Buffer.alloc(4)
      length.writeInt32BE(fields.length + 4)
      socket.once('data', () => socket.end(Buffer.concat([Buffer.from('E'), length, Buffer.from(fields, 'latin1')])))
    })
  })
  await new Promise<void>((resolve) => pooler.listen(0, '127.0.0.1', resolve))
  const { port } = pooler.address() as net.AddressInfo
  const lines: string[] = []
  const log = (_details: object, message: string) => void lines.push(message)
  const poolerWatch = createDatabaseWatch({
    databaseUrl: `postgres://tern@127.0.0.1:${port}/tern`,
    pool,
    log: { warn: log, error: log },
  })
  await expect.poll(() => poolerWatch.unavailableReason()).toContain('server login has been failing')
  const before = connections
  await expect.poll(() => connections).toBeGreaterThan(before + 2)
  expect(lines).toEqual(['the database does not answer'])
  await poolerWatch.close()
  await new Promise((resolve) => pooler.close(resolve))
})

test('one lost connection is not an outage', async () => {
  await database.pool.query(
    `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'tern watch' and datname = current_database()`,
  )
  const countWatchers = () =>
    database.pool
      .query(`select from pg_stat_activity where application_name = 'tern watch' and datname = current_database()`)
      .then(({ rowCount }) => rowCount)
  await expect.poll(countWatchers).toBe(1)
  expect(isDisconnected()).toBe(false)
  expect(logLines).toEqual([])
})

test('silence is noticed within seconds; silent connections are cut, so that no call waits forever', async () => {
  const connection = await pool.connect()
  connection.on('error', () => {})
  proxy.setSilent(true)
  const startedAt = performance.now()
  const stuckQuery = connection.query('select 1').catch((error: Error) => error.message)
  await expect(watch.whileThere(() => pool.query('select 1'))).rejects.toMatchObject({ code: 'service_unavailable' })
  expect(performance.now() - startedAt).toBeLessThan(8000)
  expect(await stuckQuery).toContain('Connection terminated')
  connection.release(true)
  proxy.setSilent(false)
  const recoveredAt = performance.now()
  // The silenced connections stay silent, as with a dead host; only new connections work.
  await expect.poll(isDisconnected, { interval: 5 }).toBe(false)
  expect(performance.now() - recoveredAt).toBeLessThan(5000)
  expect((await pool.query('select 1')).rowCount).toBe(1)
})

test('failures while the database is reachable are logged only occasionally', () => {
  for (let calls = 0; calls < 50; calls += 1) watch.noteFailure(new Error('Query read timeout'))
  expect(logLines).toEqual(['calls failed for want of the database'])
})
