import { money } from '@tern/money/money'
import {
  type Execute,
  krakenKey,
  krakenSecret,
  type KrakenDouble,
  type KrakenFault,
  startKrakenDouble,
} from '@tern/testkit/providers/kraken'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createKrakenLiquidityProvider } from './kraken.ts'
import type { LiquidityOrder } from './port.ts'

let kraken: KrakenDouble
beforeEach(async () => {
  kraken = await startKrakenDouble()
})
afterEach(() => kraken.close())

const connect = (changes: object = {}) =>
  createKrakenLiquidityProvider({ url: kraken.url, apiKey: krakenKey, apiSecret: krakenSecret, ...changes })

const id = '6d1b345e-2821-40e2-ad83-4ecb18a06876'
const sellEuro: LiquidityOrder = { id, sell: money('EUR', 100_000n), buy: 'USD' }
const buyEuro: LiquidityOrder = { id, sell: money('USD', 100_000n), buy: 'EUR' }

/** Executes a sale of euros in two trades, with fees in dollars to four places. */
const executeSale: Execute = () => ({
  volume: '1000.00000000',
  trades: [
    { base: ['ZEUR', '-400.0000', '0.0000'], quote: ['ZUSD', '428.1999', '0.8564'] },
    { base: ['ZEUR', '-600.0000', '0.0000'], quote: ['ZUSD', '642.3001', '1.2847'] },
  ],
})

describe('an order', () => {
  test('to sell the base currency is a sale of its volume, with the fee taken from the proceeds', async () => {
    kraken.state.execute = executeSale
    const result = await connect().place(sellEuro)
    // 428.1999 − 0.8564 + 642.3001 − 1.2847 = 1068.3589
    expect(result).toMatchObject({ status: 'filled', sold: money('EUR', 100_000n), bought: money('USD', 106_835n) })
    expect(Object.fromEntries(kraken.placed()[0]!.fields)).toMatchObject({
      ...{ ordertype: 'market', type: 'sell', pair: 'EURUSD', volume: '1000.00', oflags: 'fciq', cl_ord_id: id },
      deadline: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/) as string,
    })
  })

  test('to sell the quote currency is a purchase for its volume, with the fee taken from what is bought', async () => {
    kraken.state.execute = () => ({
      volume: '934.14291452',
      trades: [{ base: ['ZEUR', '934.1429', '1.8683'], quote: ['ZUSD', '-999.9996', '0.0000'] }],
    })
    expect(await connect().place(buyEuro)).toMatchObject({
      status: 'filled',
      sold: money('USD', 100_000n),
      bought: money('EUR', 93_227n),
    })
    expect(Object.fromEntries(kraken.placed()[0]!.fields)).toMatchObject({
      ...{ type: 'buy', pair: 'EURUSD', volume: '1000.00', oflags: 'viqc,fcib' },
    })
  })

  test.each([
    ['bitcoin', money('BTC', 12_345_678n), 'USD', 'sell', 'XBTUSD', '0.12345678'],
    ['ether', money('ETH', 1_234_567_890_123_456_789n), 'USD', 'sell', 'ETHUSD', '1.23456789'],
    ['a stablecoin', money('USDT', 123_456_789n), 'USD', 'sell', 'USDTUSD', '123.456789'],
    ['yen', money('JPY', 150_000n), 'USD', 'buy', 'USDJPY', '150000'],
    ['dollars for yen', money('USD', 12_345n), 'JPY', 'sell', 'USDJPY', '123.45'],
    ['dollars for bitcoin', money('USD', 12_345n), 'BTC', 'buy', 'XBTUSD', '123.45'],
  ] as const)(
    'to sell %s has the side and the decimals of its market',
    async (_name, sell, buy, side, pair, volume) => {
      await connect().place({ id, sell, buy })
      expect(Object.fromEntries(kraken.placed()[0]!.fields)).toMatchObject({ type: side, pair, volume })
    },
  )

  test.each([
    ['no market trades the two', money('INR', 100_000n), 'USD', /no market between INR and USD/],
    ['two steps would be needed', money('EUR', 100_000n), 'JPY', /no market between EUR and JPY/],
    ['its market is closed', money('USDC', 100_000_000n), 'USD', /in state cancel_only/],
    ['its volume is below the minimum', money('EUR', 499n), 'USD', /4.99 EUR is too little/],
    ['its cost is below the minimum', money('USD', 49n), 'EUR', /0.49 USD is too little/],
    ['nothing of it can be traded', money('ETH', 1n), 'USD', /0.00000000 ETH is too little/],
  ] as const)('is rejected, and not placed, if %s', async (_name, sell, buy, reason) => {
    expect(await connect().place({ id, sell, buy })).toMatchObject({
      status: 'rejected',
      reason: expect.stringMatching(reason) as string,
    })
    expect(kraken.placed()).toEqual([])
  })
})

