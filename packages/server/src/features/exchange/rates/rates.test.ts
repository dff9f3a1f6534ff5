import type { CurrencyCode } from '@tern/money/currency'
import { parseRatio, ratio, toRateText } from '@tern/money/ratio'
import type { RateFix, RatesProvider, RatesResult } from '@tern/providers/rates/port'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../../../../../tools/testing/test-database.ts'
import { createRegistry, type ProviderRule } from '../../../platform/providers/provider-registry.ts'
import { Refusal } from '../../../platform/refuse.ts'
import { decideHeldBack, heldBackFixes } from './rate-store.ts'
import { createRates } from './rates.ts'

let database: TestDatabase
beforeEach(async () => {
  database = await createTestDatabase()
})
afterEach(() => database.drop())

// A Tuesday.
const noon = new Date('2026-11-24T12:00:00Z')
let time = noon
beforeEach(() => {
  time = noon
})
const minutes = (count: number): void => {
  time = new Date(time.getTime() + count * 60_000)
}

const fix = (base: CurrencyCode, quote: CurrencyCode, rate: string, asOf = time): RateFix => ({
  ...{ base, quote, asOf },
  rate: parseRatio(rate),
})

/** A source that says what it is told to say. */
function sourceOf(name: string, fixes: () => RateFix[], past: RateFix[] = []) {
  const known = (list: RateFix[]): RatesResult => ({ status: 'known', fixes: list })
  const source: RatesProvider = {
    name,
    pollEveryMs: 60_000,
    latest: async () => known(fixes()),
    history: async (from) => known(past.filter(({ asOf }) => asOf >= from)),
  }
  return source
}

const ecbFixes = (asOf = new Date('2026-11-23T15:00:00Z')) => [
  fix('EUR', 'USD', '1.0472', asOf),
  fix('EUR', 'GBP', '0.84413', asOf),
  fix('EUR', 'JPY', '163.9', asOf),
]
const tickerFixes = (btc = '65000') => [fix('BTC', 'USD', btc), fix('USDT', 'USD', '1.0002')]

function marketOf(sources: RatesProvider[], rules?: readonly ProviderRule[]) {
  const told: object[] = []
  const log = { warn: (details: object) => told.push(details), error: (details: object) => told.push(details) }
  const rates = createRates({ pool: database.pool, sources: createRegistry(sources, rules), now: () => time, log })
  return { rates, told }
}

const codeOf = (work: () => unknown): unknown => {
  try {
    return work()
  } catch (error) {
    return error instanceof Refusal ? [error.code, error.details.reason] : error
  }
}

test('currencies of two sources cross by exact ratios, and the rate names both, its fixes and the older time', async () => {
  const { rates } = marketOf([sourceOf('ecb', ecbFixes), sourceOf('bitstamp', tickerFixes)])
  await rates.refresh()
  expect(rates.usdValueOf('EUR')).toEqual(parseRatio('1.0472'))
  expect(rates.usdValueOf('GBP')).toEqual(ratio(104_720n, 84_413n))
  const { midMarket, sources, asOf, fixIds } = rates.pairRate('GBP', 'JPY')
  expect(midMarket).toEqual(ratio(16_390_000n, 84_413n))
  expect(sources).toEqual(['ecb'])
  expect(new Set(fixIds).size).toBe(3)
  const crossed = rates.pairRate('EUR', 'BTC')
  expect(crossed.midMarket).toEqual(ratio(10_472n, 650_000_000n))
  expect([crossed.sources, crossed.asOf]).toEqual([['ecb', 'bitstamp'], new Date('2026-11-23T15:00:00Z')])
  expect(rates.pairRate('USD', 'USD')).toMatchObject({ midMarket: ratio(1n, 1n), sources: [], asOf: time, fixIds: [] })
  expect(asOf).toEqual(new Date('2026-11-23T15:00:00Z'))
})

