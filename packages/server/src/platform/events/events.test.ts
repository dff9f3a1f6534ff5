import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import type { Topic, UserEvent } from '@tern/contract/events'
import { events } from '@tern/contract/events'
import { logout } from '@tern/contract/identity'
import { freezeAccount } from '@tern/contract/security'
import { sendMoney } from '@tern/contract/transfers'
import { beforeEach, expect, test } from 'vitest'
import { ageSends } from '../../../../../tools/aging.ts'
import type { TestPerson } from '@tern/testkit/app'
import { openTestApp } from '@tern/testkit/open-test-app'
import { transact } from '../database/db.ts'
import { createUserEvents, type UserEvents } from './events.ts'
import { changeReader } from '../../features/wallets/wallet-changes.ts'
import { createWaker, type Waker } from './wake.ts'

let bruno: TestPerson

const world = await openTestApp()
const alice = await world.enroll('alice', 'United States')
await world.fund(alice, 100_000)
beforeEach(async () => {
  bruno = await world.enroll('bruno', 'Germany')
})

interface Received {
  readonly id: string
  readonly event: UserEvent
}

/** Opens the streams of another process over the same database, and records what Bruno's receives. */
function otherProcess(waker: Pick<Waker, 'onWake' | 'parseUserIds'>, lookEveryMs?: number) {
  const heard: { event?: UserEvent; position: string }[] = []
  const { pool, now } = world.app.product
  const userEvents: UserEvents = createUserEvents({
    databaseUrl: world.database.url,
    changes: changeReader({ pool, now }),
    waker,
    log: world.app.http.log,
    ...(lookEveryMs === undefined ? {} : { lookEveryMs }),
  })
  userEvents.subscribe(
    {
      userId: BigInt(bruno.id),
      isLive: async () => true,
      send: (event, position) => heard.push({ event, position }),
      moveOn: (position) => heard.push({ position }),
      close: () => {},
    },
    undefined,
  )
  const told = () => heard.flatMap(({ event }) => (event?.type === 'transaction' ? [event.transaction.id] : []))
  return { heard, told, close: () => userEvents.close() }
}

async function open(person: TestPerson, lastEventId?: string) {
  const received: Received[] = []
  const abort = new AbortController()
  const response = await fetch(`${world.url}/api${events.path}`, {
    headers: {
      authorization: `Bearer ${person.token}`,
      ...(lastEventId === undefined ? {} : { 'last-event-id': lastEventId }),
    },
    signal: abort.signal,
  })
  expect(response.headers.get('content-type')).toContain('text/event-stream')
  const ended = (async () => {
    let rest = ''
    for await (const chunk of response.body!) {
      rest += Buffer.from(chunk).toString()
      for (let end = rest.indexOf('\n\n'); end >= 0; end = rest.indexOf('\n\n')) {
        const fields = new Map(
          rest
            .slice(0, end)
            .split('\n')
            .map((line) => line.split(/: (.*)/s) as [string, string]),
        )
        rest = rest.slice(end + 2)
        const data = fields.get('data')
        if (data !== undefined) received.push({ id: fields.get('id')!, event: JSON.parse(data) as UserEvent })
      }
    }
  })().catch((error: unknown) => {
    if (!abort.signal.aborted) throw error
  })
  return { received, ended, close: () => abort.abort() }
}

const send = async (amount: string): Promise<string> => {
  const body = { recipient_id: bruno.id, amount, source_currency: 'USD' } as const
  return (await alice.call(sendMoney, { body, idempotencyKey: randomUUID() })).transaction_id
}

const transactionIds = (received: readonly Received[]) =>
  received.flatMap(({ event }) => (event.type === 'transaction' ? [event.transaction.id] : []))

// Positions depend on the oldest open transaction, including other tests', so events may repeat.
const newIds = (received: readonly Received[], told: readonly string[]) =>
  transactionIds(received).filter((id) => !told.includes(id))

const lastBalance = (received: readonly Received[]) =>
  received.flatMap(({ event }) => (event.type === 'balance' ? [event.wallet.fiat_balance] : [])).at(-1)

test('a stream begins with the balance, then reports money within two seconds', async () => {
  const stream = await open(bruno)
  await expect.poll(() => lastBalance(stream.received)).toBe('0.00')
  // The fastest of three attempts, to discount other load.
  const [sent, times]: [string[], number[]] = [[], []]
  while (times.length < 3 && !times.some((time) => time < 2000)) {
    sent.push(await send('10.00'))
    const sentAt = performance.now()
    await expect.poll(() => transactionIds(stream.received), { interval: 10 }).toEqual(sent)
    times.push(performance.now() - sentAt)
    await expect.poll(() => lastBalance(stream.received)).toBe(['9.30', '18.60', '27.90'][sent.length - 1])
  }
  expect(Math.min(...times)).toBeLessThan(2000)
  stream.close()
})

