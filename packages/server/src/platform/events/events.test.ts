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
import { createWaker, type Waker } from './waker.ts'

let bruno: TestPerson

const world = await openTestApp()
const alice = await world.enroll('alice', 'United States')
await world.fund(alice, 100_000)
beforeEach(async () => {
  bruno = await world.enroll('bruno', 'Germany')
})

interface ReceivedEvent {
  readonly id: string
  readonly event: UserEvent
}

/** Creates the user streams of another process over the same database, and records what Bruno's stream receives. */
function createOtherProcess(waker: Pick<Waker, 'onWake' | 'parseUserIds'>, pollEveryMs?: number) {
  const receivedWakes: { event?: UserEvent; position: string }[] = []
  const { pool, now } = world.app.product
  const userEvents: UserEvents = createUserEvents({
    databaseUrl: world.database.url,
    changes: changeReader({ pool, now }),
    waker,
    log: world.app.http.log,
    ...(pollEveryMs === undefined ? {} : { pollEveryMs }),
  })
  userEvents.subscribe(
    {
      userId: BigInt(bruno.id),
      isLive: async () => true,
      send: (event, position) => receivedWakes.push({ event, position }),
      advance: (position) => receivedWakes.push({ position }),
      close: () => {},
    },
    undefined,
  )
  const listTransactionIds = () =>
    receivedWakes.flatMap(({ event }) => (event?.type === 'transaction' ? [event.transaction.id] : []))
  return { receivedWakes, listTransactionIds, close: () => userEvents.close() }
}

async function openStream(person: TestPerson, lastEventId?: string) {
  const received: ReceivedEvent[] = []
  const abort = new AbortController()
  const response = await fetch(`${world.url}/api${events.path}`, {
    headers: {
      authorization: `Bearer ${person.token}`,
      ...(lastEventId === undefined ? {} : { 'last-event-id': lastEventId }),
    },
    signal: abort.signal,
  })
  expect(response.headers.get('content-type')).toContain('text/event-stream')
  const readLoop = (async () => {
    let bufferedText = ''
    for await (const chunk of response.body!) {
      bufferedText += Buffer.from(chunk).toString()
      for (let end = bufferedText.indexOf('\n\n'); end >= 0; end = bufferedText.indexOf('\n\n')) {
        const fields = new Map(
          bufferedText
            .slice(0, end)
            .split('\n')
            .map((line) => line.split(/: (.*)/s) as [string, string]),
        )
        bufferedText = bufferedText.slice(end + 2)
        const data = fields.get('data')
        if (data !== undefined) received.push({ id: fields.get('id')!, event: JSON.parse(data) as UserEvent })
      }
    }
  })().catch((error: unknown) => {
    if (!abort.signal.aborted) throw error
  })
  return { received, readLoop, close: () => abort.abort() }
}

const send = async (amount: string): Promise<string> => {
  const body = { recipient_id: bruno.id, amount, source_currency: 'USD' } as const
  return (await alice.call(sendMoney, { body, idempotencyKey: randomUUID() })).transaction_id
}

const listTransactionIds = (received: readonly ReceivedEvent[]) =>
  received.flatMap(({ event }) => (event.type === 'transaction' ? [event.transaction.id] : []))

// Events may repeat: positions depend on the oldest open transaction, including those of other tests.
const findNewIds = (received: readonly ReceivedEvent[], knownIds: readonly string[]) =>
  listTransactionIds(received).filter((id) => !knownIds.includes(id))

const findLastBalance = (received: readonly ReceivedEvent[]) =>
  received.flatMap(({ event }) => (event.type === 'balance' ? [event.wallet.fiat_balance] : [])).at(-1)

test('a stream begins with the balance, then reports money within two seconds', async () => {
  const stream = await openStream(bruno)
  await expect.poll(() => findLastBalance(stream.received)).toBe('0.00')
  // Takes the fastest of three attempts, to tolerate other load.
  const [sendIds, times]: [string[], number[]] = [[], []]
  while (times.length < 3 && !times.some((time) => time < 2000)) {
    sendIds.push(await send('10.00'))
    const startedAt = performance.now()
    await expect.poll(() => listTransactionIds(stream.received), { interval: 10 }).toEqual(sendIds)
    times.push(performance.now() - startedAt)
    await expect.poll(() => findLastBalance(stream.received)).toBe(['9.30', '18.60', '27.90'][sendIds.length - 1])
  }
  expect(Math.min(...times)).toBeLessThan(2000)
  stream.close()
})

test('resuming by Last-Event-ID delivers what was missed, in order', async () => {
  const first = await openStream(bruno)
  await expect.poll(() => findLastBalance(first.received)).toBe('0.00')
  const deliveredId = await send('1.00')
  await expect.poll(() => listTransactionIds(first.received)).toEqual([deliveredId])
  await expect.poll(() => findLastBalance(first.received)).toBe('0.93')
  first.close()
  const missedIds = [await send('2.00'), await send('3.00')]
  const second = await openStream(bruno, first.received.at(-1)!.id)
  await expect.poll(() => findNewIds(second.received, [deliveredId])).toEqual(missedIds)
  second.close()
})