describe('age', () => {
  test('a rate too old for its kind stops its own pairs and no others, naming the currency', async () => {
    let isSilent = false
    const ticker = sourceOf('bitstamp', tickerFixes)
    const quiet = { ...ticker, latest: async () => (isSilent ? { status: 'unknown', reason: 'x' } : ticker.latest()) }
    const { rates } = marketOf([sourceOf('ecb', ecbFixes), quiet as RatesProvider])
    await rates.refresh()
    isSilent = true
    minutes(10)
    await rates.refresh()
    expect(toRateText(rates.usdValueOf('BTC'))).toBe('65000.0000')
    minutes(1)
    expect(codeOf(() => rates.usdValueOf('BTC'))).toEqual([
      'rates_unavailable',
      { code: 'rate_too_old', params: { currency: 'BTC' } },
    ])
    expect(codeOf(() => rates.pairRate('EUR', 'BTC'))).toEqual(expect.arrayContaining(['rates_unavailable']))
    expect(toRateText(rates.pairRate('EUR', 'USD').rate)).toBe('1.0472')
    isSilent = false
    await rates.refresh()
    expect(toRateText(rates.usdValueOf('BTC'))).toBe('65000.0000')
  })

  test('a source that goes on saying the same keeps its rate fresh without another row', async () => {
    const { rates } = marketOf([sourceOf('bitstamp', tickerFixes)])
    for (let round = 0; round < 4; round += 1) {
      await rates.refresh()
      minutes(6)
    }
    expect(rates.isKnown('BTC')).toBe(true)
    const { rows } = await database.pool.query('select count(*)::int as count from rate_fix')
    expect(rows).toEqual([{ count: 2 }])
  })

  test('nothing is known of a currency without a source', async () => {
    const { rates } = marketOf([sourceOf('ecb', ecbFixes)])
    expect(codeOf(() => rates.usdValueOf('EUR'))).toEqual(['rates_unavailable', undefined])
    await rates.refresh()
    expect(codeOf(() => rates.usdValueOf('ETH'))).toEqual(['rates_unavailable', undefined])
    expect(rates.isComplete()).toBe(false)
    expect(rates.ageSeconds()).toBeNaN()
  })

  test('an older fix never replaces a newer one', async () => {
    let fixes = ecbFixes()
    const { rates } = marketOf([sourceOf('ecb', () => fixes)])
    await rates.refresh()
    fixes = [fix('EUR', 'USD', '1.01', new Date('2026-11-20T15:00:00Z'))]
    await rates.refresh()
    expect(rates.usdValueOf('EUR')).toEqual(parseRatio('1.0472'))
  })

  test('a fix that is dated in the future is not used, whatever source it is of, and told once', async () => {
    let fixes = [fix('EUR', 'USD', '1.05', new Date('2026-11-24T12:05:01Z'))]
    const { rates, told } = marketOf([sourceOf('other', () => fixes)])
    await rates.refresh()
    await rates.refresh()
    expect([rates.isKnown('EUR'), told]).toEqual([
      false,
      [{ source: 'other', reason: 'EUR/USD is dated in the future: 2026-11-24T12:05:01.000Z' }],
    ])
    fixes = [fix('EUR', 'USD', '1.05', new Date('2026-11-24T12:05:00Z'))]
    await rates.refresh()
    expect([rates.isKnown('EUR'), rates.pairRate('EUR', 'USD').asOf]).toEqual([true, time])
  })

  test('where our clock is set back, what was stored is replaced', async () => {
    const { rates } = marketOf([sourceOf('other', () => [fix('EUR', 'USD', time > noon ? '1.05' : '1.04')])])
    minutes(60)
    await rates.refresh()
    time = noon
    await rates.refresh()
    expect(rates.usdValueOf('EUR')).toEqual(parseRatio('1.04'))
  })
})

describe('a jump', () => {
  test('is held back and raised once; the earlier rate stays, and grows old', async () => {
    let btc = '65000'
    const { rates, told } = marketOf([sourceOf('bitstamp', () => tickerFixes(btc))])
    await rates.refresh()
    btc = '6500'
    for (let round = 0; round < 3; round += 1) {
      await rates.refresh()
    }
    expect(told).toEqual([{ source: 'bitstamp', base: 'BTC', quote: 'USD', asOf: time }])
    expect(toRateText(rates.usdValueOf('BTC'))).toBe('65000.0000')
    expect(await heldBackFixes(database.pool)).toMatchObject([{ base: 'BTC', rate: ratio(6500n, 1n) }])
    minutes(11)
    await rates.refresh()
    expect(codeOf(() => rates.usdValueOf('BTC'))).toEqual(expect.arrayContaining(['rates_unavailable']))
    expect(rates.isKnown('USDT')).toBe(true)
  })

  test('is settled by an operator, or by the source when it returns', async () => {
    let btc = '65000'
    const { rates } = marketOf([sourceOf('bitstamp', () => tickerFixes(btc))])
    await rates.refresh()
    btc = '6500'
    minutes(1)
    await rates.refresh()
    const [held] = await heldBackFixes(database.pool)
    const by = { operator: 'ada', now: time }
    const decided = await Promise.all([1, 2].map(() => decideHeldBack(database.pool, held!.id, 'accept', by)))
    expect(decided.filter(Boolean)).toHaveLength(1)
    await rates.refresh()
    expect(toRateText(rates.usdValueOf('BTC'))).toBe('6500.0000')
    btc = '65000'
    minutes(1)
    await rates.refresh()
    expect(await heldBackFixes(database.pool)).toHaveLength(1)
    btc = '6510'
    minutes(1)
    await rates.refresh()
    expect([await heldBackFixes(database.pool), toRateText(rates.usdValueOf('BTC'))]).toEqual([[], '6510.0000'])
    expect(await decideHeldBack(database.pool, 'no id', 'accept', by)).toBe(false)
  })

  test('of exactly the bound passes, in either direction', async () => {
    let btc = '65000'
    const { rates, told } = marketOf([sourceOf('bitstamp', () => tickerFixes(btc))])
    for (const next of ['65000', '84500', '65000', '50000']) {
      btc = next
      await rates.refresh()
      minutes(1)
    }
    expect([told, toRateText(rates.usdValueOf('BTC'))]).toEqual([[], '50000.0000'])
    btc = '65000.01'
    await rates.refresh()
    expect(told).toHaveLength(1)
  })
})

