import type { OrderEdit } from '@tern/contract/orders/orders'
import { isLockTimeout } from '@tern/ledger/group-commit/failure'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import {
  toCaller,
  exchangeInto,
  nextKey,
  openMarket,
  placeTestOrder,
  type TestMarket,
  type TestWorker,
} from '@tern/testkit/orders/orders'
import { startTestApp, type TestApp, type TestPerson } from '@tern/testkit/app'
import { loadFailedChecks } from '@tern/testkit/banking'
import { isFullRun } from '@tern/testkit/length'
import { raiseLimits } from '@tern/testkit/people'
import { Refusal } from '../../../platform/refuse.ts'

let world: TestApp
let people: TestPerson[]
let market: TestMarket
let workers: TestWorker[]

const orderLimit = 50
const racers = isFullRun ? 4 : 2
const reservedAmount = '10.100000'
/** Market rate at which one USDT is worth this many euros. */
const euros = (numerator: bigint, denominator: bigint) => ({ numerator: denominator, denominator: numerator })

beforeAll(async () => {
  world = await startTestApp()
  await raiseLimits(world.database.pool)
  people = []
  for (let n = 0; n < racers; n += 1) {
    const person = await world.enroll(`racer${n}`, 'Germany')
    await world.fund(person, 5_000_000)
    await exchangeInto(person, 'EUR', 'USDT', '20000')
    people.push(person)
  }
})
afterAll(() => world.close())
beforeEach(async () => {
  market = await openMarket(world)
  await market.set({ USDT: '1', EUR: euros(95n, 100n) })
  workers = [market.first, market.worker(), market.worker(), market.worker()]
})
afterEach(async () => {
  // On a busy machine racers wait for each other's locks until the timeout; the next run tries again.
  const failures = workers
    .flatMap(({ errors }) => errors)
    .filter((error) => !('err' in error && isLockTimeout(error.err)))
  expect(failures).toEqual([])
  await market.close()
  expect(await loadFailedChecks(world)).toEqual([])
})

interface PlacedOrder {
  readonly id: string
  readonly person: TestPerson
  readonly transaction_id: string
}

/** Places the maximum number of open orders for each person, of ten USDT each. */
async function placeOrders(rate: string, overrides: object = {}): Promise<PlacedOrder[]> {
  const owners = people.flatMap((person) => Array.from({ length: orderLimit }, () => person))
  return mapConcurrently(owners, async (person) => ({
    person,
    ...(await placeTestOrder(market.first, person, { amount: '10', rate, ...overrides })),
  }))
}

/** Reads the state of orders, the amounts they received, and the amounts on hold. */
async function loadStanding(ids: readonly string[]) {
  const { rows } = await world.database.pool.query<{
    id: string
    state: string
    held: bigint
    fills: bigint
    got: bigint
  }>(
    `select o.id, o.state, t.target_amount as got,
        (select sum(e.amount) from ledger.entry e join ledger.account a on a.id = e.account_id and a.kind = 'hold'
           join ledger.posting p on p.id = e.posting_id where p.reference = o.transaction_id) as held,
        (select count(*) from ledger.posting p join ledger.token k on k.posting_id = p.id
          where p.reference = o.transaction_id) as fills
       from exchange_order o join transaction t on t.user_id = o.user_id and t.id = o.transaction_id
      where o.id = any($1::uuid[])`,
    [ids],
  )
  return new Map(rows.map((row) => [row.id, row]))
}

/** Returns `done` or the refusal's code. Retries lock timeouts like a client. */
async function settleCode(change: () => Promise<unknown>): Promise<string> {
  try {
    await change()
    return 'done'
  } catch (error) {
    if (error instanceof Refusal) return error.code
    if (isLockTimeout(error)) return settleCode(change)
    throw error
  }
}

function editOrderOnce(worker: TestWorker, person: TestPerson, id: string, body: OrderEdit): Promise<string> {
  const key = nextKey()
  return settleCode(() => worker.orders.edit({ caller: toCaller(person), id, body, idempotencyKey: key }))
}

const concurrency = 8

/** Runs the callback for all items, eight at a time. */
async function mapConcurrently<T, R>(items: readonly T[], callback: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = []
  const remainingEntries = items.entries()
  await Promise.all(
    Array.from({ length: concurrency }, async () => {
      for (const [index, item] of remainingEntries) results[index] = await callback(item)
    }),
  )
  return results
}

// A round places the maximum number of orders and edits each one.
const rounds = isFullRun ? 5 : 1