test('everything is delivered however much was missed and wherever the connection broke', async () => {
  // Pays the recipient first, since sending this much to a new payee would require confirmation.
  const knownIds = [await send('1.00')]
  await ageSends(world.database.pool)
  const first = await openStream(bruno)
  await expect.poll(() => findLastBalance(first.received)).toBe('0.93')
  const position = first.received.at(-1)!.id
  first.close()
  const missedIds = await Promise.all(Array.from({ length: 150 }, () => send('1.00')))
  const second = await openStream(bruno, position)
  await expect.poll(() => findNewIds(second.received, knownIds).length).toBe(150)
  expect(findNewIds(second.received, knownIds).toSorted()).toEqual(missedIds.toSorted())
  second.close()
  // A partly received batch is resumed from its start.
  const missedEvent = second.received.find(({ event }) => event.type === 'transaction')!
  const third = await openStream(bruno, missedEvent.id)
  await expect.poll(() => findNewIds(third.received, knownIds).length).toBe(150)
  third.close()
})

test('one person has at most ten streams; the oldest are closed', async () => {
  const streams = await Promise.all(Array.from({ length: 40 }, () => openStream(bruno)))
  const remainingStreams = new Set(streams)
  for (const stream of streams) void stream.readLoop.then(() => remainingStreams.delete(stream))
  await expect.poll(() => remainingStreams.size).toBe(10)
  const newStream = await openStream(bruno)
  await expect.poll(() => remainingStreams.size).toBe(9)
  // A stream begins with the balance, which includes all earlier changes.
  const hasStarted = ({ received }: (typeof streams)[number]) => findLastBalance(received) !== undefined
  await expect.poll(() => [...remainingStreams, newStream].every(hasStarted)).toBe(true)
  const id = await send('1.00')
  const countNotified = () => streams.filter(({ received }) => listTransactionIds(received).includes(id)).length
  await expect.poll(() => listTransactionIds(newStream.received)).toEqual([id])
  await expect.poll(countNotified).toBe(9)
  for (const stream of [...streams, newStream]) stream.close()
})

test('money that arrives while the listening connection is lost is reported once it is back', async () => {
  const stream = await openStream(bruno)
  await expect.poll(() => findLastBalance(stream.received)).toBe('0.00')
  await world.database.pool.query(
    `select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and application_name = 'tern tern_user'`,
  )
  const id = await send('5.00')
  await expect.poll(() => listTransactionIds(stream.received)).toEqual([id])
  stream.close()
})

test('money moved by one process is reported by another at once', async () => {
  const waker = createWaker({ databaseUrl: world.database.url, log: world.app.http.log })
  const otherProcess = createOtherProcess(waker, 60_000)
  await expect.poll(() => otherProcess.receivedWakes.length).toBeGreaterThan(0)
  // The first send may be found when listening begins; the others need a notification. Takes the fastest of three
  // attempts, to tolerate other load.
  const sendIds = [await send('1.00')]
  await expect.poll(otherProcess.listTransactionIds).toEqual(sendIds)
  const times: number[] = []
  while (times.length < 3 && !times.some((time) => time < 2000)) {
    sendIds.push(await send('1.00'))
    const startedAt = performance.now()
    await expect.poll(otherProcess.listTransactionIds).toEqual(sendIds)
    times.push(performance.now() - startedAt)
  }
  expect(Math.min(...times)).toBeLessThan(2000)
  await otherProcess.close()
  await waker.close()
})

test('without a wake-up, money is reported at the next poll, which reads nothing for current streams', async () => {
  const silentWaker = { onWake: () => () => {}, parseUserIds: () => [] }
  const otherProcess = createOtherProcess(silentWaker, 200)
  await expect.poll(() => otherProcess.receivedWakes.length).toBeGreaterThan(2)
  const id = await send('1.00')
  await expect.poll(otherProcess.listTransactionIds).toEqual([id])
  // A current stream advances its position without repeating the balance.
  const countPositions = () => new Set(otherProcess.receivedWakes.map(({ position }) => position)).size
  const positionsBefore = countPositions()
  await expect.poll(countPositions).toBeGreaterThan(positionsBefore + 3)
  const balances = otherProcess.receivedWakes.filter(({ event }) => event?.type === 'balance').length
  expect(balances).toBeLessThan(otherProcess.receivedWakes.length)
  expect(otherProcess.listTransactionIds()).toEqual([id])
  await otherProcess.close()
})

const touchTopic = (topic: Topic, { id } = bruno, { pool, notifications } = world.app.product) =>
  transact(pool, (tx) => notifications.touch(tx, { userIds: [BigInt(id)], topic }))
