import { cryptoCodes } from '@tern/money/currency'
import { divide, parseRatio, ratio } from '@tern/money/ratio'
import { createBitstampRatesProvider } from '@tern/providers/rates/bitstamp'
import { createEcbRatesProvider } from '@tern/providers/rates/ecb'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import {
  type Answer,
  candles,
  ecbFile,
  ecbRates,
  type RateSources,
  startRateSources,
  ticker,
} from '@tern/testkit/providers/rate-sources'
import { stopRequestClocks } from '@tern/testkit/providers/request-clocks'
import { createTestDatabase, type TestDatabase } from '@tern/testkit/database'
import { createRegistry } from '../../../platform/providers/provider-registry.ts'
import { Refusal } from '../../../platform/refuse.ts'
import { listHeldBackFixes } from './rate-store.ts'
import { readRateHistory } from './rate-history.ts'
import { fillHistory, refreshRates } from './rate-polls.ts'
import { createRates, type Rates } from './rates.ts'

let database: TestDatabase
let server: RateSources
let rates: Rates
let logEntries: { source?: string; base?: string; reason?: string }[]
let currentTime: Date
let silentAnswer: Answer

// A Tuesday, two hours after the rates of the day were fixed.
const start = new Date('2026-11-24T17:00:00Z')
const fixTime = new Date('2026-11-24T15:00:00Z')
const minute = 60_000
const hour = 60 * minute
const advanceTime = (ms: number): void => {
  currentTime = new Date(currentTime.getTime() + ms)
}

const publishEuro = (day: string, changes: Record<string, string> = {}) =>
  server.setAnswer('/ecb/eurofxref-daily.xml', ecbFile({ [day]: { ...ecbRates, ...changes } }))
const buildTickerPath = (code: string) => `/api/v2/ticker/${code.toLowerCase()}usd/`
const publishBitcoin = (bidPrice: string, askPrice: string, at = currentTime) =>
  server.setAnswer(buildTickerPath('BTC'), ticker(bidPrice, askPrice, at))
/** Publishes current tickers of all markets. */
function publishMarkets(): void {
  publishBitcoin('84858.10', '84865.17')
  server.setAnswer(buildTickerPath('ETH'), ticker('3001', '3001.3', currentTime))
  for (const code of ['USDT', 'USDC']) server.setAnswer(buildTickerPath(code), ticker('1.0001', '1.0002', currentTime))
}

beforeEach(async () => {
  currentTime = start
  logEntries = []
  database = await createTestDatabase()
  server = await startRateSources()
  silentAnswer = stopRequestClocks()
  const clock = { now: () => currentTime }
  const log = {
    warn: (details: object) => logEntries.push(details),
    error: (details: object) => logEntries.push(details),
  }
  const sources = [
    createEcbRatesProvider({ url: `${server.url}/ecb`, ...clock }),
    createBitstampRatesProvider({ url: server.url, ...clock }),
  ]
  rates = createRates({ sources: createRegistry(sources), now: () => currentTime, log })
  publishEuro('2026-11-24')
  publishMarkets()
  await refreshRates(rates, database.pool)
})
afterEach(async () => {
  vi.restoreAllMocks()
  await server.stop()
  await database.drop()
})

const bitcoin = ratio(16_972_327n, 200n)
const buildTooOldRefusal = (currency: string) => ['rates_unavailable', { code: 'rate_too_old', params: { currency } }]
const catchRefusal = (callback: () => unknown): unknown => {
  try {
    return callback()
  } catch (error) {
    return error instanceof Refusal ? [error.code, error.details.reason] : error
  }
}

test('every pair has a rate: the exact ratio of what both sources publish', () => {
  expect([rates.isComplete(), logEntries]).toEqual([true, []])
  const dollar = parseRatio('1.0705')
  expect(rates.usdValueOf('EUR')).toEqual(dollar)
  expect(rates.usdValueOf('BTC')).toEqual(bitcoin)
  expect(rates.pairRate('GBP', 'JPY')).toMatchObject({
    midMarket: divide(parseRatio('171.94'), parseRatio('0.84638')),
    sources: ['ecb'],
    asOf: fixTime,
  })
  expect(rates.pairRate('EUR', 'BTC')).toMatchObject({
    midMarket: divide(dollar, bitcoin),
    sources: ['ecb', 'bitstamp'],
    asOf: fixTime,
  })
  expect(rates.pairRate('USDT', 'USD')).toMatchObject({ midMarket: parseRatio('1.00015'), asOf: start })
})

