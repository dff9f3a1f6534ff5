import { randomUUID } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import { createClient } from '@tern/contract/protocol/client'
import type { UserEvent } from '@tern/contract/events'
import { sendMoney } from '@tern/contract/transfers'
import pg from 'pg'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { temporaryFolder } from '@tern/testkit/temporary-folder'
import { choosePort, startTestApp, type TestApp, type TestPerson } from '@tern/testkit/app'
import { removeDataFolder } from '@tern/testkit/database-server'
import { type App, createApp } from '../../app.ts'
import { readConfig } from '../runtime/config.ts'
import { connect } from '../database/db.ts'
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../database/embedded-postgres.ts'
import { migrate } from '../../commands/migrate/migrate.ts'

// With `synchronous_commit = on`, a commit waits for a standby that does not exist; other commits do not.
const settings = {
  fsync: 'off',
  full_page_writes: 'off',
  synchronous_standby_names: 'nobody',
  synchronous_commit: 'local',
}

let world: TestApp
let alice: TestPerson
let bruno: TestPerson
let dataDir: string
let server: EmbeddedPostgres
let restoredApp: App
let restoredUrl: string
let pool: pg.Pool
/** Bruno's last stream position, and ids of sends before and after it. */
let lastPosition: string
let oldIds: string[]
let deliveredId: string
let missedId: string

beforeAll(async () => {
  world = await startTestApp()
  alice = await world.enroll('alice', 'United States')
  bruno = await world.enroll('bruno', 'Germany')
  await world.fund(alice, 100_000)
  oldIds = []
  for (let count = 0; count < 5; count++) oldIds.push(await send(alice, world.url))
  deliveredId = await send(alice, world.url)
  const stream = openStream(bruno, world.url)
  lastPosition = await vi.waitFor(() => stream.ids.at(-1) ?? expect.fail('no position yet'), { timeout: 120_000 })
  stream.close()
  missedId = await send(alice, world.url)

  dataDir = fs.mkdtempSync(path.join(temporaryFolder(), `tern-test-${process.pid}-restore-`))
  fs.chmodSync(dataDir, 0o755)
  server = await startEmbeddedPostgres({ dataDir, settings })
  pool = connect(server.url)
  await migrate(server.url)
  await copyRows(world.database.pool, server.url)
  // Simulates a source cluster with higher transaction numbers, and old data.
  await pool.query(
    `alter table transaction disable trigger user;
     update transaction set xid = (xid::text::bigint + 1000000)::text::xid8;
     update transaction set id = ('00000000' || substr(id::text, 9))::uuid where id = any('{${oldIds.join(',')}}');
     alter table transaction enable trigger user`,
  )
  await migrate(server.url)
  const port = await choosePort()
  const config = readConfig({
    PORT: String(port),
    SANDBOX_URL: world.sandboxUrl,
    SANDBOX_SECRET: world.sandboxSecret,
    TERN_SECRET: world.secret,
    PUBLIC_URL: world.url,
    LOG_LEVEL: 'fatal',
  })
  restoredApp = await createApp(config, server.url)
  await restoredApp.http.listen({ port, host: '::' })
  restoredApp.setReady()
  restoredUrl = `http://localhost:${port}`
})
afterAll(async () => {
  await restoredApp?.close()
  await pool?.end()
  await world?.close()
  await removeDataFolder(dataDir)
})

async function copyRows(from: pg.Pool, toUrl: string): Promise<void> {
  const to = new pg.Client({ connectionString: toUrl })
  await to.connect()
  const { rows: tables } = await from.query<{ name: string; columns: string }>(
    `select c.oid::regclass::text as name,
            (select string_agg(quote_ident(attname), ', ' order by attnum) from pg_attribute
              where attrelid = c.oid and attnum > 0 and not attisdropped and attgenerated = '') as columns
       from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where c.relkind = 'r' and n.nspname in ('public', 'ledger') and c.relname <> 'schema_migration'`,
  )
  await to.query('begin; set local session_replication_role = replica')
  for (const { name, columns } of tables) {
    const { rows } = await from.query<{ all: string }>(`select coalesce(json_agg(t), '[]')::text as all from ${name} t`)
    await to.query(`delete from ${name}`)
    await to.query(
      `insert into ${name} (${columns}) overriding system value
       select ${columns} from json_populate_recordset(null::${name}, $1::json)`,
      [rows[0]!.all],
    )
  }
  await to.query('commit')
  await to.query(`select setval(pg_get_serial_sequence('ledger.account', 'id'), max(id)) from ledger.account`)
  await to.end()
}