describe('a fill', () => {
  test('that Kraken ends early counts as far as it was executed', async () => {
    kraken.state.execute = () => ({
      status: 'canceled',
      reason: 'Market price protection',
      volume: '400.00000000',
      trades: [{ base: ['ZEUR', '-400.0000', '0.0000'], quote: ['ZUSD', '428.2000', '0.8564'] }],
    })
    expect(await connect().place(sellEuro)).toMatchObject({ status: 'filled', sold: money('EUR', 40_000n) })
  })

  test('without any trade is a rejection, with the reason', async () => {
    kraken.state.execute = () => ({ status: 'canceled', reason: 'Insufficient liquidity', volume: '0.0', trades: [] })
    expect(await connect().place(sellEuro)).toEqual({ status: 'rejected', reason: 'Insufficient liquidity' })
  })

  test('is working until the ledger has each of its trades', async () => {
    kraken.state.execute = executeSale
    kraken.state.isLedgerLate = true
    const venue = connect()
    const placed = await venue.place(sellEuro)
    const reference = 'reference' in placed ? placed.reference : undefined
    expect(await venue.find(id)).toEqual({ status: 'working', reference })
    kraken.state.isLedgerLate = false
    const [lastEntryId, lastEntry] = [...kraken.ledger].at(-1)!
    kraken.ledger.delete(lastEntryId)
    expect(await venue.find(id)).toEqual({ status: 'working', reference })
    kraken.ledger.set(lastEntryId, lastEntry)
    expect(await venue.find(id)).toMatchObject({ status: 'filled', bought: money('USD', 106_835n), reference })
  })

  test('is working while its list of trades is shorter than its volume', async () => {
    kraken.state.execute = executeSale
    const venue = connect()
    await venue.place(sellEuro)
    const order = [...kraken.orders.values()][0]!
    const trades = order.trades.splice(1)
    expect(await venue.find(id)).toMatchObject({ status: 'working' })
    order.trades.push(...trades)
    expect(await venue.find(id)).toMatchObject({ status: 'filled' })
  })

  test('of hundreds of trades, among trades of others, is the sum of its own', async () => {
    const trade = { base: ['ZEUR', '-1.0000', '0.0000'], quote: ['ZUSD', '1.0709', '0.0021'] } as const
    kraken.state.execute = () => ({ volume: '90.00000000', trades: Array.from({ length: 90 }, () => trade) })
    const venue = connect()
    await venue.place({ ...sellEuro, id: '0f8fad5b-d9cb-469f-a165-70867728950e' })
    expect(await venue.place(sellEuro)).toMatchObject({
      status: 'filled',
      sold: money('EUR', 9000n),
      // 90 × 1.0688 = 96.192
      bought: money('USD', 9619n),
    })
  })

  test('rounds against us: what left up, what came down', async () => {
    kraken.state.execute = () => ({
      volume: '0.12345678',
      trades: [{ base: ['XXBT', '0.1234567890', '0.0000000001'], quote: ['ZUSD', '-9999.9901', '0.0000'] }],
    })
    expect(await connect().place({ id, sell: money('USD', 1_000_000n), buy: 'BTC' })).toMatchObject({
      sold: money('USD', 1_000_000n),
      bought: money('BTC', 12_345_678n),
    })
  })
})

