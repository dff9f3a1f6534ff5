// Reads from a standby that streams from the test server, whose replay can be paused.

import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import type { UserEvent } from '@tern/contract/events'
import { logout } from '@tern/contract/identity'
import { ownTransactions } from '@tern/contract/transactions'
import { sendMoney } from '@tern/contract/transfers'
import type pg from 'pg'
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { startTestApp, type TestApp, type TestPerson } from '@tern/testkit/app'
import { createTestDatabase } from '@tern/testkit/database'
import { startDatabaseProxy } from '@tern/testkit/database-proxy'
import { callNode, startNode, type TestNode } from '@tern/testkit/nodes'
import { startStandby, type Standby } from '@tern/testkit/standby'
import { transact } from '../db.ts'
import { isReplica } from './replica-pool.ts'
import { createReplicas } from './replicas.ts'

let standby: Standby
let proxy: Awaited<ReturnType<typeof startDatabaseProxy>>
let world: TestApp
let node: TestNode
let alice: TestPerson
let bob: TestPerson
beforeAll(async () => {
  const database = await createTestDatabase()
  standby = await startStandby()
  proxy = await startDatabaseProxy(standby.url(database.applicationUrl))
  const environment = { REPLICA_DATABASE_URL: proxy.url }
  world = await startTestApp({ database, environment, unconfirmedPayments: 'any' })
  alice = await world.enroll('alice', 'United States')
  bob = await world.enroll('bob', 'United States')
  await world.fund(alice, 10_000)
  node = await startNode(world, { environment })
})
afterAll(async () => {
  await node.close()
  await world.close()
  proxy.disconnect()
  await standby.remove()
})

type Outcome = 'replica' | 'primary' | 'retried'

async function readMetrics(pattern: RegExp): Promise<Record<string, number>> {
  const lines = (await (await world.readAsOperator('/metrics')).text()).split('\n')
  return Object.fromEntries(
    lines.flatMap((line) => {
      const [, label, value] = pattern.exec(line) ?? []
      return label === undefined ? [] : [[label, Number(value)]]
    }),
  )
}

const countReads = () => readMetrics(/^tern_replica_reads_total\{outcome="(\w+)"\} (\d+)/)

/** Returns the result of `work` and the outcomes of its reads. */
async function watchReads<T>(work: () => Promise<T>): Promise<{ result: T; outcomes: Outcome[] }> {
  const before = await countReads()
  const result = await work()
  const after = await countReads()
  const outcomes = (['replica', 'primary', 'retried'] as const).flatMap((outcome) =>
    Array<Outcome>((after[outcome] ?? 0) - (before[outcome] ?? 0)).fill(outcome),
  )
  return { result, outcomes }
}

const list = (person: TestPerson) => person.call(ownTransactions, { query: { limit: '50' } })
const listIds = async (person: TestPerson) => (await list(person)).transactions.map(({ id }) => id)
const listOutcomes = async () => (await watchReads(() => list(alice))).outcomes

/** Waits until lists are read from the replica. */
const untilReplicaIsRead = () => expect.poll(listOutcomes).toEqual(['replica'])

/** Returns the result of `work` once it was read from the replica, which may lag for a moment on a busy machine. */
async function readFromReplica<T>(work: () => Promise<T>): Promise<T> {
  for (;;) {
    const { result, outcomes } = await watchReads(work)
    if (outcomes.includes('replica')) return result
    await delay(20)
  }
}

async function send(amount = '1.00'): Promise<string> {
  const body = { recipient_id: bob.id, amount, source_currency: 'USD', description: 'rent' } as const
  return (await alice.call(sendMoney, { body, idempotencyKey: randomUUID() })).transaction_id
}

beforeEach(async () => {
  await untilReplicaIsRead()
  return () => standby.resumeReplay()
})