test('resuming by Last-Event-ID delivers what was missed, in order', async () => {
  const first = await open(bruno)
  await expect.poll(() => lastBalance(first.received)).toBe('0.00')
  const seen = await send('1.00')
  await expect.poll(() => transactionIds(first.received)).toEqual([seen])
  await expect.poll(() => lastBalance(first.received)).toBe('0.93')
  first.close()
  const missed = [await send('2.00'), await send('3.00')]
  const second = await open(bruno, first.received.at(-1)!.id)
  await expect.poll(() => newIds(second.received, [seen])).toEqual(missed)
  second.close()
})

test('everything is delivered however much was missed and wherever the connection broke', async () => {
  // Sending this much to a new recipient would require confirmation.
  const told = [await send('1.00')]
  await ageSends(world.database.pool)
  const first = await open(bruno)
  await expect.poll(() => lastBalance(first.received)).toBe('0.93')
  const position = first.received.at(-1)!.id
  first.close()
  const missed = await Promise.all(Array.from({ length: 150 }, () => send('1.00')))
  const second = await open(bruno, position)
  await expect.poll(() => newIds(second.received, told).length).toBe(150)
  expect(newIds(second.received, told).toSorted()).toEqual(missed.toSorted())
  second.close()
  // A partly received batch resumes from its start.
  const partly = second.received.find(({ event }) => event.type === 'transaction')!
  const third = await open(bruno, partly.id)
  await expect.poll(() => newIds(third.received, told).length).toBe(150)
  third.close()
})

test('one person has at most ten streams; the oldest are closed', async () => {
  const streams = await Promise.all(Array.from({ length: 40 }, () => open(bruno)))
  const left = new Set(streams)
  for (const stream of streams) void stream.ended.then(() => left.delete(stream))
  await expect.poll(() => left.size).toBe(10)
  const newest = await open(bruno)
  await expect.poll(() => left.size).toBe(9)
  // A stream begins with the balance, which already includes earlier changes.
  const hasBegun = ({ received }: (typeof streams)[number]) => lastBalance(received) !== undefined
  await expect.poll(() => [...left, newest].every(hasBegun)).toBe(true)
  const id = await send('1.00')
  const told = () => streams.filter(({ received }) => transactionIds(received).includes(id)).length
  await expect.poll(() => transactionIds(newest.received)).toEqual([id])
  await expect.poll(told).toBe(9)
  for (const stream of [...streams, newest]) stream.close()
})

test('money that arrives while the listening connection is lost is reported once it is back', async () => {
  const stream = await open(bruno)
  await expect.poll(() => lastBalance(stream.received)).toBe('0.00')
  await world.database.pool.query(
    `select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and application_name = 'tern tern_user'`,
  )
  const id = await send('5.00')
  await expect.poll(() => transactionIds(stream.received)).toEqual([id])
  stream.close()
})

test('money moved by one process is reported by another at once', async () => {
  const waker = createWaker({ databaseUrl: world.database.url, log: world.app.http.log })
  const other = otherProcess(waker, 60_000)
  await expect.poll(() => other.heard.length).toBeGreaterThan(0)
  // The first send may be found because listening begins; the others need a notice. The fastest of three, to discount
  // other load.
  const sent = [await send('1.00')]
  await expect.poll(other.told).toEqual(sent)
  const times: number[] = []
  while (times.length < 3 && !times.some((time) => time < 2000)) {
    sent.push(await send('1.00'))
    const sentAt = performance.now()
    await expect.poll(other.told).toEqual(sent)
    times.push(performance.now() - sentAt)
  }
  expect(Math.min(...times)).toBeLessThan(2000)
  await other.close()
  await waker.close()
})

test('without a wake-up, money is reported at the next poll, which reads nothing for current streams', async () => {
  const deaf = { onWake: () => () => {}, parseUserIds: () => [] }
  const other = otherProcess(deaf, 200)
  await expect.poll(() => other.heard.length).toBeGreaterThan(2)
  const id = await send('1.00')
  await expect.poll(other.told).toEqual([id])
  // A current stream advances without repeating its balance.
  const positionsOf = () => new Set(other.heard.map(({ position }) => position)).size
  const before = positionsOf()
  await expect.poll(positionsOf).toBeGreaterThan(before + 3)
  const balances = other.heard.filter(({ event }) => event?.type === 'balance').length
  expect(balances).toBeLessThan(other.heard.length)
  expect(other.told()).toEqual([id])
  await other.close()
})