describe('if the exchange', () => {
  /**
   * Polls for ten minutes while `publishRates` sets the exchange's answers. Returns the value of a bitcoin, or its
   * refusal, after ten minutes and a second later.
   */
  async function publishTenMinutes(publishRates: () => void) {
    for (let minutes = 0; minutes < 10; minutes += 2) {
      advanceTime(2 * minute)
      publishRates()
      await refreshRates(rates, database.pool)
    }
    const rateBefore = catchRefusal(() => rates.usdValueOf('BTC'))
    advanceTime(1000)
    publishRates()
    await refreshRates(rates, database.pool)
    return { rateBefore, rateAfter: catchRefusal(() => rates.usdValueOf('BTC')) }
  }
  /** Expects the rates of other currencies to be unaffected. */
  const expectOtherRates = () => {
    expect(rates.usdValueOf('ETH')).toEqual(parseRatio('3001.15'))
    expect(rates.usdValueOf('EUR')).toEqual(parseRatio('1.0705'))
  }

  test.each([
    ['does not answer in time', () => server.setAnswer(buildTickerPath('BTC'), silentAnswer)],
    ['answers a page', () => server.setAnswer(buildTickerPath('BTC'), '<html>Maintenance</html>')],
    ['repeats what it said first', () => publishBitcoin('84858.10', '84865.17', start)],
    ["answers yesterday's ticker", () => publishBitcoin('80000', '80001', new Date('2026-11-23T17:00:00Z'))],
    ['is dated in the future', () => publishBitcoin('80000', '80001', new Date(currentTime.getTime() + 6 * minute))],
    ['crosses its book', () => publishBitcoin('84865', '84858')],
    ['answers nothing but zero', () => publishBitcoin('0', '0')],
  ])('%s, its rate stops after ten minutes, and no other', async (_name, publishRates) => {
    const { rateBefore, rateAfter } = await publishTenMinutes(() => {
      publishMarkets()
      publishRates()
    })
    expect([rateBefore, rateAfter]).toEqual([bitcoin, buildTooOldRefusal('BTC')])
    expect(catchRefusal(() => rates.pairRate('EUR', 'BTC'))).toEqual(buildTooOldRefusal('BTC'))
    expectOtherRates()
    publishMarkets()
    await refreshRates(rates, database.pool)
    expect(rates.usdValueOf('BTC')).toEqual(bitcoin)
  })

  test('is off by a factor, that is held back and logged once; no price ever uses it', async () => {
    const { rateBefore, rateAfter } = await publishTenMinutes(() => {
      publishMarkets()
      publishBitcoin('8485.81', '8486.51', new Date('2026-11-24T17:01:00Z'))
    })
    expect([rateBefore, rateAfter]).toEqual([bitcoin, buildTooOldRefusal('BTC')])
    expect(logEntries).toMatchObject([{ source: 'bitstamp', base: 'BTC' }])
    expect(await listHeldBackFixes(database.pool)).toMatchObject([{ base: 'BTC', inUse: bitcoin }])
    expectOtherRates()
  })

  test('does not answer at all, its rates stop and the central bank’s continue; it is logged once', async () => {
    await publishTenMinutes(() => {
      for (const code of cryptoCodes) server.setAnswer(buildTickerPath(code), silentAnswer)
    })
    for (const code of cryptoCodes) expect(catchRefusal(() => rates.usdValueOf(code))).toEqual(buildTooOldRefusal(code))
    expect(rates.pairRate('GBP', 'EUR').sources).toEqual(['ecb'])
    expect(logEntries).toEqual([{ source: 'bitstamp', reason: expect.stringContaining('timeout') as string }])
  })
})

describe('if the central bank', () => {
  const expiryTime = new Date('2026-11-25T17:00:00Z')

  test.each([
    ['does not answer in time', () => server.setAnswer('/ecb/eurofxref-daily.xml', silentAnswer)],
    ['answers a page', () => server.setAnswer('/ecb/eurofxref-daily.xml', '<!doctype html><html></html>')],
    ["answers yesterday's rates", () => publishEuro('2026-11-23', { USD: '1.0600' })],
    ['repeats those of the day', () => publishEuro('2026-11-24')],
    ['is dated in the future', () => publishEuro('2026-11-26', { USD: '1.0600' })],
    [
      'is off by a factor',
      () => publishEuro('2026-11-25', Object.fromEntries(Object.keys(ecbRates).map((code) => [code, '5000']))),
    ],
  ])('%s, its rates stop 26 hours after they were fixed, and no others', async (_name, publishRates) => {
    for (const at of ['2026-11-24T20:00:00Z', '2026-11-25T15:10:00Z', '2026-11-25T17:00:00Z']) {
      currentTime = new Date(at)
      publishRates()
      publishMarkets()
      await refreshRates(rates, database.pool)
      expect(rates.usdValueOf('EUR')).toEqual(parseRatio('1.0705'))
    }
    currentTime = new Date(expiryTime.getTime() + 1000)
    await refreshRates(rates, database.pool)
    expect(catchRefusal(() => rates.pairRate('GBP', 'USD'))).toEqual(buildTooOldRefusal('GBP'))
    expect(rates.pairRate('BTC', 'USDT').sources).toEqual(['bitstamp'])
    publishEuro('2026-11-25', { USD: '1.0800' })
    await refreshRates(rates, database.pool)
    expect(rates.usdValueOf('EUR')).toEqual(parseRatio('1.08'))
  })
})