test('many processes that read one source at once store each fix once', async () => {
  let btc = 65_000n
  const markets = Array.from({ length: 6 }, () => marketOf([sourceOf('bitstamp', () => tickerFixes(String(btc)))]))
  for (let round = 0; round < 5; round += 1) {
    await Promise.all(markets.map(({ rates }) => rates.refresh()))
    btc += 10n
    minutes(1)
  }
  const { rows } = await database.pool.query(
    `select base, count(*)::int as count from rate_fix where state = 'accepted' group by base order by base`,
  )
  expect(rows).toEqual([
    { base: 'BTC', count: 5 },
    { base: 'USDT', count: 1 },
  ])
})

test('the rules choose the source of a currency; another stands in when its rate is too old', async () => {
  const first = sourceOf('first', () => [fix('EUR', 'USD', '1.10', noon)])
  const second = sourceOf('second', () => [fix('EUR', 'USD', '1.20')])
  const { rates } = marketOf([first, second])
  await rates.refresh()
  expect(rates.pairRate('EUR', 'USD')).toMatchObject({ rate: parseRatio('1.10'), sources: ['first'] })
  minutes(27 * 60)
  await rates.refresh()
  expect(rates.pairRate('EUR', 'USD')).toMatchObject({ rate: parseRatio('1.20'), sources: ['second'] })
  const ruled = marketOf([first, second], [{ provider: 'second', currency: ['EUR'] }])
  time = noon
  await ruled.rates.refresh()
  expect(ruled.rates.pairRate('EUR', 'USD').sources).toEqual(['second'])
})

test('the spread of a pair is data, and is taken from its rate in its own direction', async () => {
  await database.pool.query("insert into spread values ('EUR', 'USD', 2500)")
  const { rates } = marketOf([sourceOf('ecb', ecbFixes)])
  await rates.refresh()
  expect(rates.pairRate('EUR', 'USD')).toMatchObject({
    midMarket: parseRatio('1.0472'),
    rate: parseRatio('1.044582'),
    spreadPartsPerMillion: 2500n,
  })
  expect(rates.pairRate('USD', 'EUR').spreadPartsPerMillion).toBe(0n)
})

test('the history has the rate in force when it begins, then each change, and is filled from the source once', async () => {
  const past = [
    fix('EUR', 'USD', '1.02', new Date('2026-10-01T14:00:00Z')),
    fix('EUR', 'USD', '1.03', new Date('2026-11-10T15:00:00Z')),
    fix('EUR', 'USD', '1.04', new Date('2026-11-20T15:00:00Z')),
  ]
  const { rates } = marketOf([sourceOf('ecb', ecbFixes, past)])
  await rates.refresh()
  await rates.fillHistory()
  await rates.fillHistory()
  const { points, from } = await rates.history('USD', 'EUR', '30d')
  expect(points).toEqual([
    { at: from, rate: ratio(50n, 51n) },
    { at: new Date('2026-11-10T15:00:00Z'), rate: ratio(100n, 103n) },
    { at: new Date('2026-11-20T15:00:00Z'), rate: ratio(25n, 26n) },
    { at: new Date('2026-11-23T15:00:00Z'), rate: ratio(1250n, 1309n) },
  ])
  expect((await rates.history('USD', 'EUR', '24h')).points).toHaveLength(2)
  expect((await rates.history('USD', 'ETH', '1y')).points).toEqual([])
  const { rows } = await database.pool.query('select count(*)::int as count from rate_fix')
  expect(rows).toEqual([{ count: 6 }])
})