test('a list is read from the replica, and the primary only states its position', async () => {
  const querySpy = vi.spyOn(world.app.product.pool, 'query')
  const statementCount = standby.readStatements().length
  await readFromReplica(() => list(alice))
  const texts = querySpy.mock.calls.map(([query]: readonly unknown[]) =>
    typeof query === 'string' ? query : (query as { readonly text: string }).text,
  )
  querySpy.mockRestore()
  expect(texts.some((text) => text.includes('pg_current_wal_flush_lsn'))).toBe(true)
  expect(texts.filter((text) => text.includes('from transaction'))).toEqual([])
  expect(standby.readStatements().slice(statementCount).join('\n')).toContain('begin isolation level repeatable read')
})

test('an act of one’s own is in the next list of every process, even if the replica has not replayed it', async () => {
  await standby.pauseReplay()
  const id = await send()
  const { result, outcomes } = await watchReads(() => listIds(alice))
  expect(result[0]).toBe(id)
  expect(outcomes).toEqual(['primary'])
  const answer = await callNode(node.url, alice, { method: 'GET', path: '/transaction?limit=50' })
  expect(answer.body.transactions[0].id).toBe(id)
  await standby.resumeReplay()
  await untilReplicaIsRead()
})

test('without a pause, each list contains the acts before it, also when the replica answers', async () => {
  const outcomes: Outcome[] = []
  for (let round = 0; round < 20 || !outcomes.includes('replica'); round += 1) {
    const id = await send()
    const own = await watchReads(() => listIds(alice))
    expect(own.result[0]).toBe(id)
    outcomes.push(...own.outcomes)
    const answer = await callNode(node.url, bob, { method: 'GET', path: '/transaction?limit=1' })
    expect(answer.body.total).toBe((await list(bob)).total)
  }
})

test('a list that is fetched because of an event contains what the event announced', async () => {
  const abort = new AbortController()
  const headers = { authorization: `Bearer ${bob.token}` }
  const response = await fetch(`${node.url}/api/events`, { headers, signal: abort.signal })
  const decoder = new TextDecoder()
  const reader = response.body?.getReader()
  let text = ''
  const listEvents = () =>
    text
      .split('\n')
      .slice(0, -1)
      .filter((line) => line.startsWith('data: {'))
      .map((line) => JSON.parse(line.slice('data: '.length)) as UserEvent)
  const readUntil = async <T>(find: (events: readonly UserEvent[]) => T | undefined): Promise<T> => {
    for (;;) {
      const found = find(listEvents())
      if (found !== undefined) return found
      const piece = await reader?.read()
      if (!piece || piece.done) throw new Error('the stream ended')
      text += decoder.decode(piece.value)
    }
  }
  await readUntil((seen) => seen.find(({ type }) => type === 'balance'))
  await standby.pauseReplay()
  await send('2.00')
  // Events of earlier sends may still arrive.
  const id = await readUntil(
    (seen) =>
      seen
        .flatMap((event) => (event.type === 'transaction' ? [event.transaction] : []))
        .find(({ target_amount: amount }) => amount === '2.00')?.id,
  )
  abort.abort()
  expect((await listIds(bob))[0]).toBe(id)
})

test('pages of a list from different servers neither skip nor repeat a row', async () => {
  for (let round = 0; round < 6; round += 1) await send()
  await untilReplicaIsRead()
  const readPage = (cursor?: string | null) =>
    alice.call(ownTransactions, { query: { limit: '3', ...(cursor ? { cursor } : {}) } })
  const first = await readFromReplica(() => readPage())
  await standby.pauseReplay()
  await send()
  const { result: second, outcomes } = await watchReads(() => readPage(first.next_cursor))
  expect(outcomes).toEqual(['primary'])
  await standby.resumeReplay()
  const third = await readFromReplica(() => readPage(second.next_cursor))
  const pages = [first, second, third].flatMap(({ transactions }) => transactions.map(({ id }) => id))
  expect(pages).toEqual((await listIds(alice)).slice(1, 1 + pages.length))
})

test('a session that ends is refused at once, though the replica still shows it', async () => {
  const carol = await world.enroll('carol', 'United States')
  await untilReplicaIsRead()
  await standby.pauseReplay()
  await carol.call(logout, {})
  expect(await world.raw('GET', '/transaction', { token: carol.token })).toMatchObject({ status: 401 })
})