test.each([
  ['is missing', ecbFile({ '2026-11-25': { ...ecbRates, USD: '1.0600' } }).replace(/.*'INR'.*\n/, '')],
  ['is N/A, after a byte-order mark', `\ufeff${ecbFile({ '2026-11-25': { ...ecbRates, USD: '1.0600', INR: 'N/A' } })}`],
  ['is zero', ecbFile({ '2026-11-25': { ...ecbRates, USD: '1.0600', INR: '0' } })],
])(
  'when one currency %s, the others stay fresh and its quotes are refused once its rate is too old',
  async (_, file) => {
    server.setAnswer('/ecb/eurofxref-daily.xml', file)
    currentTime = new Date('2026-11-25T17:00:00Z')
    publishMarkets()
    await refreshRates(rates, database.pool)
    expect(rates.usdValueOf('EUR')).toEqual(parseRatio('1.06'))
    expect(rates.pairRate('EUR', 'INR')).toMatchObject({ midMarket: parseRatio(ecbRates.INR ?? ''), asOf: fixTime })
    advanceTime(1000)
    await refreshRates(rates, database.pool)
    const refusal = buildTooOldRefusal('INR')
    expect(catchRefusal(() => rates.pairRate('USD', 'INR'))).toEqual(refusal)
    expect(catchRefusal(() => rates.pairRate('INR', 'EUR'))).toEqual(refusal)
    expect(rates.pairRate('GBP', 'EUR')).toMatchObject({ asOf: new Date('2026-11-25T15:00:00Z') })
    expect([rates.isKnown('INR'), rates.isKnown('GBP'), rates.isComplete()]).toEqual([false, true, false])
    const problem = "The ECB's reference rates of 2026-11-25 have no usable"
    expect(logEntries).toEqual([{ source: 'ecb', reason: `${problem} INR` }])
    publishEuro('2026-11-25', { USD: '1.0600', INR: '', BRL: '-1' })
    await refreshRates(rates, database.pool)
    expect(logEntries.slice(1)).toEqual([{ source: 'ecb', reason: `${problem} INR, BRL` }])
    publishEuro('2026-11-25', { USD: '1.0600' })
    await refreshRates(rates, database.pool)
    expect(rates.pairRate('EUR', 'INR')).toMatchObject({ asOf: new Date('2026-11-25T15:00:00Z') })
  },
)

test('a first answer dated in the future is never used, nor stored for later', async () => {
  await database.pool.query('delete from rate_latest')
  await database.pool.query('delete from rate_fix')
  publishEuro('2026-11-25')
  publishBitcoin('84858.10', '84865.17', new Date(currentTime.getTime() + hour))
  await refreshRates(rates, database.pool)
  expect([rates.isKnown('EUR'), rates.isKnown('BTC'), rates.isKnown('ETH')]).toEqual([false, false, true])
  advanceTime(2 * hour)
  server.setAnswer(buildTickerPath('BTC'), silentAnswer)
  await refreshRates(rates, database.pool)
  const { rows } = await database.pool.query<{ base: string }>('select base from rate_fix order by base')
  expect(rows.map(({ base }) => base)).toEqual(['ETH', 'USDC', 'USDT'])
})

test('history is read from both sources once, and charts cross them', async () => {
  server.setAnswer(
    '/ecb/eurofxref-hist.xml',
    ecbFile({ '2026-11-20': { ...ecbRates, USD: '1.0600' }, '2025-11-20': { ...ecbRates, USD: '1.0500' } }),
  )
  server.setAnswer('/ecb/eurofxref-hist-90d.xml', ecbFile({ '2026-11-23': { ...ecbRates, USD: '1.0650' } }))
  for (const code of cryptoCodes) {
    const path = `/api/v2/ohlc/${code.toLowerCase()}usd/`
    server.setAnswer(path, (request, response) => {
      const step = new URL(request.url ?? '', 'http://localhost').searchParams.get('step')
      const first = new Date(step === '86400' ? '2025-10-24T00:00:00Z' : '2026-11-22T00:00:00Z')
      response.end(candles(`${code}/USD`, step === '86400' ? ['80000'] : ['81000'], first, Number(step)))
    })
  }
  await fillHistory(rates, database.pool)
  await fillHistory(rates, database.pool)
  expect(logEntries).toEqual([])
  const historyRequests = server.requestedUrls.filter((address) => address.includes('eurofxref-hist'))
  expect(historyRequests).toEqual(['/ecb/eurofxref-hist.xml', '/ecb/eurofxref-hist-90d.xml'])
  const { points } = await readRateHistory(rates, database.pool, { source: 'EUR', target: 'BTC', range: '7d' })
  expect(points.map(({ rate }) => rate)).toEqual([
    divide(parseRatio('1.05'), parseRatio('80000')),
    divide(parseRatio('1.06'), parseRatio('80000')),
    divide(parseRatio('1.06'), parseRatio('81000')),
    divide(parseRatio('1.065'), parseRatio('81000')),
    divide(parseRatio('1.0705'), parseRatio('81000')),
    divide(parseRatio('1.0705'), bitcoin),
  ])
})

test('a start after a weekend, with Friday’s fixes only, still reads the whole history', async () => {
  currentTime = new Date('2026-11-29T12:00:00Z')
  await refreshRates(rates, database.pool)
  await fillHistory(rates, database.pool)
  expect(server.requestedUrls).toContain('/ecb/eurofxref-hist.xml')
})
