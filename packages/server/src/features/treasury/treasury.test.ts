import { createQuote, exchangeMoney } from '@tern/contract/exchange'
import { randomUUID } from 'node:crypto'
import type { CurrencyCode } from '@tern/money/currency'
import { type Money, money } from '@tern/money/money'
import { convert, crossRate } from '@tern/money/rate'
import type { LiquidityOrder, LiquidityProvider, LiquidityResult } from '@tern/providers/liquidity/port'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { callTern, ternEnvironment } from '@tern/testkit/processes/call-tern'
import { type TestApp, type TestPerson } from '@tern/testkit/app'
import { openTestApp } from '@tern/testkit/open-test-app'
import { loadFailedChecks, settleCall } from '@tern/testkit/banking'
import { applyRules } from '../../commands/audit/apply-rules.ts'
import { rules } from '../../commands/audit/rules.ts'
import { connect } from '../../platform/database/db.ts'
import { readConfig } from '../../platform/runtime/config.ts'
import { createRegistry } from '../../platform/providers/provider-registry.ts'
import { createExchange } from '../exchange/exchange.ts'
import { createTreasury, type Position } from './treasury.ts'

let alice: TestPerson

const world = await openTestApp()
beforeEach(async () => {
  const { pool } = world.database
  await pool.query('delete from liquidity_reservation')
  await pool.query('delete from liquidity_limit')
  await pool.query(`update treasury_order set updated_at = updated_at - interval '1 hour'`)
  alice = await world.enroll('alice', 'United States')
  await world.fund(alice, 100_000)
})
afterEach(async () => expect(await loadFailedChecks(world)).toEqual([]))

/** Creates a venue that fills each order once at the mid-market rate, unless its `behavior` is changed. */
function createVenue() {
  const orders = new Map<string, LiquidityOrder>()
  const fills = new Map<string, Extract<LiquidityResult, { status: 'filled' }>>()
  const behavior = {
    losesOrders: false,
    losesAnswers: false,
    rejects: false,
    works: false,
    lies: undefined as Money | undefined,
    oversells: false,
  }
  const { usdValueOf } = world.app.product.exchange.valuation
  const unknownResult: LiquidityResult = { status: 'unknown', reason: 'no answer' }
  const buildAnswer = ({ id, sell, buy }: LiquidityOrder): LiquidityResult => {
    if (behavior.rejects) return { status: 'rejected', reason: 'closed' }
    if (behavior.works) return { status: 'working', reference: `venue-${id}` }
    const boughtAmount = behavior.lies ?? convert(sell, buy, crossRate(usdValueOf, sell.currency, buy), 'down')
    const fill = fills.get(id) ?? {
      status: 'filled',
      sold: behavior.oversells ? money(sell.currency, sell.minor + 1n) : sell,
      bought: boughtAmount,
      reference: `venue-${id}`,
      filledAt: new Date(),
    }
    fills.set(id, fill)
    return fill
  }
  const provider: LiquidityProvider = {
    name: 'testVenue',
    async place(order) {
      await new Promise((resolve) => setImmediate(resolve))
      if (behavior.losesOrders) return unknownResult
      orders.set(order.id, order)
      const answer = buildAnswer(order)
      return behavior.losesAnswers ? unknownResult : answer
    },
    async find(id) {
      if (behavior.losesAnswers) return unknownResult
      const order = orders.get(id)
      return order ? buildAnswer(order) : { status: 'not_found' }
    },
  }
  return { provider, orders, fills, behavior }
}

const readSecret = ({ secret, sandboxSecret }: TestApp) =>
  readConfig({ TERN_SECRET: secret, SANDBOX_SECRET: sandboxSecret }).secret

const logEntries: { level: string; message: string }[] = []
const log = {
  error: (_details: object, message: string) => void logEntries.push({ level: 'error', message }),
  warn: (_details: object, message: string) => void logEntries.push({ level: 'warn', message }),
}

/** Returns a pool of this size, and a worker's treasury that uses this pool only. */
function createWorkerWithConnections(connections: number, venue: ReturnType<typeof createVenue>) {
  const { exchange, mover, wallets, undoWindows, now } = world.app.product
  const pool = connect(world.database.applicationUrl, connections)
  const secret = readSecret(world)
  const ownExchange = createExchange({ pool, rates: exchange.valuation, wallets, undoWindows, secret, now })
  const venues = createRegistry<LiquidityProvider>([venue.provider])
  return { pool, treasury: createTreasury({ pool, exchange: ownExchange, mover, wallets, venues, now, log }) }
}