test('what a replica shows does not enter a cache', async () => {
  const { replicas } = world.app.http
  const { wallets, identity, pool } = world.app.product
  const dora = await world.enroll('dora', 'United States')
  const userId = BigInt(dora.id)
  const readOldName = () =>
    replicas.read(async (db) => {
      if (!isReplica(db)) return undefined
      await standby.pauseReplay()
      await pool.query(`update app_user set username = 'renamed' where id = $1`, [userId])
      identity.forgetUser(userId)
      return (await wallets.findParty(db, userId))?.username
    })
  const oldName = await readFromReplica(readOldName)
  expect(oldName).toBe(dora.username)
  expect((await wallets.findParty(pool, userId))?.username).toBe('renamed')
})

/** Runs `work` until its first run is on the replica; returns the servers of its runs. */
async function listServers(work: (db: pg.Pool) => Promise<void>): Promise<string[]> {
  for (;;) {
    const servers: string[] = []
    await world.app.http.replicas.read((db) => {
      servers.push(isReplica(db) ? 'replica' : 'primary')
      return isReplica(db) ? work(db) : Promise.resolve()
    })
    if (servers.includes('replica')) return servers
    await delay(20)
  }
}

test('a read that replay cancels is repeated on the primary, once', async () => {
  await standby.configure('max_standby_streaming_delay', '0')
  const servers = await listServers((db) =>
    transact(db, async (tx) => {
      await tx.query('select from transaction limit 1')
      const lock = transact(world.database.pool, (other) =>
        other.query('lock table transaction in access exclusive mode'),
      )
      await Promise.all([lock, tx.query('select pg_sleep(600)')])
    }),
  )
  expect(servers).toEqual(['replica', 'primary'])
  await standby.configure('max_standby_streaming_delay', '30s')
})

test('a read that takes too long on a replica is repeated on the primary', async () => {
  const servers = await listServers(async (db) => void (await db.query('select pg_sleep(600)')))
  expect(servers).toEqual(['replica', 'primary'])
})

test('a refusal of the replica is final', async () => {
  const path = `/transaction/${randomUUID()}/receipt`
  const { status } = await readFromReplica(() => world.raw('GET', path, { token: alice.token }))
  expect(status).toBe(404)
})

test('a killed replica is not read, and is read again when it is back', async () => {
  await standby.kill()
  const id = await send()
  expect((await listIds(alice))[0]).toBe(id)
  await expect
    .poll(() => readMetrics(/^tern_replica_usable\{replica="([^"]+)"\} (\d)/))
    .toEqual({
      [new URL(proxy.url).host]: 0,
    })
  expect(await listOutcomes()).toEqual(['primary'])
  await standby.start()
  await untilReplicaIsRead()
})

test('a replica that falls silent is left within seconds, without a failed read', async () => {
  proxy.setSilent(true)
  while (!(await listOutcomes()).includes('primary')) await delay(10)
  expect((await listIds(alice)).length).toBeGreaterThan(0)
  expect(await listOutcomes()).toEqual(['primary'])
  proxy.setSilent(false)
  await untilReplicaIsRead()
})

test('a promoted standby is not read, nor one that follows it', async () => {
  await standby.promote()
  await expect.poll(listOutcomes).toEqual(['primary'])
  const follower = await startStandby(standby.serverUrl)
  const reasons: unknown[] = []
  const replicas = createReplicas({
    urls: [standby, follower].map((server) => server.url(world.database.applicationUrl)),
    primary: world.app.product.pool,
    log: { warn: ({ reason }: { reason?: string }) => reasons.push(reason) },
    count: () => {},
  })
  await expect.poll(() => new Set(reasons)).toEqual(new Set(['it is not a standby', 'it is of another timeline']))
  expect(await replicas.read(async (db) => isReplica(db))).toBe(false)
  expect(Object.values(replicas.usable())).toEqual([0, 0])
  await replicas.close()
  await follower.remove()
})