test('concurrent edits and fills: exactly one wins, balances reconcile', async () => {
  const wins = { edit: 0, fill: 0 }
  for (let round = 0; round < rounds; round += 1) {
    const orders = await placeOrders('0.96')
    const editor = workers[round % workers.length] ?? market.first
    const edit = { amount: '12', rate: '0.999' }
    // Edits go through the orders in reverse, so that they meet the fills.
    const edits = mapConcurrently(orders.toReversed(), async ({ id, person }) => ({
      id,
      code: await editOrderOnce(editor, person, id, edit),
    }))
    await market.set({ EUR: euros(97n, 100n) })
    const [outcomes] = await Promise.all([edits, ...workers.map((worker) => worker.run())])
    for (const worker of workers) await worker.run()
    const ordersById = await loadStanding(orders.map(({ id }) => id))
    for (const { id, code } of outcomes) {
      const row = ordersById.get(id)
      if (code === 'done') {
        wins.edit += 1
        expect(row).toMatchObject({ state: 'open', held: 12_120_000n, fills: 0n })
      } else {
        wins.fill += 1
        expect(code).toBe('order_filled')
        expect(row).toMatchObject({ state: 'filled', held: 0n, fills: 1n, got: 970n })
      }
    }
    await mapConcurrently(orders, ({ id, person }) =>
      settleCode(() => market.first.orders.cancel({ userId: BigInt(person.id), id })),
    )
    await market.set({ EUR: euros(95n, 100n) })
  }
  expect(wins.edit + wins.fill).toBe(rounds * people.length * orderLimit)
  expect(Math.min(wins.edit, wins.fill), JSON.stringify(wins)).toBeGreaterThan(racers * rounds)
})

test('concurrent cancellation and fill: exactly one wins', async () => {
  const orders = await placeOrders('0.96')
  const cancellations = mapConcurrently(orders.toReversed(), async ({ id, person }) => ({
    id,
    code: await settleCode(() => workers[1]!.orders.cancel({ userId: BigInt(person.id), id })),
  }))
  await market.set({ EUR: euros(97n, 100n) })
  const [outcomes] = await Promise.all([cancellations, ...workers.map((worker) => worker.run())])
  const ordersById = await loadStanding(orders.map(({ id }) => id))
  const counts: Record<string, number> = {}
  for (const { id, code } of outcomes) {
    counts[code] = (counts[code] ?? 0) + 1
    const expectedEnd = code === 'done' ? { state: 'cancelled', fills: 0n } : { state: 'filled', fills: 1n }
    expect(ordersById.get(id)).toMatchObject({ ...expectedEnd, held: 0n })
  }
  expect(Object.keys(counts).toSorted()).toEqual(['done', 'order_filled'])
})

test('concurrent expiry, fill by a clock that is behind, and extension: exactly one wins', async () => {
  const expiresAt = new Date(market.now().getTime() + 3_600_000)
  const orders = await placeOrders('0.96', { expires_at: expiresAt.toISOString() })
  market.advance(3_600_000 - 1)
  const fastWorkers = [market.worker({ aheadMs: 1 }), market.worker({ aheadMs: 1 })]
  workers.push(...fastWorkers)
  await market.set({ EUR: euros(97n, 100n) })
  const laterExpiry = new Date(expiresAt.getTime() + 3_600_000).toISOString()
  const body = { amount: '10', rate: '0.999', expires_at: laterExpiry }
  const edits = mapConcurrently(orders.slice(0, orders.length / 4), async ({ id, person }) => ({
    id,
    code: await editOrderOnce(market.first, person, id, body),
  }))
  const [outcomes] = await Promise.all([edits, ...[...workers].map((worker) => worker.run())])
  for (const worker of fastWorkers) await worker.run()
  const ordersById = await loadStanding(orders.map(({ id }) => id))
  for (const { id, code } of outcomes) {
    expect(ordersById.get(id)?.state).toBe(
      { done: 'open', order_filled: 'filled', order_not_open: 'expired' }[code] ?? 'nothing else',
    )
  }
  const editedIds = new Set(outcomes.filter(({ code }) => code === 'done').map(({ id }) => id))
  for (const { id } of orders) {
    const row = ordersById.get(id)
    if (editedIds.has(id)) expect(row).toMatchObject({ state: 'open', held: 10_100_000n, fills: 0n })
    else expect([row?.state, row?.held, row?.fills]).toEqual([row?.state, 0n, row?.state === 'filled' ? 1n : 0n])
  }
  const states = new Set([...ordersById.values()].map(({ state }) => state))
  expect([...states].every((state) => ['open', 'filled', 'expired'].includes(state))).toBe(true)
  await mapConcurrently([...editedIds], (id) => {
    const owner = orders.find((order) => order.id === id)
    return settleCode(() => market.first.orders.cancel({ userId: BigInt(owner!.person.id), id }))
  })
})

test('a worker with outdated rates fills nothing', async () => {
  const [person] = people
  const slowWorker = market.worker()
  workers.push(slowWorker)
  const { id } = await placeTestOrder(market.first, person!, { amount: '10', rate: '0.96' })
  await market.set({ EUR: euros(97n, 100n) })
  // Another process has read a worse rate since.
  market.advance(1000)
  await market.set({ EUR: euros(94n, 100n) }, slowWorker)
  await slowWorker.orders.runDue()
  const loadOrder = () => market.first.orders.one({ userId: BigInt(person!.id), id })
  expect(await loadOrder()).toMatchObject({ state: 'open', on_hold: reservedAmount })
  await market.set({ EUR: euros(97n, 100n) })
  await slowWorker.run()
  expect(await loadOrder()).toMatchObject({ state: 'filled', filled: { target_amount: '9.70' } })
})
