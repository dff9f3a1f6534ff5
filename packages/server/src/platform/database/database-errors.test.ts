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
const nobodysPort = 2

const errorOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => 'no error',
    (error: unknown) => error,
  )

describe('treats as temporarily unavailable', () => {
  test('a refused connection', async () => {
    for (const host of ['127.0.0.1', 'localhost']) {
      const error = await errorOf(connect(`postgres://tern@${host}:${nobodysPort}/tern`).query('select 1'))
      expect(isDatabaseUnavailable(error), describeError(error)).toBe(true)
      expect(describeError(error)).toContain('ECONNREFUSED')
    }
  })

  test('an unresolvable host', async () => {
    const error = await errorOf(connect('postgres://tern@database.invalid/tern').query('select 1'))
    expect(isDatabaseUnavailable(error), describeError(error)).toBe(true)
  })

  test('a server that is silent or hangs up', async () => {
    const mute = net.createServer((socket) => socket.on('error', () => {})).listen(0, '127.0.0.1')
    const rude = net.createServer((socket) => socket.destroy()).listen(0, '127.0.0.1')
    for (const server of [mute, rude]) {
      if (!server.listening) await once(server, 'listening')
      const { port } = server.address() as net.AddressInfo
      const connectionString = `postgres://tern@127.0.0.1:${port}/tern`
      const hasty = new pg.Pool({ connectionString, connectionTimeoutMillis: 100 })
      const single = new pg.Client({ connectionString, connectionTimeoutMillis: 100 })
      single.on('error', () => {})
      for (const error of [await errorOf(hasty.query('select 1')), await errorOf(single.connect())]) {
        expect(isDatabaseUnavailable(error), describeError(error)).toBe(true)
      }
      server.close()
    }
  })

  test('a connection that ends midway, early, or when the pool closes', async () => {
    const client = await pool.connect()
    client.on('error', () => {})
    const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid')
    const cut = errorOf(client.query('select pg_sleep(30)'))
    await pool.query('select pg_terminate_backend($1)', [rows[0]?.pid])
    const afterwards = errorOf(client.query('select 1'))
    for (const error of [await cut, await afterwards])
      expect(isDatabaseUnavailable(error), describeError(error)).toBe(true)
    client.release(true)
    const closed = connect(database.url)
    await closed.end()
    expect(isDatabaseUnavailable(await errorOf(closed.query('select 1')))).toBe(true)
  })

  test('exhausted connections, in the pool or on the server', async () => {
    const full = new pg.Pool({ connectionString: database.url, max: 1 })
    const held = await full.connect()
    full.options.connectionTimeoutMillis = 50
    expect(isDatabaseUnavailable(await errorOf(full.query('select 1')))).toBe(true)
    held.release()
    await full.end()
    const raised = await errorOf(pool.query(`do $$ begin raise exception 'sorry' using errcode = '53300'; end $$`))
    expect(isDatabaseUnavailable(raised)).toBe(true)
  })

  test('a statement that waits too long for a lock or runs too long', async () => {
    const holder = await pool.connect()
    const waiter = await pool.connect()
    await holder.query('begin; lock table rate_limit')
    await waiter.query('set lock_timeout = 20')
    expect(isDatabaseUnavailable(await errorOf(waiter.query('select from rate_limit')))).toBe(true)
    await holder.query('rollback')
    await waiter.query('set statement_timeout = 20')
    expect(isDatabaseUnavailable(await errorOf(waiter.query('select pg_sleep(5)')))).toBe(true)
    const impatient = new pg.Pool({ connectionString: database.url, max: 1, query_timeout: 20 })
    impatient.on('connect', (client) => client.on('error', () => {}))
    expect(isDatabaseUnavailable(await errorOf(impatient.query('select pg_sleep(1)')))).toBe(true)
    await impatient.end()
    holder.release(true)
    waiter.release(true)
  })

  test.each(['57P01', '57P02', '57P03', '08006', '40001', '40P01', '25006', '53100', '58030'])('%s', async (state) => {
    const raised = await errorOf(pool.query(`do $$ begin raise exception 'sorry' using errcode = '${state}'; end $$`))
    expect(isDatabaseUnavailable(raised)).toBe(true)
    expect(describeError(raised)).toBe(`${state}: sorry`)
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
      expect(isDatabaseUnavailable(await errorOf(pool.query(statement)))).toBe(false)
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
      await errorOf(fetch(`http://127.0.0.1:${nobodysPort}`)),
      'a text',
      undefined,
    ]
    for (const error of errors) expect(isDatabaseUnavailable(error), describeError(error)).toBe(false)
  })
})