/** Creates the treasury of a worker whose clock is ahead by `laterMs`. */
function createWorkerWith(venue: ReturnType<typeof createVenue>, laterMs = 0) {
  const { pool, exchange, mover, wallets, now } = world.app.product
  const at = () => new Date(now().getTime() + laterMs)
  const venues = createRegistry<LiquidityProvider>([venue.provider])
  return createTreasury({ pool, exchange, mover, wallets, venues, now: at, log })
}
const minuteMs = 60_000

/** Makes the desk owe a currency, by exchanging dollars into it. */
async function createObligation(target: CurrencyCode, amount: string): Promise<Position> {
  const body = { source_currency: 'USD', target_currency: target, amount, side: 'source' } as const
  const { quote_id } = await alice.call(createQuote, { body })
  await alice.call(exchangeMoney, { body: { quote_id }, idempotencyKey: randomUUID() })
  return loadPosition(target)
}
const loadPosition = async (currency: CurrencyCode): Promise<Position> =>
  (await world.app.product.treasury.positions()).find((position) => position.currency === currency)!

const setFlattenLimit = (currency: CurrencyCode, minor: bigint) =>
  world.app.product.treasury.setLimit({ name: 'flatten_above', limit: money(currency, minor), operator: 'tester' })

const loadOrders = async (currency: CurrencyCode) =>
  (
    await world.database.pool.query<{ id: string; state: string; ordered_by: string }>(
      'select id, state, ordered_by from treasury_order where currency = $1 order by created_at, id',
      [currency],
    )
  ).rows

/** Returns the currencies whose balances do not sum to zero over all accounts, with their sums. */
async function loadSums(): Promise<Record<string, bigint>> {
  const { rows } = await world.database.pool.query<{ currency: string; sum: bigint }>(
    'select currency, sum(balance) as sum from ledger.account group by currency having sum(balance) <> 0',
  )
  return Object.fromEntries(rows.map(({ currency, sum }) => [currency, sum]))
}

describe('a position beyond its threshold', () => {
  test('is flattened once by three workers: the trade is booked, and not ordered again', async () => {
    const { position } = await createObligation('BTC', '200.00')
    expect(position).toBeLessThan(0n)
    await setFlattenLimit('BTC', 1n)
    const venue = createVenue()
    const dollars = (await loadPosition('USD')).position
    const workers = [createWorkerWith(venue), createWorkerWith(venue), createWorkerWith(venue)]
    for (let round = 0; round < 3; round += 1)
      await Promise.all(workers.flatMap((worker) => [worker.run(), worker.run()]))
    const filledOrders = [...venue.fills.values()].filter(({ bought }) => bought.currency === 'BTC')
    expect(filledOrders).toHaveLength(1)
    expect(await loadOrders('BTC')).toMatchObject([{ state: 'filled', ordered_by: 'threshold' }])
    expect((await loadPosition('BTC')).position).toBe(position + filledOrders[0]!.bought.minor)
    expect((await loadPosition('USD')).position).toBe(dollars - filledOrders[0]!.sold.minor)
    expect(await loadPosition('BTC')).toMatchObject({ incoming: 0n, outgoing: 0n, openOrder: undefined })
    expect(await loadSums()).toEqual({})
  })

  test('is flattened by a worker with one connection', async () => {
    const { position } = await createObligation('BTC', '20.00')
    await setFlattenLimit('BTC', 1n)
    const venue = createVenue()
    const { pool, treasury } = createWorkerWithConnections(1, venue)
    try {
      await treasury.run()
    } finally {
      await pool.end()
    }
    const [fill] = venue.fills.values()
    expect(fill?.bought.currency).toBe('BTC')
    expect((await loadPosition('BTC')).position).toBe(position + fill!.bought.minor)
  })

  test('is unchanged below the threshold, and without a configured venue', async () => {
    const { position } = await createObligation('ETH', '50.00')
    const venue = createVenue()
    await createWorkerWith(venue).run()
    await setFlattenLimit('ETH', 1n)
    const { pool, exchange, mover, wallets, now } = world.app.product
    await createTreasury({ pool, exchange, mover, wallets, venues: createRegistry([]), now, log }).run()
    expect((await loadPosition('ETH')).position).toBe(position)
    expect(await loadOrders('ETH')).toEqual([])
  })
})

