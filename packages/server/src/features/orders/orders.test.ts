import { notifications } from '@tern/contract/notifications/notifications'
import {
  cancelOrder,
  editOrder,
  order as readOrder,
  orders as listOrders,
  placeOrder,
} from '@tern/contract/orders/orders'
import { parseDecimal } from '@tern/money/money'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import {
  loadBalance,
  calmMarket,
  toCaller,
  exchangeInto,
  nextKey,
  openMarket,
  placeTestOrder,
  type TestMarket,
} from '@tern/testkit/orders/orders'
import { startTestApp, type TestApp, type TestPerson } from '@tern/testkit/app'
import { loadFailedChecks, nextMail, settleCall } from '@tern/testkit/banking'
import { raiseLimits } from '@tern/testkit/people'
import { Refusal } from '../../platform/refuse.ts'

let world: TestApp
let market: TestMarket
let lucas: TestPerson

const dayMs = 86_400_000

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
})
afterEach(async () => {
  expect(market.first.errors).toEqual([])
  await market.close()
  expect(await loadFailedChecks(world)).toEqual([])
})

const catchRefusal = async (call: Promise<unknown>): Promise<Refusal> => {
  const error = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  if (!(error instanceof Refusal)) throw new Error(`not refused: ${String(error)}`)
  return error
}
const euros = (rate: string) => {
  // Market rate at which one USDT is worth this many euros.
  const [integerPart = '0', fractionPart = ''] = rate.split('.')
  return { numerator: 10n ** BigInt(fractionPart.length), denominator: BigInt(integerPart + fractionPart) }
}
const parseCents = (decimal: string): bigint => parseDecimal('EUR', decimal).minor
const loadRow = async ({ transaction_id: id }: { transaction_id: string }) =>
  (await lucas.transactions()).find((transaction) => transaction.id === id)
const loadUsage = async () =>
  (
    await world.database.pool.query(
      'select coalesce(sum(usd_minor), 0)::text as sum, sum(movements)::text as movements from limit_usage where user_id = $1',
      [lucas.id],
    )
  ).rows
const loadNotices = async (person = lucas) => {
  const { needs_action: neededActions, notifications: otherNotices } = await person.call(notifications, {})
  return [...neededActions, ...otherNotices].filter(({ code }) => code.startsWith('order'))
}