const listTopics = (events: readonly (UserEvent | undefined)[]) =>
  events.flatMap((event) => (event?.type === 'changed' ? event.topics : []))
/** Removes notifications about verification or other people's payments, which may arrive during a test. */
const removeNotices = (topics: readonly Topic[]) => topics.filter((topic) => topic !== 'notifications')

test('a change of other lists is reported by topic, at once and on resuming, to its user only', async () => {
  const stream = await openStream(bruno)
  const listReceivedTopics = (source = stream) => removeNotices(listTopics(source.received.map(({ event }) => event)))
  await expect.poll(() => findLastBalance(stream.received)).toBe('0.00')
  await touchTopic('requests', alice)
  await touchTopic('schedules')
  await expect.poll(() => listReceivedTopics()).toEqual(['schedules'])
  await touchTopic('requests')
  await expect.poll(() => listReceivedTopics()).toContain('requests')
  await expect.poll(() => stream.received.at(-1)?.event.type).toBe('balance')
  stream.close()
  await touchTopic('transfers')
  const resumedStream = await openStream(bruno, stream.received.at(-1)!.id)
  await expect.poll(() => listReceivedTopics(resumedStream)).toContain('transfers')
  resumedStream.close()
})

test('open pages are notified at once that the account is frozen', async () => {
  const owner = await world.enroll('frida', 'Germany')
  const stream = await openStream(owner)
  const countAccountEvents = () =>
    listTopics(stream.received.map(({ event }) => event)).filter((topic) => topic === 'account').length
  await expect.poll(() => findLastBalance(stream.received)).toBe('0.00')
  await owner.call(freezeAccount, {})
  await expect.poll(countAccountEvents).toBe(1)
  stream.close()
})

test('a topic changed by a slow transaction is reported after later ones', async () => {
  const stream = await openStream(bruno)
  const listReceivedTopics = () => removeNotices(listTopics(stream.received.map(({ event }) => event)))
  await expect.poll(() => findLastBalance(stream.received)).toBe('0.00')
  let finishTransaction = () => {}
  const slowTransaction = transact(world.app.product.pool, async (tx) => {
    await world.app.product.notifications.touch(tx, { userIds: [BigInt(bruno.id)], topic: 'requests' })
    await new Promise<void>((resolve) => (finishTransaction = resolve))
  })
  try {
    await touchTopic('requests')
    await expect.poll(listReceivedTopics).toEqual(['requests'])
  } finally {
    finishTransaction()
    await slowTransaction
  }
  await expect.poll(listReceivedTopics).toEqual(['requests', 'requests'])
  stream.close()
})

test('a topic changed by one process is reported by another at once, and without a wake-up at the next poll', async () => {
  const waker = createWaker({ databaseUrl: world.database.url, log: world.app.http.log })
  const otherProcess = createOtherProcess(waker, 60_000)
  const pollingProcess = createOtherProcess({ onWake: () => () => {}, parseUserIds: () => [] }, 200)
  for (const { receivedWakes } of [otherProcess, pollingProcess])
    await expect.poll(() => receivedWakes.length).toBeGreaterThan(0)
  const listReceivedTopics = ({ receivedWakes }: typeof otherProcess) =>
    listTopics(receivedWakes.map(({ event }) => event))
  await touchTopic('notifications')
  await expect.poll(() => listReceivedTopics(otherProcess)).toContain('notifications')
  await touchTopic('transfers')
  await expect.poll(() => new Set(listReceivedTopics(otherProcess))).toEqual(new Set(['notifications', 'transfers']))
  await expect.poll(() => new Set(listReceivedTopics(pollingProcess))).toEqual(new Set(['notifications', 'transfers']))
  await otherProcess.close()
  await pollingProcess.close()
  await waker.close()
})

test('resuming at an invalid position requests a full reload', async () => {
  for (const position of ['4711', 'x']) {
    const stream = await openStream(bruno, position)
    await expect.poll(() => stream.received.map(({ event }) => event.type)).toEqual(['refetch', 'balance'])
    stream.close()
  }
})

test('a user cannot read another user’s stream', async () => {
  const stream = await openStream(alice)
  await delay(100)
  const carol = await world.enroll('carol', 'Germany')
  const carolStream = await openStream(carol)
  const id = await send('1.00')
  await expect.poll(() => listTransactionIds(stream.received)).toContain(id)
  expect(listTransactionIds(carolStream.received)).toEqual([])
  stream.close()
  carolStream.close()
})

test('an ended session receives nothing more', async () => {
  const stream = await openStream(bruno)
  await expect.poll(() => findLastBalance(stream.received)).toBe('0.00')
  await bruno.call(logout, {})
  await send('4.00')
  await stream.readLoop
  expect(listTransactionIds(stream.received)).toEqual([])
})
