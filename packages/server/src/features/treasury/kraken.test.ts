import { createQuote, exchangeMoney } from '@tern/contract/exchange'
import { money, toDecimal } from '@tern/money/money'
import { convert, crossRate } from '@tern/money/rate'
import { createKrakenLiquidityProvider } from '@tern/providers/liquidity/kraken'
import type { LiquidityProvider } from '@tern/providers/liquidity/port'
import { loadFailedChecks } from '@tern/testkit/banking'
import { openTestApp } from '@tern/testkit/open-test-app'
import { krakenKey, krakenSecret, type KrakenDouble, startKrakenDouble } from '@tern/testkit/providers/kraken'
import { randomUUID } from 'node:crypto'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createRegistry } from '../../platform/providers/provider-registry.ts'
import { createTreasury } from './treasury.ts'

let kraken: KrakenDouble

const world = await openTestApp()
beforeEach(async () => {
  kraken = await startKrakenDouble()
  // Buys bitcoin for the dollars of the order, with a fee of 0.4 % in bitcoin.
  kraken.state.execute = (order) => {
    const dollars = money('USD', BigInt((order.get('volume') ?? '').replace('.', '')))
    const { usdValueOf } = world.app.product.exchange.valuation
    const bitcoin = convert(dollars, 'BTC', crossRate(usdValueOf, 'USD', 'BTC'), 'down')
    const fee = toDecimal(money('BTC', (bitcoin.minor * 4n) / 1000n))
    return {
      volume: toDecimal(bitcoin),
      trades: [
        {
          base: ['XXBT', `${toDecimal(bitcoin)}00`, `${fee}00`],
          quote: ['ZUSD', `-${toDecimal(dollars)}00`, '0.0000'],
        },
      ],
    }
  }
  const alice = await world.enroll('alice', 'United States')
  await world.fund(alice, 100_000)
  const body = { source_currency: 'USD', target_currency: 'BTC', amount: '200.00', side: 'source' } as const
  const { quote_id } = await alice.call(createQuote, { body })
  await alice.call(exchangeMoney, { body: { quote_id }, idempotencyKey: randomUUID() })
})
afterEach(async () => {
  await kraken.close()
  expect(await loadFailedChecks(world)).toEqual([])
})

/** Creates the treasury of a worker that trades at Kraken, whose clock is ahead by `laterMs`. */
function createWorker(laterMs = 0) {
  const { pool, exchange, mover, wallets, now } = world.app.product
  const venue = createKrakenLiquidityProvider({ url: kraken.url, apiKey: krakenKey, apiSecret: krakenSecret })
  const log = { error: () => {}, warn: () => {} }
  const at = () => new Date(now().getTime() + laterMs)
  const venues = createRegistry<LiquidityProvider>([venue])
  return createTreasury({ pool, exchange, mover, wallets, venues, now: at, log })
}
const loadPosition = async () =>
  (await world.app.product.treasury.positions()).find(({ currency }) => currency === 'BTC')!.position

test('a fill is booked with the fee that Kraken took', async () => {
  const before = await loadPosition()
  const order = await createWorker().flatten({ currency: 'BTC', operator: 'ada' })
  expect(order).toMatchObject({ state: 'filled', provider: 'kraken', sell_currency: 'USD' })
  const [entry] = kraken.ledger.values()
  const [amount, fee] = [entry!.amount, entry!.fee].map((text) => BigInt(text.replace('.', '')) / 100n)
  expect([fee! > 0n, order!.bought_minor]).toEqual([true, amount! - fee!])
  expect(await loadPosition()).toBe(before + order!.bought_minor!)
})

test('an order whose answer was lost is found later by any of several workers, and trades once', async () => {
  kraken.fail('AddOrder', { kind: 'lose_answer' })
  expect(await createWorker().flatten({ currency: 'BTC', operator: 'ada' })).toMatchObject({ state: 'pending' })
  const later = 31_000
  await Promise.all([createWorker(later), createWorker(later), createWorker(later)].map((worker) => worker.run()))
  const { rows } = await world.database.pool.query<{ state: string }>(
    'select state from treasury_order order by created_at desc limit 1',
  )
  expect([rows, kraken.orders.size]).toEqual([[{ state: 'filled' }], 1])
})

test('an order that never reached Kraken is placed once, by one of several workers', async () => {
  kraken.fail('AddOrder', { kind: 'status', status: 502 })
  expect(await createWorker().flatten({ currency: 'BTC', operator: 'ada' })).toMatchObject({ state: 'pending' })
  const workers = [createWorker(31_000), createWorker(31_000), createWorker(31_000)]
  await Promise.all(workers.map((worker) => worker.run()))
  expect([kraken.placed().length, kraken.orders.size]).toEqual([2, 1])
})