const send = async ({ token }: TestPerson, url: string): Promise<string> => {
  const { call } = createClient({ baseUrl: `${url}/api`, accessToken: () => token, timeoutMs: 20_000 })
  const body = { recipient_id: bruno.id, amount: '1.00', source_currency: 'USD' } as const
  return (await call(sendMoney, { body, idempotencyKey: randomUUID() })).transaction_id
}

function openStream({ token }: TestPerson, url: string, lastEventId?: string) {
  const abort = new AbortController()
  const events: UserEvent[] = []
  const ids: string[] = []
  void (async () => {
    const headers = { authorization: `Bearer ${token}`, ...(lastEventId && { 'last-event-id': lastEventId }) }
    const response = await fetch(`${url}/api/events`, { headers, signal: abort.signal })
    expect(response.status).toBe(200)
    let bufferedText = ''
    for await (const chunk of response.body!) {
      const blocks = (bufferedText + Buffer.from(chunk).toString()).split('\n\n')
      bufferedText = blocks.pop()!
      for (const block of blocks) {
        const id = /^id: (.*)$/m.exec(block)?.[1]
        const data = /^data: (.*)$/m.exec(block)?.[1]
        if (id !== undefined) ids.push(id)
        if (data !== undefined) events.push(JSON.parse(data) as UserEvent)
      }
    }
  })().catch((error: unknown) => {
    if (!abort.signal.aborted) throw error
  })
  const listTransactionIds = () =>
    events.flatMap((event) => (event.type === 'transaction' ? [event.transaction.id] : []))
  return { events, ids, listTransactionIds, close: () => abort.abort() }
}

test('a position from before the restore returns what was missed and requests a full reload, not a whole history', async () => {
  const stream = openStream(bruno, restoredUrl, lastPosition)
  await expect.poll(() => stream.events.at(-1)?.type).toBe('balance')
  // Transactions delivered a few minutes before may repeat.
  expect(stream.listTransactionIds()).toEqual(expect.arrayContaining([deliveredId, missedId]))
  expect(stream.listTransactionIds()).toHaveLength(2)
  expect(stream.events.map(({ type }) => type)).toContain('refetch')
  const laterId = await send(alice, restoredUrl)
  await expect.poll(stream.listTransactionIds).toContain(laterId)
  stream.close()
})

test('a stream begun after the restore gets only new events, at once and on resuming', async () => {
  const stream = openStream(bruno, restoredUrl)
  await expect.poll(() => stream.ids.length).toBeGreaterThan(0)
  const first = await send(alice, restoredUrl)
  await expect.poll(stream.listTransactionIds).toEqual([first])
  const position = stream.ids.at(-1)!
  stream.close()
  const missedId = await send(alice, restoredUrl)
  const resumedStream = openStream(bruno, restoredUrl, position)
  await expect.poll(resumedStream.listTransactionIds).toContain(missedId)
  expect(resumedStream.listTransactionIds().filter((id) => id !== first)).toEqual([missedId])
  expect(resumedStream.events.map(({ type }) => type)).not.toContain('refetch')
  resumedStream.close()
})

/** Holds the NOTIFY lock with an unfinished commit until the returned function is called. */
async function blockNotifications(): Promise<() => Promise<void>> {
  const blockingClient = new pg.Client({ connectionString: server.url, application_name: 'frozen' })
  blockingClient.on('error', () => {})
  await blockingClient.connect()
  await blockingClient.query('set synchronous_commit = on')
  // A transaction that writes nothing would not wait for the standby.
  const blockingQuery = blockingClient
    .query(`begin; create table held (); select pg_notify('frozen', ''); commit`)
    .catch(() => {})
  const blockedSql = `select from pg_stat_activity where application_name = 'frozen' and wait_event = 'SyncRep'`
  await expect.poll(async () => (await pool.query(blockedSql)).rowCount).toBe(1)
  return async () => {
    await pool.query(`select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'frozen'`)
    await blockingQuery
  }
}

test('money moves and streams are notified while a frozen backend holds the NOTIFY lock', async () => {
  const stream = openStream(bruno, restoredUrl)
  await expect.poll(() => stream.ids.length).toBeGreaterThan(0)
  const unblock = await blockNotifications()
  try {
    const id = await send(alice, restoredUrl)
    await expect.poll(stream.listTransactionIds).toContain(id)
    const notify = `begin; set local lock_timeout = 100; select pg_notify('x', ''); commit`
    await expect(pool.query(notify), 'the lock was held all the time').rejects.toThrow('lock timeout')
  } finally {
    await unblock()
    stream.close()
  }
})
