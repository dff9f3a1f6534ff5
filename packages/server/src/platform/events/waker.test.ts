import pg from 'pg'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '@tern/testkit/database'
import { createWaker, type Waker, wakeChannel } from './waker.ts'

let database: TestDatabase
let listener: pg.Client
let payloads: string[]
let warnings: string[]
let waker: Waker
let otherWaker: Waker

const log = { warn: (_details: object, message: string) => void warnings.push(message) }

beforeAll(async () => {
  database = await createTestDatabase()
  listener = new pg.Client({ connectionString: database.url })
  await listener.connect()
  await listener.query(`listen ${wakeChannel}`)
  listener.on('notification', ({ payload }) => payloads.push(payload ?? ''))
})
afterAll(async () => {
  await listener.end()
  await database.drop()
})
beforeEach(() => {
  payloads = []
  warnings = []
  waker = createWaker({ databaseUrl: database.url, log })
  otherWaker = createWaker({ databaseUrl: database.url, log })
})
afterEach(async () => {
  await waker.close()
  await otherWaker.close()
})

const parseUserIds = (waker: Waker) => payloads.flatMap((payload) => waker.parseUserIds(payload))

const endConnections = () =>
  database.pool.query(
    `select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and application_name = 'tern wake'`,
  )

test('no database function raises NOTIFY, which would join the calling transaction', async () => {
  const { rows } = await database.pool.query(
    `select proname from pg_proc where prosrc ilike '%pg_notify%' and pronamespace in ('public'::regnamespace, 'ledger'::regnamespace)`,
  )
  expect(rows).toEqual([])
})

describe('a waker', () => {
  test('wakes its own process at once and others by one notification, which its own ignores', async () => {
    const wokenIds: bigint[] = []
    const stop = waker.onWake((userIds) => wokenIds.push(...userIds))
    waker.wake([1n, 2n, 1n])
    expect(wokenIds).toEqual([1n, 2n])
    await expect.poll(() => parseUserIds(otherWaker)).toEqual([1n, 2n])
    expect(parseUserIds(waker)).toEqual([])
    stop()
    waker.wake([3n])
    await expect.poll(() => parseUserIds(otherWaker)).toEqual([1n, 2n, 3n])
    expect(wokenIds).toEqual([1n, 2n])
  })

  test('understands the earlier payload, which names only users', () => {
    expect(waker.parseUserIds('12,13')).toEqual([12n, 13n])
    expect(waker.parseUserIds('')).toEqual([])
  })

  test('batches changes during a notification, naming each user once', async () => {
    for (let batch = 0; batch < 500; batch++) waker.wake([7n, 8n, BigInt(100 + (batch % 5))])
    await expect.poll(() => new Set(parseUserIds(otherWaker)).size).toBe(7)
    // The first call is sent at once, all others with the second notification.
    expect(payloads.length).toBeLessThanOrEqual(2)
    expect(parseUserIds(otherWaker).length).toBeLessThanOrEqual(10)
  })

  test('splits any number of users into payloads PostgreSQL accepts', async () => {
    const userIds = Array.from({ length: 2000 }, (_, index) => 9_000_000_000_000_000_000n + BigInt(index))
    waker.wake(userIds)
    await expect.poll(() => parseUserIds(otherWaker).length).toBe(userIds.length)
    expect(new Set(parseUserIds(otherWaker))).toEqual(new Set(userIds))
    expect(payloads.every((payload) => payload.length < 8000)).toBe(true)
    expect(warnings).toEqual([])
  })

  test('reconnects', async () => {
    waker.wake([1n])
    await expect.poll(() => parseUserIds(otherWaker)).toEqual([1n])
    await endConnections()
    waker.wake([2n])
    await expect.poll(() => parseUserIds(otherWaker)).toEqual([1n, 2n])
    expect(warnings.length).toBeLessThanOrEqual(1)
  })

  test('logs a failed notification once, and does not throw', async () => {
    const unreachableUrl = new URL(database.url)
    unreachableUrl.port = '1'
    const disconnectedWaker = createWaker({ databaseUrl: unreachableUrl.href, log })
    const wokenIds: bigint[] = []
    disconnectedWaker.onWake((userIds) => wokenIds.push(...userIds))
    for (let count = 0; count < 50; count++) disconnectedWaker.wake([BigInt(count)])
    await expect.poll(() => warnings).toHaveLength(1)
    expect(wokenIds).toHaveLength(50)
    await disconnectedWaker.close()
    expect(warnings).toHaveLength(1)
  })

  test('sends pending notifications before closing', async () => {
    waker.wake([1n])
    waker.wake([2n])
    await waker.close()
    await listener.query('select 1')
    expect(parseUserIds(otherWaker)).toEqual([1n, 2n])
  })
})