describe('the same order, placed again, never trades twice', () => {
  test('after its answer was lost', async () => {
    kraken.state.execute = executeSale
    kraken.fail('AddOrder', { kind: 'lose_answer' })
    const venue = connect()
    expect(await venue.place(sellEuro)).toMatchObject({ status: 'unknown' })
    expect(await venue.find(id)).toMatchObject({ status: 'filled', bought: money('USD', 106_835n) })
    expect(await venue.place(sellEuro)).toMatchObject({ status: 'filled', bought: money('USD', 106_835n) })
    expect([kraken.placed().length, kraken.orders.size]).toEqual([1, 1])
  })

  test('while it is open', async () => {
    const venue = connect()
    const first = await venue.place(sellEuro)
    expect(first).toMatchObject({ status: 'working' })
    expect(await venue.place(sellEuro)).toEqual(first)
    expect(kraken.orders.size).toBe(1)
  })

  test('by another worker, at the same time', async () => {
    kraken.state.execute = executeSale
    const venue = connect()
    await venue.place(sellEuro)
    expect(await Promise.all([connect().place(sellEuro), connect().place(sellEuro)])).toMatchObject([
      { status: 'filled' },
      { status: 'filled' },
    ])
    expect(kraken.orders.size).toBe(1)
  })

  test('if Kraken cannot say whether it has the order', async () => {
    for (const name of ['OpenOrders', 'ClosedOrders', 'Time', 'AssetPairs']) {
      kraken.fail(name, { kind: 'status', status: 502 })
      expect(await connect().place(sellEuro)).toMatchObject({ status: 'unknown' })
    }
    expect(kraken.placed()).toEqual([])
  })

  test('if the first one arrives so late that it may have been repeated: Kraken drops it', async () => {
    kraken.state.execute = executeSale
    // The order's request takes eleven seconds.
    kraken.state.orderDelay = 11
    expect(await connect().place(sellEuro)).toMatchObject({
      status: 'unknown',
      reason: expect.stringContaining('Deadline') as string,
    })
    kraken.state.orderDelay = 9
    expect(await connect().place(sellEuro)).toMatchObject({ status: 'filled' })
    expect(kraken.orders.size).toBe(1)
  })

  test('and two orders of one id are never taken for one', async () => {
    kraken.state.execute = executeSale
    const venue = connect()
    await venue.place(sellEuro)
    kraken.orders.set('OTHER', { ...[...kraken.orders.values()][0]! })
    expect(await venue.find(id)).toMatchObject({
      status: 'unknown',
      reason: expect.stringContaining('several') as string,
    })
  })
})

test('an order that Kraken does not have is not found, even if Kraken returns others', async () => {
  const venue = connect()
  expect(await venue.find(id)).toEqual({ status: 'not_found' })
  const other = { open: { OTHER: { cl_ord_id: 'other', status: 'open' } } }
  kraken.fail('OpenOrders', { kind: 'text', text: JSON.stringify({ error: [], result: other }) })
  expect(await venue.find(id)).toEqual({ status: 'not_found' })
})

describe('refusals of Kraken', () => {
  test.each([
    'EOrder:Insufficient funds',
    'EOrder:Order minimum not met',
    'EOrder:Cost minimum not met',
    'EGeneral:Invalid arguments:volume',
    'EGeneral:Permission denied',
    'ETrade:User Locked',
  ])('%s is final', async (error) => {
    kraken.fail('AddOrder', { kind: 'errors', errors: [error] })
    expect(await connect().place(sellEuro)).toEqual({ status: 'rejected', reason: error })
  })

  test.each([
    'EOrder:Rate limit exceeded',
    'EOrder:Orders limit exceeded',
    'EOrder:Duplicate cl_ord_id',
    'EOrder:Deadline elapsed',
    'EAPI:Rate limit exceeded',
    'EService:Unavailable',
    'EService:Busy',
    'EService:Market in post_only mode',
    'EGeneral:Internal error',
    'EGeneral:Temporary lockout',
    'EDatabase:Internal error',
  ])('%s leaves the outcome open', async (error) => {
    kraken.fail('AddOrder', { kind: 'errors', errors: ['EOrder:Insufficient funds', error] })
    expect(await connect().place(sellEuro)).toMatchObject({
      status: 'unknown',
      reason: expect.stringContaining(error) as string,
    })
  })

  test('a wrong key is a fault of ours, and no answer contains it', async () => {
    const result = await connect({ apiKey: 'other-key' }).place(sellEuro)
    expect(result).toMatchObject({ status: 'unknown', fault: 'configuration' })
    expect(JSON.stringify(result)).not.toMatch(/other-key/)
  })
})

test.each<[string, KrakenFault]>([
  ['never comes', { kind: 'silence' }],
  ['is an error page', { kind: 'text', text: '<html></html>' }],
  ['is empty', { kind: 'text', text: '' }],
  ['is cut off', { kind: 'text', text: '{"error":[],"result":{"descr"' }],
  ['has no result', { kind: 'text', text: '{"error":[]}' }],
  ['has no order id', { kind: 'text', text: '{"error":[],"result":{"txid":[]}}' }],
  ['is null', { kind: 'text', text: 'null' }],
  ['redirects', { kind: 'status', status: 302, headers: { location: '/0/private/Other' } }],
  ['is a failure', { kind: 'status', status: 520 }],
])('an order whose answer %s is unknown', async (_name, fault) => {
  kraken.fail('AddOrder', fault)
  // Only the silent answer waits for the whole time.
  const timeoutMs = fault.kind === 'silence' ? 500 : 600_000
  expect(await connect({ timeoutMs }).place(sellEuro)).toMatchObject({ status: 'unknown' })
})