describe('the audit', () => {
  const rule = 'venues got and gave what their orders say'
  const order = 'id = (select max(id::text)::uuid from treasury_order where state = $$filled$$)'

  test.each([
    [
      'an order that says it got more',
      `update treasury_order set bought_minor = bought_minor + 1 where ${order}`,
      rule,
    ],
    ['a fill without its order', `delete from treasury_order where ${order}`, rule],
    [
      'a sum that is not that of its reservations',
      `insert into liquidity_total values ('BTC', 5, 0, 0) on conflict (currency) do update set incoming = 5`,
      'what is promised is the sum of its reservations',
    ],
  ])('finds %s', async (_name, damageSql, brokenRule) => {
    await createObligation('BTC', '25.00')
    await setFlattenLimit('BTC', 1n)
    await createWorkerWith(createVenue()).run()
    const client = await world.database.pool.connect()
    try {
      await client.query('begin')
      await client.query(damageSql)
      const checks = await applyRules(client, rules)
      expect(checks.filter(({ ok }) => !ok).map(({ name }) => name)).toContain(brokenRule)
    } finally {
      await client.query('rollback')
      client.release(true)
    }
  })
})

describe('an order', () => {
  test('whose answer is lost stays pending, is polled by its id, and is posted once', async () => {
    const { position } = await createObligation('ETH', '100.00')
    await setFlattenLimit('ETH', 1n)
    const venue = createVenue()
    venue.behavior.losesAnswers = true
    await createWorkerWith(venue).run()
    const openPosition = await loadPosition('ETH')
    expect(openPosition).toMatchObject({ position, openOrder: { state: 'pending' } })
    expect(openPosition.incoming, 'it may have been carried out').toBeGreaterThan(0n)
    await createWorkerWith(venue, minuteMs).run()
    expect(await loadOrders('ETH')).toHaveLength(1)
    venue.behavior.losesAnswers = false
    await Promise.all([1, 2, 3].map(() => createWorkerWith(venue, 2 * minuteMs).run()))
    const [fill] = venue.fills.values()
    expect(venue.fills.size).toBe(1)
    expect(await loadPosition('ETH')).toMatchObject({ position: position + fill!.bought.minor, incoming: 0n })
  })

  test('is polled once by three workers that wait for its row', async () => {
    const { pool } = world.database
    await createObligation('ETH', '50.00')
    await setFlattenLimit('ETH', 1n)
    const venue = createVenue()
    venue.behavior.losesAnswers = true
    await createWorkerWith(venue).run()
    const find = vi.spyOn(venue.provider, 'find')
    const blocker = await pool.connect()
    const waitingSql = `select from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock' and query like '%update treasury_order%'`
    let polls: Promise<unknown>
    try {
      await blocker.query('begin')
      await blocker.query(`select from treasury_order where state = 'pending' for update`)
      polls = Promise.all([1, 2, 3].map(() => createWorkerWith(venue, minuteMs).run()))
      const loadWaiting = async () => (await pool.query(waitingSql)).rowCount
      await expect.poll(loadWaiting, { interval: 5, timeout: 120_000 }).toBe(3)
    } finally {
      await blocker.query('commit')
      blocker.release()
    }
    await polls
    expect(find).toHaveBeenCalledOnce()
    venue.behavior.losesAnswers = false
    await createWorkerWith(venue, 2 * minuteMs).run()
  })

  test('that was stored but not placed, because the worker died, is placed under its own id', async () => {
    const { position } = await createObligation('ETH', '70.00')
    await setFlattenLimit('ETH', 1n)
    const venue = createVenue()
    const crashingVenue: typeof venue = {
      ...venue,
      provider: { ...venue.provider, place: () => Promise.reject(new Error('killed')) },
    }
    await createWorkerWith(crashingVenue).run()
    const [storedOrder] = (await loadOrders('ETH')).slice(-1)
    expect(storedOrder).toMatchObject({ state: 'pending' })
    await Promise.all([1, 2, 3].map(() => createWorkerWith(venue, minuteMs).run()))
    expect([...venue.orders.keys()]).toEqual([storedOrder!.id])
    const fill = venue.fills.get(storedOrder!.id)
    expect((await loadPosition('ETH')).position).toBe(position + fill!.bought.minor)
  })

  test('that was executed before its worker could post it is posted by another', async () => {
    const { position } = await createObligation('ETH', '60.00')
    await setFlattenLimit('ETH', 1n)
    const venue = createVenue()
    const { pool, exchange, mover, wallets, now } = world.app.product
    const crashingMover = { ...mover, moveWithin: () => Promise.reject(new Error('killed')) }
    const parts = { pool, exchange, wallets, venues: createRegistry([venue.provider]), now, log }
    await createTreasury({ ...parts, mover: crashingMover }).run()
    expect(await loadPosition('ETH')).toMatchObject({ position, openOrder: { state: 'pending' } })
    await createWorkerWith(venue, minuteMs).run()
    expect(venue.fills.size).toBe(1)
    expect((await loadPosition('ETH')).position).toBe(position + [...venue.fills.values()][0]!.bought.minor)
  })

  test('that is rejected is recorded, frees its reservation, and is not repeated at once', async () => {
    await createObligation('ETH', '40.00')
    await setFlattenLimit('ETH', 1n)
    const venue = createVenue()
    venue.behavior.rejects = true
    const orderCount = (await loadOrders('ETH')).length
    await createWorkerWith(venue).run()
    await createWorkerWith(venue, minuteMs).run()
    expect((await loadOrders('ETH')).slice(orderCount)).toMatchObject([{ state: 'rejected' }])
    expect(await loadPosition('ETH')).toMatchObject({ incoming: 0n, openOrder: undefined })
    venue.behavior.rejects = false
    await createWorkerWith(venue, 11 * minuteMs).run()
    expect((await loadOrders('ETH')).slice(orderCount)).toMatchObject([{ state: 'rejected' }, { state: 'filled' }])
  })

  test('that is still working is polled; one filled differently than ordered is not posted', async () => {
    const { position } = await createObligation('ETH', '30.00')
    await setFlattenLimit('ETH', 1n)
    const venue = createVenue()
    venue.behavior.works = true
    await createWorkerWith(venue).run()
    venue.behavior.works = false
    venue.behavior.lies = money('EUR', 5n)
    logEntries.length = 0
    await createWorkerWith(venue, minuteMs).run()
    expect(logEntries.map(({ message }) => message)).toContain('a venue filled something else than was ordered')
    expect(await loadPosition('ETH')).toMatchObject({ position, openOrder: { state: 'pending' } })
    venue.behavior.lies = undefined
    venue.behavior.oversells = true
    venue.fills.clear()
    logEntries.length = 0
    await createWorkerWith(venue, 2 * minuteMs).run()
    expect(logEntries.map(({ message }) => message)).toContain('a venue filled something else than was ordered')
    expect(await loadPosition('ETH')).toMatchObject({ position, openOrder: { state: 'pending' } })
    venue.behavior.oversells = false
    venue.fills.clear()
    await createWorkerWith(venue, 3 * minuteMs).run()
    expect((await loadPosition('ETH')).openOrder).toBeUndefined()
  })

  test('leaves room for every promise: sales stay within open prices and limits', async () => {
    const { position } = await createObligation('BTC', '50.00')
    const returnRequest = { source_currency: 'BTC', target_currency: 'USD', side: 'source', amount: '0.0002' } as const
    await alice.call(createQuote, { body: returnRequest })
    const { treasury } = world.app.product
    await treasury.setLimit({ name: 'long', limit: money('BTC', 0n), operator: 'tester' })
    const { toFlatten } = await loadPosition('BTC')
    expect(toFlatten?.expected).toEqual(money('BTC', -position - 20_000n))
  })
})