describe('a limit order', () => {
  test('holds its amount and fee, and is filled in full at its rate or better', async () => {
    const placedOrder = await placeTestOrder(market.first, lucas)
    expect(placedOrder).toMatchObject({
      ...{ kind: 'limit', state: 'open', amount: '600.000000', rate: '0.9550', worst_rate: '0.9550' },
      ...{ rate_currency: 'USDT', rate_side: 'at_least', minimum_target_amount: '573.00', fee: '6.000000' },
      ...{ on_hold: '606.000000', rate_now: '0.9500', distance_percent: '0.53', waiting: null, filled: null },
    })
    expect(await loadBalance(lucas, 'USDT')).toEqual(['394.000000', '606.000000'])
    expect(await loadRow(placedOrder)).toMatchObject({
      ...{ status: 'PENDING', transaction_type: 'EXCHANGE', description: 'Limit order, USDT to EUR' },
      ...{ source_amount: '600.000000', target_amount: '573.00', fee: '6.000000', rate: '0.9550' },
    })
    await market.first.run()
    expect((await market.first.orders.one({ userId: BigInt(lucas.id), id: placedOrder.id })).state, 'not yet').toBe(
      'open',
    )
    const [balanceBefore] = await loadBalance(lucas, 'EUR')
    await market.set({ EUR: euros('0.9604') })
    await market.first.run()
    await market.first.run()
    const filledOrder = await lucas.call(readOrder, { params: { id: placedOrder.id } })
    expect(filledOrder).toMatchObject({
      ...{ state: 'filled', on_hold: '0.000000', rate_now: null },
      filled: { target_amount: '576.24', rate: '0.9604', is_better: true, fee: '6.000000' },
    })
    expect(await loadBalance(lucas, 'USDT')).toEqual(['394.000000', '0.000000'])
    const [balanceAfter] = await loadBalance(lucas, 'EUR')
    expect(parseCents(balanceAfter) - parseCents(balanceBefore)).toBe(57_624n)
    expect(await loadRow(placedOrder)).toMatchObject({ status: 'COMPLETED', target_amount: '576.24', rate: '0.9604' })
    expect(await loadNotices()).toMatchObject([
      { code: 'order_filled', params: { amount: '600.000000', target_amount: '576.24', rate: '0.9604' } },
    ])
    expect(await nextMail(world, lucas, 'Your order was filled')).toContain('€576.24')
  })

  test('is filled at exactly its rate, and rounding never fills it below', async () => {
    const oddOrder = await placeTestOrder(market.first, lucas, { amount: '601.37' })
    expect(oddOrder.minimum_target_amount, '574.30835 rounded up').toBe('574.31')
    const evenOrder = await placeTestOrder(market.first, lucas, { amount: '300' })
    await market.set({ EUR: euros('0.9550') })
    await market.first.run()
    const listOpenOrders = async () => (await lucas.call(listOrders, {})).open.map(({ id }) => id)
    expect(await listOpenOrders(), 'a cent would be missing').toEqual([oddOrder.id])
    expect(await lucas.call(readOrder, { params: { id: evenOrder.id } })).toMatchObject({
      filled: { target_amount: '286.50', is_better: false },
    })
    await market.set({ EUR: euros('0.95501') })
    await market.first.run()
    expect(await listOpenOrders()).toEqual([])
  })

  test('accepts a rate per unit of the other currency', async () => {
    const placedOrder = await placeTestOrder(market.first, lucas, { rate: '1.0471', rate_currency: 'EUR' })
    expect(placedOrder).toMatchObject({
      rate_side: 'at_most',
      minimum_target_amount: '573.02',
      rate_now: '1.052631578947',
    })
    await market.set({ EUR: '1.0471' })
    await market.first.run()
    expect(
      (await market.first.orders.one({ userId: BigInt(lucas.id), id: placedOrder.id })).state,
      'rounded down, 573.01 arrive',
    ).toBe('open')
    await market.set({ EUR: '1.047' })
    await market.first.run()
    expect(await market.first.orders.one({ userId: BigInt(lucas.id), id: placedOrder.id })).toMatchObject({
      state: 'filled',
      filled: { rate: '1.0470', target_amount: '573.06' },
    })
  })
})

describe('a stop order', () => {
  const placeStopOrder = (changes = {}) =>
    placeTestOrder(market.first, lucas, { kind: 'stop', amount: '400', rate: '0.9300', ...changes })

  test('is filled at the current rate once its trigger is reached, at most 1 % worse by default', async () => {
    const placedOrder = await placeStopOrder()
    expect(placedOrder).toMatchObject({ rate_side: 'at_most', worst_rate: '0.9207', minimum_target_amount: '368.28' })
    await market.set({ EUR: euros('0.9301') })
    await market.first.run()
    expect(await loadRow(placedOrder)).toMatchObject({ status: 'PENDING' })
    await market.set({ EUR: euros('0.9250') })
    await market.first.run()
    expect(await loadRow(placedOrder)).toMatchObject({ status: 'COMPLETED', target_amount: '370.00' })
  })

  test('is not filled below its worst rate, notifies once, and is filled when the rate recovers', async () => {
    const placedOrder = await placeStopOrder()
    await market.set({ EUR: euros('0.9100') })
    for (let round = 0; round < 3; round += 1) await market.first.run()
    const loadOrder = () => lucas.call(readOrder, { params: { id: placedOrder.id } })
    expect(await loadOrder()).toMatchObject({
      state: 'open',
      on_hold: '404.000000',
      waiting: { reason: 'worst_rate', reason_text: 'The rate was worse than the worst one you accept.' },
    })
    expect(await loadNotices()).toMatchObject([{ code: 'order_waits', params: { reason: 'worst_rate' } }])
    await nextMail(world, lucas, "Your order couldn't be filled yet")
    await market.set({ EUR: euros('0.9210') })
    await market.first.run()
    expect(await loadOrder()).toMatchObject({ state: 'filled', waiting: null, filled: { target_amount: '368.40' } })
  })
})

