import type { CurrencyCode } from '@tern/money/currency'
import { parseRatio, ratio, toRateText } from '@tern/money/ratio'
import type { RateFix, RatesProvider, RatesResult } from '@tern/providers/rates/port'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '@tern/testkit/database'
import { createRegistry, type ProviderRule } from '../../../platform/providers/provider-registry.ts'
import { Refusal } from '../../../platform/refuse.ts'
import { decideHeldBackFix, listHeldBackFixes } from './rate-store.ts'
import { readRateHistory } from './rate-history.ts'
import { fillHistory, refreshRates } from './rate-polls.ts'
import { createRates } from './rates.ts'

let database: TestDatabase
beforeEach(async () => {
  database = await createTestDatabase()
})
afterEach(() => database.drop())

// A Tuesday.
const noon = new Date('2026-11-24T12:00:00Z')
let currentTime = noon
beforeEach(() => {
  currentTime = noon
})
const advanceMinutes = (count: number): void => {
  currentTime = new Date(currentTime.getTime() + count * 60_000)
}

const buildFix = (base: CurrencyCode, quote: CurrencyCode, rate: string, asOf = currentTime): RateFix => ({
  ...{ base, quote, asOf },
  rate: parseRatio(rate),
})

/** Creates a source that reports the given fixes. */
function createSource(name: string, fixes: () => RateFix[], pastFixes: RateFix[] = []) {
  const toKnownRates = (list: RateFix[]): RatesResult => ({ status: 'known', fixes: list })
  const source: RatesProvider = {
    name,
    pollEveryMs: 60_000,
    latest: async () => toKnownRates(fixes()),
    history: async (from) => toKnownRates(pastFixes.filter(({ asOf }) => asOf >= from)),
  }
  return source
}

const buildEcbFixes = (asOf = new Date('2026-11-23T15:00:00Z')) => [
  buildFix('EUR', 'USD', '1.0472', asOf),
  buildFix('EUR', 'GBP', '0.84413', asOf),
  buildFix('EUR', 'JPY', '163.9', asOf),
]
const buildTickerFixes = (btc = '65000') => [buildFix('BTC', 'USD', btc), buildFix('USDT', 'USD', '1.0002')]

function createMarket(sources: RatesProvider[], rules?: readonly ProviderRule[]) {
  const logEntries: object[] = []
  const log = {
    warn: (details: object) => logEntries.push(details),
    error: (details: object) => logEntries.push(details),
  }
  const rates = createRates({ sources: createRegistry(sources, rules), now: () => currentTime, log })
  return { rates, logEntries }
}

const catchRefusal = (callback: () => unknown): unknown => {
  try {
    return callback()
  } catch (error) {
    return error instanceof Refusal ? [error.code, error.details.reason] : error
  }
}

test('currencies of two sources cross by exact ratios, and the rate names both, its fixes and the older time', async () => {
  const { rates } = createMarket([createSource('ecb', buildEcbFixes), createSource('bitstamp', buildTickerFixes)])
  await refreshRates(rates, database.pool)
  expect(rates.usdValueOf('EUR')).toEqual(parseRatio('1.0472'))
  expect(rates.usdValueOf('GBP')).toEqual(ratio(104_720n, 84_413n))
  const { midMarket, sources, asOf, fixIds } = rates.pairRate('GBP', 'JPY')
  expect(midMarket).toEqual(ratio(16_390_000n, 84_413n))
  expect(sources).toEqual(['ecb'])
  expect(new Set(fixIds).size).toBe(3)
  const crossRate = rates.pairRate('EUR', 'BTC')
  expect(crossRate.midMarket).toEqual(ratio(10_472n, 650_000_000n))
  expect([crossRate.sources, crossRate.asOf]).toEqual([['ecb', 'bitstamp'], new Date('2026-11-23T15:00:00Z')])
  expect(rates.pairRate('USD', 'USD')).toMatchObject({
    midMarket: ratio(1n, 1n),
    sources: [],
    asOf: currentTime,
    fixIds: [],
  })
  expect(asOf).toEqual(new Date('2026-11-23T15:00:00Z'))
})

