import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import {
  loadBalance,
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
import { raiseLimits } from '@tern/testkit/people'

const dayMs = 86_400_000

// With one connection, a call that requests a second one during its transaction would wait forever.
const connections = 1

let world: TestApp
let market: TestMarket
let lucas: TestPerson

beforeAll(async () => {
  world = await startTestApp()
  await raiseLimits(world.database.pool)
})
afterAll(() => world.close())
beforeEach(async () => {
  lucas = await world.enroll('lucas', 'Germany')
  await world.fund(lucas, 200_000)
  await exchangeInto(lucas, 'EUR', 'USDT', '1000')
  market = await openMarket(world)
  // 1 USDT = 0.95 EUR.
  await market.set({ USDT: '1', EUR: { numerator: 20n, denominator: 19n } })
  return async () => {
    await market.close()
    expect(await loadFailedChecks(world)).toEqual([])
  }
})

const readState = async ({ orders }: TestWorker, { id }: { id: string }) =>
  (await orders.one({ userId: BigInt(lucas.id), id })).state

test('orders are placed, edited, filled, expired and cancelled with one database connection', async () => {
  const worker = market.worker({ connections })
  const userId = BigInt(lucas.id)
  const expires_at = new Date(market.now().getTime() + dayMs).toISOString()
  const [filledOrder, editedOrder, expiredOrder, cancelledOrder] = [
    await placeTestOrder(worker, lucas, { amount: '100', rate: '0.94' }),
    await placeTestOrder(worker, lucas, { amount: '100', rate: '0.99' }),
    await placeTestOrder(worker, lucas, { amount: '100', rate: '0.99', expires_at }),
    await placeTestOrder(worker, lucas, { amount: '100', rate: '0.99' }),
  ]
  const body = { amount: '50', rate: '0.94' }
  await worker.orders.edit({ caller: toCaller(lucas), id: editedOrder.id, body, idempotencyKey: nextKey() })
  await worker.orders.cancel({ userId, id: cancelledOrder.id })
  await worker.run()
  market.advance(dayMs)
  await worker.orders.runDue()
  expect(worker.errors).toEqual([])
  const orderStates = []
  for (const order of [filledOrder, editedOrder, expiredOrder, cancelledOrder])
    orderStates.push(await readState(worker, order))
  expect(orderStates).toEqual(['filled', 'filled', 'expired', 'cancelled'])
  expect(await loadBalance(lucas, 'USDT')).toEqual(['848.500000', '0.000000'])
})

test('a held order is settled with one database connection', async () => {
  const until = new Date(market.now().getTime() + dayMs)
  const worker = market.worker({ connections, rules: [() => ({ outcome: 'hold', reason: 'review', until })] })
  const order = await placeTestOrder(worker, lucas, { amount: '100', rate: '0.94' })
  await worker.run()
  expect(await readState(worker, order)).toBe('in_review')
  const operator = { name: 'olga', note: 'looked at it' }
  await worker.heldTransfers.decideForOperator({ operator, id: order.transaction_id, decision: 'settle' })
  expect(await readState(worker, order)).toBe('filled')
  expect(worker.errors).toEqual([])
})

test('alerts are sent and protection rules exchange with one database connection', async () => {
  const { orders, run, errors, pool } = market.worker({ connections })
  const userId = BigInt(lucas.id)
  await orders.alerts.create({
    userId,
    body: { source_currency: 'USDT', target_currency: 'EUR', rate: '0.94', rate_side: 'at_least' },
    idempotencyKey: nextKey(),
  })
  await orders.returns.create({ userId, from: 'USDT', to: 'EUR' })
  const rule = await orders.protection.create({
    caller: toCaller(lucas),
    body: { kind: 'keep_share', currency: 'USDT', share_percent: 90 },
    idempotencyKey: nextKey(),
  })
  await run()
  expect(errors).toEqual([])
  const { open, told } = await orders.alerts.list(pool, userId)
  expect([open.length, told.length]).toEqual([0, 1])
  expect(await orders.returns.list(pool, userId)).toEqual({ open: [] })
  const { rules } = await orders.protection.list(pool, userId)
  expect(rules).toMatchObject([{ id: rule.id, last_action: { source_currency: 'EUR', target_currency: 'USDT' } }])
})