test.each([
  ['amounts in powers of ten', { amount: '-4e2' }],
  ['no amount', { amount: undefined }],
  ['amounts as numbers of JSON', { amount: -400 }],
])('a ledger with %s fills nothing', async (_name, change) => {
  kraken.state.execute = executeSale
  const venue = connect()
  kraken.state.isLedgerLate = true
  await venue.place(sellEuro)
  kraken.state.isLedgerLate = false
  const [entryId, entry] = [...kraken.ledger][0]!
  kraken.ledger.set(entryId, { ...entry, ...change } as typeof entry)
  expect(await venue.find(id)).toMatchObject({ status: 'working' })
})

describe('several workers with one key', () => {
  test('send numbers that only grow, and repeat a call that another one overtook', async () => {
    const venue = connect()
    kraken.fail(
      'OpenOrders',
      ...Array.from({ length: 4 }, () => ({ kind: 'errors', errors: ['EAPI:Invalid nonce'] }) as const),
    )
    const found = await Promise.all(Array.from({ length: 10 }, () => venue.find(id)))
    expect(found).toEqual(Array.from({ length: 10 }, () => ({ status: 'not_found' })))
    const nonces = kraken.calls.flatMap(({ fields }) => fields.get('nonce') ?? []).map(BigInt)
    expect(nonces).toHaveLength(24)
    expect(nonces.every((nonce, index) => index === 0 || nonce > nonces[index - 1]!)).toBe(true)
  })

  test('a number that Kraken refuses for good is unknown, not a rejection', async () => {
    kraken.state.lastNonce = BigInt(Date.now() + 3_600_000) * 1000n
    expect(await connect().place(sellEuro)).toMatchObject({
      status: 'unknown',
      reason: expect.stringContaining('Invalid nonce') as string,
    })
  })
})

describe('the set-up', () => {
  const installation = { publicUrl: 'https://tern.example', isProduction: true, payoutCurrencies: [] }
  const check = async (topic: string, changes: object = {}) =>
    (await connect(changes).setup!.check(topic, installation))
      .map(({ verdict, found }) => `${verdict}: ${found}`)
      .join()

  test('of a sound account is fine, but for a key that may withdraw', async () => {
    expect(await check('clock')).toMatch(/^ok: .* 0 s|^ok: .* 1 s/)
    expect(await check('key')).toBe('ok: The key may query and trade.')
    expect(await check('balances')).toBe('ok: The account has 250000.0000 USD.')
    expect(await check('withdrawals')).toBe('warning: The key may withdraw.')
    kraken.state.denied.add('WithdrawInfo')
    expect(await check('withdrawals')).toBe('ok: The key may not withdraw.')
    expect([kraken.placed(), kraken.orders.size]).toEqual([[], 0])
  })

  test('names missing rights, a wrong key, an empty account, a wrong clock and a spent nonce', async () => {
    kraken.state.denied.add('Ledgers').add('AddOrder')
    expect(await check('key')).toBe('fault: The key lacks Query ledger entries, Create & modify orders.')
    expect(await check('key', { apiKey: 'other' })).toBe('fault: Kraken refuses the key.')
    expect(await check('key', { apiSecret: Buffer.from('other').toString('base64') })).toBe(
      'fault: Kraken refuses the key.',
    )
    kraken.state.balances = {}
    expect(await check('balances')).toMatch(/^warning: The account is empty/)
    kraken.state.clockOffset = 60
    expect(await check('clock')).toMatch(/^warning: .* (59|60|61) s/)
    kraken.state.lastNonce = BigInt(Date.now() + 3_600_000) * 1000n
    expect(await check('key')).toMatch(/^fault: .*Invalid nonce/)
  })

  test('is not judged without an answer', async () => {
    for (const [topic, name] of [
      ['clock', 'Time'],
      ['key', 'Balance'],
      ['withdrawals', 'WithdrawInfo'],
      ['balances', 'Balance'],
    ] as const) {
      kraken.fail(name, { kind: 'status', status: 503 })
      expect(await check(topic)).toMatch(/^not_checked: .*503/)
    }
  })
})

test('the signature is that of the documentation', async () => {
  // The double verifies each signature by the documented formula, with the documented private key.
  expect(await connect().find(id)).toEqual({ status: 'not_found' })
  expect(await connect({ apiSecret: Buffer.from('wrong').toString('base64') }).find(id)).toMatchObject({
    fault: 'configuration',
  })
})