describe('the age of a rate', () => {
  test('stops only pairs whose kind is too old, naming the currency', async () => {
    let isSilent = false
    const ticker = createSource('bitstamp', buildTickerFixes)
    const silencedTicker = {
      ...ticker,
      latest: async () => (isSilent ? { status: 'unknown', reason: 'x' } : ticker.latest()),
    }
    const { rates } = createMarket([createSource('ecb', buildEcbFixes), silencedTicker as RatesProvider])
    await refreshRates(rates, database.pool)
    isSilent = true
    advanceMinutes(10)
    await refreshRates(rates, database.pool)
    expect(toRateText(rates.usdValueOf('BTC'))).toBe('65000.0000')
    advanceMinutes(1)
    expect(catchRefusal(() => rates.usdValueOf('BTC'))).toEqual([
      'rates_unavailable',
      { code: 'rate_too_old', params: { currency: 'BTC' } },
    ])
    expect(catchRefusal(() => rates.pairRate('EUR', 'BTC'))).toEqual(expect.arrayContaining(['rates_unavailable']))
    expect(toRateText(rates.pairRate('EUR', 'USD').rate)).toBe('1.0472')
    isSilent = false
    await refreshRates(rates, database.pool)
    expect(toRateText(rates.usdValueOf('BTC'))).toBe('65000.0000')
  })

  test('is renewed by a source that confirms it, without another row', async () => {
    const { rates } = createMarket([createSource('bitstamp', buildTickerFixes)])
    for (let round = 0; round < 4; round += 1) {
      await refreshRates(rates, database.pool)
      advanceMinutes(6)
    }
    expect(rates.isKnown('BTC')).toBe(true)
    const { rows } = await database.pool.query('select count(*)::int as count from rate_fix')
    expect(rows).toEqual([{ count: 2 }])
  })

  test('a currency without a source has no rate', async () => {
    const { rates } = createMarket([createSource('ecb', buildEcbFixes)])
    expect(catchRefusal(() => rates.usdValueOf('EUR'))).toEqual(['rates_unavailable', undefined])
    await refreshRates(rates, database.pool)
    expect(catchRefusal(() => rates.usdValueOf('ETH'))).toEqual(['rates_unavailable', undefined])
    expect(rates.isComplete()).toBe(false)
    expect(rates.ageSeconds()).toBeNaN()
  })

  test('an older fix never replaces a newer one', async () => {
    let fixes = buildEcbFixes()
    const { rates } = createMarket([createSource('ecb', () => fixes)])
    await refreshRates(rates, database.pool)
    fixes = [buildFix('EUR', 'USD', '1.01', new Date('2026-11-20T15:00:00Z'))]
    await refreshRates(rates, database.pool)
    expect(rates.usdValueOf('EUR')).toEqual(parseRatio('1.0472'))
  })

  test('a fix dated in the future is not used, from any source, and is logged once', async () => {
    let fixes = [buildFix('EUR', 'USD', '1.05', new Date('2026-11-24T12:05:01Z'))]
    const { rates, logEntries } = createMarket([createSource('other', () => fixes)])
    await refreshRates(rates, database.pool)
    await refreshRates(rates, database.pool)
    expect([rates.isKnown('EUR'), logEntries]).toEqual([
      false,
      [{ source: 'other', reason: 'EUR/USD is dated in the future: 2026-11-24T12:05:01.000Z' }],
    ])
    fixes = [buildFix('EUR', 'USD', '1.05', new Date('2026-11-24T12:05:00Z'))]
    await refreshRates(rates, database.pool)
    expect([rates.isKnown('EUR'), rates.pairRate('EUR', 'USD').asOf]).toEqual([true, currentTime])
  })

  test('after our clock was set back, stored fixes are replaced', async () => {
    const { rates } = createMarket([
      createSource('other', () => [buildFix('EUR', 'USD', currentTime > noon ? '1.05' : '1.04')]),
    ])
    advanceMinutes(60)
    await refreshRates(rates, database.pool)
    currentTime = noon
    await refreshRates(rates, database.pool)
    expect(rates.usdValueOf('EUR')).toEqual(parseRatio('1.04'))
  })
})