describe('tern treasury', () => {
  async function command(...parameters: string[]) {
    const { code, text } = await callTern(ternEnvironment(world), 'treasury', ...parameters)
    return [code, text] as const
  }

  test('lists positions and limits, and changes a limit at once', async () => {
    await createObligation('BTC', '20.00')
    expect(await command('--limit', 'BTC', 'short', '0', '--by', 'olga')).toEqual([
      0,
      'The limit is 0.00000000 BTC from now on.',
    ])
    const body = { source_currency: 'USD', target_currency: 'BTC', amount: '20.00', side: 'source' } as const
    expect(await settleCall(alice.call(createQuote, { body }))).toMatchObject({ code: 'liquidity_unavailable' })
    const [code, text] = await command()
    expect(code).toBe(0)
    expect(text).toMatch(/^BTC +-0\.\d{8} +-\d+\.\d\d /m)
    expect(text).toMatch(/^BTC: sell .* USD for about .* BTC$/m)
    const { rows } = await world.database.pool.query('select changed_by from liquidity_limit')
    expect(rows).toEqual([{ changed_by: 'olga' }])
  })

  test.each([
    [['--limit', 'BTC', 'sideways', '1']],
    [['--limit', 'XXX', 'long', '1']],
    [['--limit', 'USD', 'long', '1.001']],
    [['--limit', 'USD', 'long']],
    [['--flatten', 'USD', '--limit', 'USD', 'long', '1']],
    [['--flatten', 'DOGE']],
  ])('prints its usage for %j', async (parameters) => {
    const [code, text] = await command(...parameters)
    expect([code, text.split('\n')[0]]).toEqual([2, expect.stringContaining('npx tern treasury')])
  })
})