const touch = (topic: Topic, { id } = bruno, { pool, notifications } = world.app.product) =>
  transact(pool, (tx) => notifications.touch(tx, { userIds: [BigInt(id)], topic }))
const topicsOf = (events: readonly (UserEvent | undefined)[]) =>
  events.flatMap((event) => (event?.type === 'changed' ? event.topics : []))
/** Notices about verification or other people's payments may arrive while a test listens. */
const withoutNotices = (topics: readonly Topic[]) => topics.filter((topic) => topic !== 'notifications')

test('a change of other lists is reported by topic, at once and on resuming, to its user only', async () => {
  const stream = await open(bruno)
  const topics = (of = stream) => withoutNotices(topicsOf(of.received.map(({ event }) => event)))
  await expect.poll(() => lastBalance(stream.received)).toBe('0.00')
  await touch('requests', alice)
  await touch('schedules')
  await expect.poll(() => topics()).toEqual(['schedules'])
  await touch('requests')
  await expect.poll(() => topics()).toContain('requests')
  await expect.poll(() => stream.received.at(-1)?.event.type).toBe('balance')
  stream.close()
  await touch('transfers')
  const resumed = await open(bruno, stream.received.at(-1)!.id)
  await expect.poll(() => topics(resumed)).toContain('transfers')
  resumed.close()
})

test('open pages are notified at once that the account is frozen', async () => {
  const owner = await world.enroll('frida', 'Germany')
  const stream = await open(owner)
  const told = () => topicsOf(stream.received.map(({ event }) => event)).filter((topic) => topic === 'account').length
  await expect.poll(() => lastBalance(stream.received)).toBe('0.00')
  await owner.call(freezeAccount, {})
  await expect.poll(told).toBe(1)
  stream.close()
})

test('a topic changed by a slow transaction is reported after later ones', async () => {
  const stream = await open(bruno)
  const topics = () => withoutNotices(topicsOf(stream.received.map(({ event }) => event)))
  await expect.poll(() => lastBalance(stream.received)).toBe('0.00')
  let finish = () => {}
  const slow = transact(world.app.product.pool, async (tx) => {
    await world.app.product.notifications.touch(tx, { userIds: [BigInt(bruno.id)], topic: 'requests' })
    await new Promise<void>((resolve) => (finish = resolve))
  })
  try {
    await touch('requests')
    await expect.poll(topics).toEqual(['requests'])
  } finally {
    finish()
    await slow
  }
  await expect.poll(topics).toEqual(['requests', 'requests'])
  stream.close()
})

test('a topic changed by one process is reported by another at once, and without a wake-up at the next poll', async () => {
  const waker = createWaker({ databaseUrl: world.database.url, log: world.app.http.log })
  const other = otherProcess(waker, 60_000)
  const deaf = otherProcess({ onWake: () => () => {}, parseUserIds: () => [] }, 200)
  for (const { heard } of [other, deaf]) await expect.poll(() => heard.length).toBeGreaterThan(0)
  const topics = ({ heard }: typeof other) => topicsOf(heard.map(({ event }) => event))
  await touch('notifications')
  await expect.poll(() => topics(other)).toContain('notifications')
  await touch('transfers')
  await expect.poll(() => new Set(topics(other))).toEqual(new Set(['notifications', 'transfers']))
  await expect.poll(() => new Set(topics(deaf))).toEqual(new Set(['notifications', 'transfers']))
  await other.close()
  await deaf.close()
  await waker.close()
})

test('resuming at an invalid position requests a full reload', async () => {
  for (const position of ['4711', 'x']) {
    const stream = await open(bruno, position)
    await expect.poll(() => stream.received.map(({ event }) => event.type)).toEqual(['refetch', 'balance'])
    stream.close()
  }
})

test('a user cannot read another user’s stream', async () => {
  const stream = await open(alice)
  await delay(100)
  const carol = await world.enroll('carol', 'Germany')
  const foreign = await open(carol)
  const id = await send('1.00')
  await expect.poll(() => transactionIds(stream.received)).toContain(id)
  expect(transactionIds(foreign.received)).toEqual([])
  stream.close()
  foreign.close()
})

test('an ended session receives nothing more', async () => {
  const stream = await open(bruno)
  await expect.poll(() => lastBalance(stream.received)).toBe('0.00')
  await bruno.call(logout, {})
  await send('4.00')
  await stream.ended
  expect(transactionIds(stream.received)).toEqual([])
})