describe('a jump', () => {
  test('is held back and logged once; the earlier rate stays, and ages', async () => {
    let btc = '65000'
    const { rates, logEntries } = createMarket([createSource('bitstamp', () => buildTickerFixes(btc))])
    await refreshRates(rates, database.pool)
    btc = '6500'
    for (let round = 0; round < 3; round += 1) {
      await refreshRates(rates, database.pool)
    }
    expect(logEntries).toEqual([{ source: 'bitstamp', base: 'BTC', quote: 'USD', asOf: currentTime }])
    expect(toRateText(rates.usdValueOf('BTC'))).toBe('65000.0000')
    expect(await listHeldBackFixes(database.pool)).toMatchObject([{ base: 'BTC', rate: ratio(6500n, 1n) }])
    advanceMinutes(11)
    await refreshRates(rates, database.pool)
    expect(catchRefusal(() => rates.usdValueOf('BTC'))).toEqual(expect.arrayContaining(['rates_unavailable']))
    expect(rates.isKnown('USDT')).toBe(true)
  })

  test('is settled by an operator, or by the source when it returns', async () => {
    let btc = '65000'
    const { rates } = createMarket([createSource('bitstamp', () => buildTickerFixes(btc))])
    await refreshRates(rates, database.pool)
    btc = '6500'
    advanceMinutes(1)
    await refreshRates(rates, database.pool)
    const [heldFix] = await listHeldBackFixes(database.pool)
    const actor = { operator: 'ada', now: currentTime }
    const decisions = await Promise.all(
      [1, 2].map(() => decideHeldBackFix(database.pool, heldFix!.id, 'accept', actor)),
    )
    expect(decisions.filter(Boolean)).toHaveLength(1)
    await refreshRates(rates, database.pool)
    expect(toRateText(rates.usdValueOf('BTC'))).toBe('6500.0000')
    btc = '65000'
    advanceMinutes(1)
    await refreshRates(rates, database.pool)
    expect(await listHeldBackFixes(database.pool)).toHaveLength(1)
    btc = '6510'
    advanceMinutes(1)
    await refreshRates(rates, database.pool)
    expect([await listHeldBackFixes(database.pool), toRateText(rates.usdValueOf('BTC'))]).toEqual([[], '6510.0000'])
    expect(await decideHeldBackFix(database.pool, 'no id', 'accept', actor)).toBe(false)
  })

  test('of exactly the bound passes, in either direction', async () => {
    let btc = '65000'
    const { rates, logEntries } = createMarket([createSource('bitstamp', () => buildTickerFixes(btc))])
    for (const next of ['65000', '84500', '65000', '50000']) {
      btc = next
      await refreshRates(rates, database.pool)
      advanceMinutes(1)
    }
    expect([logEntries, toRateText(rates.usdValueOf('BTC'))]).toEqual([[], '50000.0000'])
    btc = '65000.01'
    await refreshRates(rates, database.pool)
    expect(logEntries).toHaveLength(1)
  })
})

test('many processes that read one source concurrently store each fix once', async () => {
  let btc = 65_000n
  const markets = Array.from({ length: 6 }, () =>
    createMarket([createSource('bitstamp', () => buildTickerFixes(String(btc)))]),
  )
  for (let round = 0; round < 5; round += 1) {
    await Promise.all(markets.map(({ rates }) => refreshRates(rates, database.pool)))
    btc += 10n
    advanceMinutes(1)
  }
  const { rows } = await database.pool.query(
    `select base, count(*)::int as count from rate_fix where state = 'accepted' group by base order by base`,
  )
  expect(rows).toEqual([
    { base: 'BTC', count: 5 },
    { base: 'USDT', count: 1 },
  ])
})

test('the rules choose a currency’s source; another stands in when its rate is too old', async () => {
  const first = createSource('first', () => [buildFix('EUR', 'USD', '1.10', noon)])
  const second = createSource('second', () => [buildFix('EUR', 'USD', '1.20')])
  const { rates } = createMarket([first, second])
  await refreshRates(rates, database.pool)
  expect(rates.pairRate('EUR', 'USD')).toMatchObject({ rate: parseRatio('1.10'), sources: ['first'] })
  advanceMinutes(27 * 60)
  await refreshRates(rates, database.pool)
  expect(rates.pairRate('EUR', 'USD')).toMatchObject({ rate: parseRatio('1.20'), sources: ['second'] })
  const marketWithRules = createMarket([first, second], [{ provider: 'second', currency: ['EUR'] }])
  currentTime = noon
  await refreshRates(marketWithRules.rates, database.pool)
  expect(marketWithRules.rates.pairRate('EUR', 'USD').sources).toEqual(['second'])
})

test('a pair’s spread is data, and is deducted in its own direction', async () => {
  await database.pool.query("insert into spread values ('EUR', 'USD', 2500)")
  const { rates } = createMarket([createSource('ecb', buildEcbFixes)])
  await refreshRates(rates, database.pool)
  expect(rates.pairRate('EUR', 'USD')).toMatchObject({
    midMarket: parseRatio('1.0472'),
    rate: parseRatio('1.044582'),
    spreadPartsPerMillion: 2500n,
  })
  expect(rates.pairRate('USD', 'EUR').spreadPartsPerMillion).toBe(0n)
})

