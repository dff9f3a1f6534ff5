import { once } from 'node:events'
import net from 'node:net'
import { LedgerError } from '@tern/ledger/ledger'
import pg from 'pg'
import { afterAll, describe, expect, test } from 'vitest'
import { createTestDatabase } from '@tern/testkit/database'
import { isDatabaseUnavailable, describeError } from './database-errors.ts'
import { connect } from './db.ts'
import { Refusal } from '../refuse.ts'

const database = await createTestDatabase()
afterAll(() => database.drop())
const { pool } = database

/** System port on which nothing listens in tests. */
const unusedPort = 2

const catchError = (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    () => 'no error',
    (error: unknown) => error,
  )

describe('treats as temporarily unavailable', () => {
  test('a refused connection', async () => {
    for (const host of ['127.0.0.1', 'localhost']) {
      const error = await catchError(connect(`postgres://tern@${host}:${unusedPort}/tern`).query('select 1'))
      expect(isDatabaseUnavailable(error), describeError(error)).toBe(true)
      expect(describeError(error)).toContain('ECONNREFUSED')
    }
  })

  test('an unresolvable host', async () => {
    const error = await catchError(connect('postgres://tern@database.invalid/tern').query('select 1'))
    expect(isDatabaseUnavailable(error), describeError(error)).toBe(true)
  })

  test('a server that is silent or hangs up', async () => {
    const unansweringServer = net.createServer((socket) => socket.on('error', () => {})).listen(0, '127.0.0.1')
    const disconnectingServer = net.createServer((socket) => socket.destroy()).listen(0, '127.0.0.1')
    for (const server of [unansweringServer, disconnectingServer]) {
      if (!server.listening) await once(server, 'listening')
      const { port } = server.address() as net.AddressInfo
      const connectionString = `postgres://tern@127.0.0.1:${port}/tern`
      const impatientPool = new pg.Pool({ connectionString, connectionTimeoutMillis: 100 })
      const singleClient = new pg.Client({ connectionString, connectionTimeoutMillis: 100 })
      singleClient.on('error', () => {})
      for (const error of [
        await catchError(impatientPool.query('select 1')),
        await catchError(singleClient.connect()),
      ]) {
        expect(isDatabaseUnavailable(error), describeError(error)).toBe(true)
      }
      server.close()
    }
  })

  test('a connection that ends midway, early, or when the pool closes', async () => {
    const client = await pool.connect()
    client.on('error', () => {})
    const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid')
    const interruptedError = catchError(client.query('select pg_sleep(30)'))
    await pool.query('select pg_terminate_backend($1)', [rows[0]?.pid])
    const nextError = catchError(client.query('select 1'))
    for (const error of [await interruptedError, await nextError])
      expect(isDatabaseUnavailable(error), describeError(error)).toBe(true)
    client.release(true)
    const closedPool = connect(database.url)
    await closedPool.end()
    expect(isDatabaseUnavailable(await catchError(closedPool.query('select 1')))).toBe(true)
  })

  test('exhausted connections, in the pool or on the server', async () => {
    const fullPool = new pg.Pool({ connectionString: database.url, max: 1 })
    const connection = await fullPool.connect()
    fullPool.options.connectionTimeoutMillis = 50
    expect(isDatabaseUnavailable(await catchError(fullPool.query('select 1')))).toBe(true)
    connection.release()
    await fullPool.end()
    const raisedError = await catchError(
      pool.query(`do $$ begin raise exception 'sorry' using errcode = '53300'; end $$`),
    )
    expect(isDatabaseUnavailable(raisedError)).toBe(true)
  })

  test('a statement that waits too long for a lock or runs too long', async () => {
    const holder = await pool.connect()
    const waiter = await pool.connect()
    await holder.query('begin; lock table rate_limit')
    await waiter.query('set lock_timeout = 20')
    expect(isDatabaseUnavailable(await catchError(waiter.query('select from rate_limit')))).toBe(true)
    await holder.query('rollback')
    await waiter.query('set statement_timeout = 20')
    expect(isDatabaseUnavailable(await catchError(waiter.query('select pg_sleep(5)')))).toBe(true)
    const impatientPool = new pg.Pool({ connectionString: database.url, max: 1, query_timeout: 20 })
    impatientPool.on('connect', (client) => client.on('error', () => {}))
    expect(isDatabaseUnavailable(await catchError(impatientPool.query('select pg_sleep(1)')))).toBe(true)
    await impatientPool.end()
    holder.release(true)
    waiter.release(true)
  })

  test.each(['57P01', '57P02', '57P03', '08006', '40001', '40P01', '25006', '53100', '58030'])('%s', async (state) => {
    const raisedError = await catchError(
      pool.query(`do $$ begin raise exception 'sorry' using errcode = '${state}'; end $$`),
    )
    expect(isDatabaseUnavailable(raisedError)).toBe(true)
    expect(describeError(raisedError)).toBe(`${state}: sorry`)
  })

  test("the ledger's own error", () => {
    expect(isDatabaseUnavailable(new LedgerError('unavailable', 'gone'))).toBe(true)
    expect(isDatabaseUnavailable(new LedgerError('conflict', 'again'))).toBe(true)
  })
})

describe('treats as permanent', () => {
  test.each(['select 1/0', 'select nonsense', 'selec', `insert into rate_limit values (null)`, `select 'x'::int`])(
    '%s',
    async (statement) => {
      expect(isDatabaseUnavailable(await catchError(pool.query(statement)))).toBe(false)
    },
  )

  test('errors unrelated to the database', async () => {
    const errors = [
      new Error('anything'),
      new TypeError('undefined is not a function'),
      new Refusal('not_found'),
      new LedgerError('malformed_movement', 'x'),
      new LedgerError('history_is_kept', 'x'),
      new AggregateError([]),
      await catchError(fetch(`http://127.0.0.1:${unusedPort}`)),
      'a text',
      undefined,
    ]
    for (const error of errors) expect(isDatabaseUnavailable(error), describeError(error)).toBe(false)
  })
})
