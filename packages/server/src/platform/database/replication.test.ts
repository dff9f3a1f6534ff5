// Synchronous replication on a server whose only standby does not exist: no commit may be acknowledged.

import { afterAll, beforeAll, expect, test } from 'vitest'
import { createDataFolder, removeDataFolder } from '@tern/testkit/database-server'
import { createBarePoster, leg, movement, openBank } from '../../../../ledger/test/bank.ts'
import { migrate } from '../../commands/migrate/migrate.ts'
import { isDatabaseUnavailable } from './database-errors.ts'
import { connect, transact } from './db.ts'
import { type EmbeddedPostgres, startEmbeddedPostgres } from './embedded-postgres.ts'

let dataDir: string
let server: EmbeddedPostgres
let pool: ReturnType<typeof connect>

// Connections of the test do not wait for the standby; those of the code under test do.
const settings = { synchronous_commit: 'local', fsync: 'off' }

beforeAll(async () => {
  dataDir = createDataFolder('test')
  server = await startEmbeddedPostgres({ dataDir, settings })
  await migrate(server.url)
  pool = connect(server.url)
})
afterAll(async () => {
  await pool.end()
  await removeDataFolder(dataDir)
})

/** Names the standby that has to confirm commits; none if empty. */
async function requireStandby(name: string): Promise<void> {
  await pool.query(`alter system set synchronous_standby_names = '${name}'`)
  await pool.query('select pg_reload_conf()')
  const read = async () => (await pool.query('show synchronous_standby_names')).rows
  await expect.poll(read).toEqual([{ synchronous_standby_names: name }])
}

/** Returns the pid of another connection than `earlier` whose commit waits for a standby, once there is one. */
async function findWaiting(query: string, earlier = 0): Promise<number> {
  const text = `select pid from pg_stat_activity where wait_event = 'SyncRep' and query ilike $1 and pid <> $2`
  const poll = async () => (await pool.query<{ pid: number }>(text, [`%${query}%`, earlier])).rows[0]?.pid
  await expect.poll(poll, { timeout: 30_000 }).toBeDefined()
  return (await poll()) ?? expect.fail('it no longer waits')
}

test('a commit whose wait for a standby was cancelled fails, and counts as unavailable', async () => {
  await requireStandby('nobody')
  const failure = transact(pool, async (tx) => {
    await tx.query('set local synchronous_commit = on; create table unreplicated ()')
  }).catch((error: unknown) => error)
  await pool.query('select pg_cancel_backend($1)', [await findWaiting('commit')])
  const error = await failure
  expect(error).toMatchObject({ code: '40003' })
  expect(isDatabaseUnavailable(error)).toBe(true)
  // It is in this database nevertheless, which only another request can find out.
  const { rows } = await pool.query<{ found: boolean }>(`select to_regclass('unreplicated') is not null as found`)
  expect(rows).toEqual([{ found: true }])
})

test('neither a movement nor its repetition is acknowledged before a standby has it', async () => {
  await requireStandby('')
  const bank = await openBank(pool)
  const [from, to] = [await bank.wallet(100n), await bank.wallet()]
  const url = new URL(server.url)
  url.searchParams.set('options', '-c synchronous_commit=on')
  const poster = createBarePoster(url.href, undefined, { patienceMs: 120_000 })
  // Opens the connection of the poster, which also writes.
  expect(await poster.post(movement([leg(from, to, 1n)]))).toEqual({ status: 'posted' })
  await requireStandby('nobody')
  let outcome: object | undefined
  const posted = poster.post(movement([leg(from, to, 10n)])).then((result) => (outcome = result))
  const first = await findWaiting('ledger.post')
  await pool.query('select pg_cancel_backend($1)', [first])
  // The poster sends the batch again on another connection, finds it, and waits again instead of answering.
  await findWaiting('ledger.post', first)
  expect(await bank.balance(to)).toBe(11n)
  expect(outcome).toBeUndefined()
  await requireStandby('')
  await posted
  expect(outcome).toEqual({ status: 'replayed' })
  expect(await bank.balance(to)).toBe(11n)
  await poster.close()
})