test('the history starts with the rate in force, then has each change, and is filled from the source once', async () => {
  const pastFixes = [
    buildFix('EUR', 'USD', '1.02', new Date('2026-10-01T14:00:00Z')),
    buildFix('EUR', 'USD', '1.03', new Date('2026-11-10T15:00:00Z')),
    buildFix('EUR', 'USD', '1.04', new Date('2026-11-20T15:00:00Z')),
  ]
  const { rates } = createMarket([createSource('ecb', buildEcbFixes, pastFixes)])
  await refreshRates(rates, database.pool)
  await fillHistory(rates, database.pool)
  await fillHistory(rates, database.pool)
  const { points, from } = await readRateHistory(rates, database.pool, { source: 'USD', target: 'EUR', range: '30d' })
  expect(points).toEqual([
    { at: from, rate: ratio(50n, 51n) },
    { at: new Date('2026-11-10T15:00:00Z'), rate: ratio(100n, 103n) },
    { at: new Date('2026-11-20T15:00:00Z'), rate: ratio(25n, 26n) },
    { at: new Date('2026-11-23T15:00:00Z'), rate: ratio(1250n, 1309n) },
  ])
  expect(
    (await readRateHistory(rates, database.pool, { source: 'USD', target: 'EUR', range: '24h' })).points,
  ).toHaveLength(2)
  expect((await readRateHistory(rates, database.pool, { source: 'USD', target: 'ETH', range: '1y' })).points).toEqual(
    [],
  )
  const { rows } = await database.pool.query('select count(*)::int as count from rate_fix')
  expect(rows).toEqual([{ count: 6 }])
})

test('a pair that is too old is refused with its last rate and its validity', async () => {
  const { rates } = createMarket([
    createSource('ecb', buildEcbFixes),
    createSource('bitstamp', () => buildTickerFixes()),
  ])
  await refreshRates(rates, database.pool)
  advanceMinutes(2 * 24 * 60)
  let refusal: Refusal | undefined
  try {
    rates.pairRate('EUR', 'USD')
  } catch (error) {
    refusal = error as Refusal
  }
  expect(refusal).toMatchObject({
    code: 'rates_unavailable',
    details: {
      reason: { code: 'rate_too_old', params: { currency: 'EUR' } },
      extra: {
        last_rate: {
          source_currency: 'EUR',
          target_currency: 'USD',
          rate: '1.0472',
          source: 'ecb',
          time: '2026-11-23T15:00:00.000Z',
          max_age_seconds: 93_600,
          skips_closing_days: true,
        },
      },
    },
  })
  // The bitcoin fix expires first, so its policy is returned.
  expect(rates.lastRate('EUR', 'BTC')).toMatchObject({ policy: { maxAgeSeconds: 600 }, sources: ['ecb', 'bitstamp'] })
})

test('a history marks closing days and gaps', async () => {
  const at = (text: string) => new Date(`2026-${text}Z`)
  const pastFixes = [
    buildFix('EUR', 'USD', '1.03', at('11-10T15:00')),
    buildFix('EUR', 'USD', '1.04', at('11-20T15:00')),
    buildFix('EUR', 'USD', '1.045', at('11-23T14:59')),
  ]
  const { rates } = createMarket([
    createSource('ecb', buildEcbFixes, pastFixes),
    createSource('bitstamp', () => buildTickerFixes()),
  ])
  await refreshRates(rates, database.pool)
  await fillHistory(rates, database.pool)
  const { from, rests, gaps, sources } = await readRateHistory(rates, database.pool, {
    source: 'USD',
    target: 'EUR',
    range: '30d',
  })
  expect(sources).toEqual(['ecb'])
  expect(gaps).toEqual([
    { from, until: at('11-10T15:00') },
    { from: at('11-11T17:00'), until: at('11-20T15:00') },
  ])
  expect(rests).toEqual([{ from: at('11-21T00:00'), until: at('11-23T00:00') }])
  expect((await readRateHistory(rates, database.pool, { source: 'USD', target: 'USDT', range: '7d' })).sources).toEqual(
    ['bitstamp'],
  )
  // The last confirmation of the fix in use is known, so the gap begins exactly when its validity ends.
  advanceMinutes(3 * 24 * 60)
  expect(
    (await readRateHistory(rates, database.pool, { source: 'EUR', target: 'USD', range: '7d' })).gaps.at(-1),
  ).toEqual({ from: at('11-24T17:00'), until: currentTime })
})