describe('placing an order', () => {
  test('refuses invalid terms and holds nothing', async () => {
    const invalidOrders = [
      ['too much', { amount: '2000' }, 'insufficient_funds', 'amount'],
      ['nothing', { amount: '0' }, 'invalid_request', 'amount'],
      ['too many decimals', { amount: '1.1234567' }, 'invalid_request', 'amount'],
      ['too little', { amount: '0.000001' }, 'amount_too_small', 'amount'],
      ['no rate', { rate: '0' }, 'invalid_request', 'rate'],
      ['a rate that is none', { rate: '1e3' }, 'invalid_request', 'rate'],
      ['one currency', { target_currency: 'USDT' }, 'invalid_request', 'target_currency'],
      ['a rate for something else', { rate_currency: 'BTC' }, 'invalid_request', 'rate_currency'],
      ['a worst rate of a limit', { worst_rate: '0.9' }, 'invalid_request', 'worst_rate'],
      ['a worst rate that is better', { kind: 'stop', worst_rate: '0.96' }, 'invalid_request', 'worst_rate'],
      ['a currency that is not held', { target_currency: 'GBP' }, 'currency_not_held', 'target_currency'],
      ['an expiry that is over', { expires_at: '2020-01-01T00:00:00Z' }, 'invalid_request', 'expires_at'],
      ['an expiry too far', { expires_at: '2099-01-01T00:00:00Z' }, 'invalid_request', 'expires_at'],
      ['a field that is not there', { floor: '1' }, 'invalid_request', 'floor'],
    ] as const
    for (const [description, overrides, code, field] of invalidOrders) {
      const body = {
        ...{ kind: 'limit', source_currency: 'USDT', target_currency: 'EUR', amount: '600', rate: '0.9550' },
        ...overrides,
      } as never
      const outcome = await settleCall(lucas.call(placeOrder, { body, idempotencyKey: nextKey() }))
      expect(outcome, description).toMatchObject({ code, errors: [{ field }] })
      expect(await loadBalance(lucas, 'USDT')).toEqual(['1000.000000', '0.000000'])
    }
  })

  test('is idempotent by key: repeats return the order, other terms and refusals stay refused', async () => {
    const key = nextKey()
    const [firstOrder, secondOrder] = await Promise.all([
      placeTestOrder(market.first, lucas, {}, key),
      placeTestOrder(market.worker(), lucas, {}, key),
    ])
    expect(firstOrder.id).toBe(secondOrder.id)
    expect(await loadBalance(lucas, 'USDT')).toEqual(['394.000000', '606.000000'])
    expect((await catchRefusal(placeTestOrder(market.first, lucas, { amount: '1' }, key))).code).toBe(
      'idempotency_key_reused',
    )
    const idempotencyKey = nextKey()
    const refusal = await catchRefusal(placeTestOrder(market.first, lucas, { amount: '400' }, idempotencyKey))
    expect(refusal).toMatchObject({ code: 'insufficient_funds', details: { reason: { code: 'order_needs' } } })
    await lucas.call(cancelOrder, { params: { id: firstOrder.id } })
    expect((await catchRefusal(placeTestOrder(market.first, lucas, { amount: '400' }, idempotencyKey))).code).toBe(
      'insufficient_funds',
    )
  })

  test('requires verification, and allows 50 open orders at most, even concurrently', async () => {
    const stranger = await world.enroll('stranger', null)
    const body = { kind: 'limit', source_currency: 'USDT', target_currency: 'USD', amount: '1', rate: '1' } as const
    expect(await settleCall(stranger.call(placeOrder, { body, idempotencyKey: nextKey() }))).toMatchObject({
      code: 'verification_required',
    })
    const otherWorker = market.worker()
    const placeOutcomes = await Promise.allSettled(
      Array.from({ length: 54 }, (_, index) =>
        placeTestOrder(index % 2 ? otherWorker : market.first, lucas, { amount: '10' }),
      ),
    )
    expect(placeOutcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(50)
    expect((await catchRefusal(placeTestOrder(market.first, lucas, { amount: '1' }))).code).toBe('too_many_orders')
    expect(await loadBalance(lucas, 'USDT')).toEqual(['495.000000', '505.000000'])
  })
})

describe('an account holder', () => {
  test('edits amount, rate and expiry atomically, and the hold follows', async () => {
    const { id, transaction_id } = await placeTestOrder(market.first, lucas)
    const edit = (changes: object, key = nextKey()) =>
      settleCall(
        lucas.call(editOrder, {
          params: { id },
          body: { amount: '600', rate: '0.9550', ...changes },
          idempotencyKey: key,
        }),
      )
    const key = nextKey()
    const expires_at = new Date(market.now().getTime() + 60 * dayMs).toISOString()
    const editedOrder = await edit({ amount: '800', rate: '0.9600', expires_at }, key)
    expect(editedOrder).toMatchObject({
      ...{ amount: '800.000000', rate: '0.9600', minimum_target_amount: '768.00', on_hold: '808.000000', expires_at },
    })
    expect(await loadBalance(lucas, 'USDT')).toEqual(['192.000000', '808.000000'])
    expect(await edit({ amount: '100', rate: '0.9600' })).toMatchObject({ on_hold: '101.000000', expires_at })
    expect(
      await edit({ amount: '800', rate: '0.9600', expires_at }, key),
      'repeated, it changes nothing',
    ).toMatchObject({
      on_hold: '101.000000',
    })
    expect(await edit({ amount: '700' }, key)).toMatchObject({ code: 'idempotency_key_reused' })
    expect(await edit({ amount: '5000' })).toMatchObject({
      code: 'insufficient_funds',
      detail: 'This order needs 5,050.00 USDT; 899.00 USDT is available.',
    })
    expect(await edit({ worst_rate: '0.9' })).toMatchObject({ errors: [{ field: 'worst_rate' }] })
    expect(await loadBalance(lucas, 'USDT')).toEqual(['899.000000', '101.000000'])
    expect(await loadRow({ transaction_id })).toMatchObject({ status: 'PENDING', source_amount: '100.000000' })
    await market.set({ EUR: euros('0.96') })
    await market.first.run()
    expect(await loadRow({ transaction_id })).toMatchObject({ status: 'COMPLETED', target_amount: '96.00' })
    const lateEdit = await edit({ amount: '200' })
    expect(lateEdit).toMatchObject({ code: 'order_filled', order: { id, filled: { target_amount: '96.00' } } })
  })

  test('cancels an order idempotently, which releases the hold; other users cannot', async () => {
    const placedOrder = await placeTestOrder(market.first, lucas)
    const { id } = placedOrder
    const otherPerson = await world.enroll('other', 'Germany')
    const key = nextKey()
    for (const call of [
      () => otherPerson.call(cancelOrder, { params: { id } }),
      () => otherPerson.call(readOrder, { params: { id } }),
      () => otherPerson.call(editOrder, { params: { id }, body: { amount: '1', rate: '1' }, idempotencyKey: key }),
    ]) {
      expect(await settleCall(call())).toMatchObject({ code: 'not_found' })
    }
    for (let attempt = 0; attempt < 2; attempt += 1) {
      expect(await lucas.call(cancelOrder, { params: { id } })).toMatchObject({
        state: 'cancelled',
        on_hold: '0.000000',
      })
    }
    expect(await loadBalance(lucas, 'USDT')).toEqual(['1000.000000', '0.000000'])
    expect(await loadRow(placedOrder)).toMatchObject({ status: 'FAILED', release_reason: 'cancelled' })
    await market.set({ EUR: euros('0.99') })
    await market.first.run()
    expect(await market.first.orders.one({ userId: BigInt(lucas.id), id })).toMatchObject({
      state: 'cancelled',
      filled: null,
    })
    const edit = { params: { id }, body: { amount: '1', rate: '1' }, idempotencyKey: nextKey() }
    expect(await settleCall(lucas.call(editOrder, edit))).toMatchObject({ code: 'order_not_open', order: { id } })
  })

  test('lists open orders, and ended ones page by page', async () => {
    const ids: string[] = []
    for (let n = 0; n < 23; n += 1) {
      const { id } = await placeTestOrder(market.first, lucas, { amount: '10' })
      await market.first.orders.cancel({ userId: BigInt(lucas.id), id })
      market.advance(1000)
      ids.unshift(id)
    }
    const laterOrder = await placeTestOrder(market.first, lucas, { amount: '10' })
    const expires_at = new Date(market.now().getTime() + dayMs).toISOString()
    const earlierOrder = await placeTestOrder(market.first, lucas, { amount: '10', expires_at })
    const first = await lucas.call(listOrders, {})
    expect(first.open.map(({ id }) => id)).toEqual([earlierOrder.id, laterOrder.id])
    const second = await lucas.call(listOrders, { query: { cursor: first.next_cursor! } })
    expect([...first.history, ...second.history].map(({ id }) => id)).toEqual(ids)
    expect(second).toMatchObject({ open: [], next_cursor: null })
  })
})

describe('an open order', () => {
  test('expires, releases its hold, notifies its owner, and is not filled by a later rate', async () => {
    const expires_at = new Date(market.now().getTime() + dayMs).toISOString()
    const placedOrder = await placeTestOrder(market.first, lucas, { expires_at })
    market.advance(dayMs)
    await market.set({ EUR: euros('0.99') })
    await market.first.run()
    expect(await market.first.orders.one({ userId: BigInt(lucas.id), id: placedOrder.id })).toMatchObject({
      state: 'expired',
    })
    expect(await loadBalance(lucas, 'USDT')).toEqual(['1000.000000', '0.000000'])
    expect(await loadRow(placedOrder)).toMatchObject({ status: 'FAILED', release_reason: 'expired' })
    expect(await loadNotices()).toMatchObject([{ code: 'order_expired' }])
    await nextMail(world, lucas, 'Your order has expired')
    const expiredOrder = await placeTestOrder(market.first, lucas, {
      expires_at: new Date(market.now().getTime() + 1).toISOString(),
    })
    market.advance(1)
    const lateEdit = await catchRefusal(
      market.first.orders.edit({
        caller: toCaller(lucas),
        id: expiredOrder.id,
        body: { amount: '1', rate: '1' },
        idempotencyKey: nextKey(),
      }),
    )
    expect(lateEdit, 'before any worker saw it').toMatchObject({ code: 'order_not_open' })
  })

  test('is not filled while rates are stale, and is filled with the next ones', async () => {
    const placedOrder = await placeTestOrder(market.first, lucas, { rate: '0.9400' })
    market.advance(11 * 60_000)
    await market.first.run()
    expect(await market.first.orders.one({ userId: BigInt(lucas.id), id: placedOrder.id })).toMatchObject({
      ...{ state: 'open', rate_now: null, distance_percent: null, on_hold: '606.000000', waiting: null },
    })
    await market.set({})
    await market.first.run()
    expect(await market.first.orders.one({ userId: BigInt(lucas.id), id: placedOrder.id })).toMatchObject({
      state: 'filled',
    })
  })

  test('is not filled beyond a limit, notifies once, and counts towards limits on the day of the fill', async () => {
    const policies = `update limit_policy set max_usd_minor = %s where verification_state = 'verified' and direction = 'out'`
    const purchase = await placeTestOrder(market.first, lucas, {
      source_currency: 'EUR',
      target_currency: 'USDT',
      amount: '500',
      rate: '1',
    })
    const usageBefore = await loadUsage()
    await world.database.pool.query(policies.replace('%s', '100'))
    try {
      await market.first.run()
      await market.first.run()
      expect(await market.first.orders.one({ userId: BigInt(lucas.id), id: purchase.id })).toMatchObject({
        ...{ state: 'open', waiting: { reason: 'limit_exceeded' } },
      })
      expect(await loadNotices()).toMatchObject([{ code: 'order_waits', params: { reason: 'limit_exceeded' } }])
      expect(await loadUsage()).toEqual(usageBefore)
    } finally {
      await world.database.pool.query(policies.replace('%s', '100000000000'))
    }
    await market.first.run()
    expect(
      await market.first.orders.one({ userId: BigInt(lucas.id), id: purchase.id }),
      'not tried again at once',
    ).toMatchObject({
      state: 'open',
    })
    market.advance(10 * 60_000)
    await market.set({})
    await market.first.run()
    expect(await market.first.orders.one({ userId: BigInt(lucas.id), id: purchase.id })).toMatchObject({
      state: 'filled',
    })
    expect(await loadUsage()).not.toEqual(usageBefore)
  })
})

test('a held order keeps its price until it is settled, rejected or cancelled', async () => {
  const hold = {
    outcome: 'hold',
    reason: 'review',
    until: new Date(market.now().getTime() + 7 * dayMs),
  } as const
  const worker = market.worker({ rules: [() => hold] })
  const [settledOrder, rejectedOrder, cancelledOrder] = [
    await placeTestOrder(worker, lucas, { amount: '100', rate: '0.94' }),
    await placeTestOrder(worker, lucas, { amount: '100', rate: '0.94' }),
    await placeTestOrder(worker, lucas, { amount: '100', rate: '0.94' }),
  ]
  await worker.run()
  const loadState = async ({ id }: { id: string }) => (await worker.orders.one({ userId: BigInt(lucas.id), id })).state
  for (const order of [settledOrder, rejectedOrder, cancelledOrder]) expect(await loadState(order)).toBe('in_review')
  expect(await loadFailedChecks(world)).toEqual([])
  const operator = { name: 'olga', note: 'looked at it' }
  await worker.heldTransfers.decideForOperator({ operator, id: settledOrder.transaction_id, decision: 'settle' })
  await worker.heldTransfers.decideForOperator({ operator, id: rejectedOrder.transaction_id, decision: 'reject' })
  expect(await worker.orders.cancel({ userId: BigInt(lucas.id), id: cancelledOrder.id })).toMatchObject({
    state: 'cancelled',
  })
  expect([await loadState(settledOrder), await loadState(rejectedOrder)]).toEqual(['filled', 'rejected'])
  expect(await loadBalance(lucas, 'USDT')).toEqual(['899.000000', '0.000000'])
  expect((await loadNotices()).map(({ code }) => code)).toEqual(['order_filled'])
  expect(worker.errors).toEqual([])
  expect(await loadFailedChecks(world)).toEqual([])
})

test('a held order counts towards limits until it is cancelled', async () => {
  const until = new Date(market.now().getTime() + 7 * dayMs)
  const worker = market.worker({ rules: [() => ({ outcome: 'hold', reason: 'review', until })] })
  const orderBody = { source_currency: 'EUR', target_currency: 'USDT', amount: '100', rate: '1' } as const
  const usageBefore = await loadUsage()
  const purchase = await placeTestOrder(worker, lucas, orderBody)
  expect(await loadUsage()).toEqual(usageBefore)
  await worker.run()
  const { state } = await worker.orders.one({ userId: BigInt(lucas.id), id: purchase.id })
  expect(state).toBe('in_review')
  const [row] = await loadUsage()
  expect(Number(row.movements) - Number(usageBefore[0].movements)).toBe(1) // not money: a count of movements
  await worker.orders.cancel({ userId: BigInt(lucas.id), id: purchase.id })
  expect(await loadUsage()).toMatchObject([{ sum: usageBefore[0].sum }])
  expect(worker.errors).toEqual([])
})

test('an unchanged market fills nothing', async () => {
  await placeTestOrder(market.first, lucas)
  await market.set(calmMarket)
  for (let round = 0; round < 3; round += 1) await market.first.run()
  expect((await lucas.call(listOrders, {})).open).toHaveLength(1)
})
