import { cryptoCodes } from '@tern/money/currency'
import { parseRatio, ratio } from '@tern/money/ratio'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { type Answer, candles, type RateSources, startRateSources, ticker } from '@tern/testkit/providers/rate-sources'
import { stopRequestClocks } from '@tern/testkit/providers/request-clocks'
import { createBitstampRatesProvider } from './bitstamp.ts'

let server: RateSources
beforeEach(async () => {
  server = await startRateSources()
})
afterEach(() => {
  vi.restoreAllMocks()
  return server.stop()
})

const time = new Date('2026-09-27T15:20:00Z')
const createSource = () => createBitstampRatesProvider({ url: server.url, now: () => time })

const prices = { BTC: ['84858.10', '84865.17'], ETH: ['3001', '3001.3'], USDT: ['1.00010', '1.00020'] } as const
const tickerPath = (code: string) => `/api/v2/ticker/${code.toLowerCase()}usd/`
beforeEach(() => {
  for (const [code, [bidPrice, askPrice]] of Object.entries({ ...prices, USDC: ['0.99995', '0.99995'] })) {
    server.setAnswer(tickerPath(code), ticker(bidPrice ?? '', askPrice ?? '', time))
  }
})

/** Returns the known rates, and the reason for missing ones, given this reply from the bitcoin market. */
async function loadLatest(bitcoin?: Answer) {
  if (bitcoin !== undefined) server.setAnswer(tickerPath('BTC'), bitcoin)
  const result = await createSource().latest()
  if (result.status === 'unknown') throw new Error(result.reason)
  return { fixes: new Map(result.fixes.map((fix) => [fix.base, fix])), missing: result.missing }
}

test('gives each currency in US dollars: the exact middle of bid and ask, at the time of the ticker', async () => {
  const { fixes, missing } = await loadLatest()
  expect([[...fixes.keys()].toSorted(), missing]).toEqual([cryptoCodes.toSorted(), undefined])
  expect(fixes.get('BTC')).toEqual({ base: 'BTC', quote: 'USD', rate: ratio(16_972_327n, 200n), asOf: time })
  expect(fixes.get('ETH')?.rate).toEqual(parseRatio('3001.15'))
  expect(fixes.get('USDT')?.rate).toEqual(parseRatio('1.00015'))
  expect(fixes.get('USDC')?.rate).toEqual(parseRatio('0.99995'))
})

test("yesterday's ticker keeps its own time", async () => {
  const yesterday = new Date(time.getTime() - 86_400_000)
  const { fixes, missing } = await loadLatest(ticker('84858.10', '84865.17', yesterday))
  expect([fixes.get('BTC')?.asOf, missing]).toEqual([yesterday, undefined])
})

describe('a market has no rate, without affecting others, when', () => {
  const buildBook = (bidPrice: string, askPrice: string) => ticker(bidPrice, askPrice, time)
  const buildChangedBook = (change: object) =>
    JSON.stringify({ ...(JSON.parse(buildBook('1', '1')) as object), ...change })

  test.each([
    ['bid and ask are crossed', buildBook('100.01', '100')],
    ['they are more than five percent apart', buildBook('100', '105.01')],
    ['the bid is zero', buildBook('0', '0.01')],
    ['the bid is negative', buildBook('-1', '1')],
    ['both are absurd', buildBook('1000000000', '1000000000')],
    ['they are no plain decimals', buildBook('1e3', '1e3')],
    ['they are no numbers', buildBook('NaN', 'NaN')],
    ['they are numbers of JSON, which are not exact', buildChangedBook({ bid: 84858.1, ask: 84865.17 })],
    ['the ask is missing', buildChangedBook({ ask: undefined })],
    ['the time is missing', buildChangedBook({ timestamp: undefined })],
    ['the time is no number of seconds', buildChangedBook({ timestamp: '2026-09-27T15:20:00Z' })],
    ['it is dated in the future', ticker('1', '1', new Date(time.getTime() + 301_000))],
    ['the answer has another shape', '[]'],
    ['the answer is null', 'null'],
    ['the answer is cut off', buildBook('1', '1').slice(0, -5)],
    ['the answer is empty', ''],
    ['the answer is a page', '<html></html>'],
    ['the exchange tells an error', '{"status": "error", "reason": "Invalid market", "code": "API0000"}'],
  ])('%s', async (_name, answer) => {
    const { fixes, missing } = await loadLatest(answer)
    expect([[...fixes.keys()].toSorted(), missing]).toEqual([
      ['ETH', 'USDC', 'USDT'],
      expect.stringMatching(/BTC|btcusd/),
    ])
  })

  test.each([404, 429, 500, 503])('it answers %i', async (code) => {
    const { fixes, missing } = await loadLatest((_request, response) =>
      response.writeHead(code).end(buildBook('1', '1')),
    )
    expect([fixes.has('BTC'), fixes.has('ETH'), missing]).toEqual([false, true, expect.stringContaining(`${code}`)])
  })

  test('it is slow, redirects, or sends without end', async () => {
    const answers: Answer[] = [
      stopRequestClocks(),
      (_request, response) => response.writeHead(301, { location: tickerPath('ETH') }).end(),
      (_request, response) => response.end(' '.repeat(1_000_001)),
    ]
    for (const answer of answers) {
      const { fixes, missing } = await loadLatest(answer)
      expect([fixes.has('BTC'), fixes.has('ETH'), missing]).toEqual([false, true, expect.stringContaining('btcusd')])
    }
    expect(AbortSignal.timeout, 'a request has five seconds').toHaveBeenCalledWith(5000)
  })
})

test('bid and ask exactly five percent apart pass, as does a clock slightly ahead', async () => {
  const futureTime = new Date(time.getTime() + 300_000)
  const { fixes } = await loadLatest(ticker('100', '105', futureTime))
  expect(fixes.get('BTC')).toMatchObject({ rate: parseRatio('102.5'), asOf: futureTime })
})

test('is unknown when no market answers', async () => {
  await server.stop()
  expect(await createSource().latest()).toMatchObject({
    status: 'unknown',
    reason: expect.stringContaining('usdcusd') as string,
  })
})

describe('the history', () => {
  const daySeconds = 86_400
  const hourSeconds = 3600

  /** Serves candles of every length for every market, from the requested start up to the unfinished one. */
  function publishCandles(chooseClose = (_step: number, _date: Date) => '100') {
    for (const code of cryptoCodes) {
      server.setAnswer(`/api/v2/ohlc/${code.toLowerCase()}usd/`, (request, response) => {
        const query = new URL(request.url ?? '', 'http://localhost').searchParams
        const [step, start, limit] = ['step', 'start', 'limit'].map((name) => Number(query.get(name)))
        const first = new Date(start! * 1000)
        const count = Math.min(limit!, Math.floor((time.getTime() / 1000 - start!) / step!) + 1)
        const closingPrices = Array.from({ length: count }, (_, index) =>
          chooseClose(step!, new Date(first.getTime() + index * step! * 1000)),
        )
        response.end(candles(`${code}/USD`, closingPrices, first, step!))
      })
    }
  }
  async function loadBitcoinHistory(from: Date) {
    const result = await createSource().history(from)
    if (result.status === 'unknown') throw new Error(result.reason)
    return result.fixes.filter(({ base }) => base === 'BTC')
  }

  test('has a close for each day, in the last month for each hour, in the last day for each quarter', async () => {
    publishCandles()
    const fixes = await loadBitcoinHistory(new Date(time.getTime() - 400 * daySeconds * 1000))
    expect(fixes).toHaveLength(370 + 29 * 24 + 24 * 4)
    const times = fixes.map(({ asOf }) => asOf.getTime())
    expect([times, new Set(times).size]).toEqual([times.toSorted((a, b) => a - b), fixes.length])
    expect(fixes.at(-1)?.asOf).toEqual(new Date('2026-09-27T15:15:00Z'))
  })

  test('dates each close at the end of its candle, and omits the open one', async () => {
    publishCandles((_step, at) => String(at.getUTCHours() * 100 + at.getUTCMinutes() + 1))
    const fixes = await loadBitcoinHistory(new Date('2026-09-27T14:30:00Z'))
    expect(fixes).toEqual([
      { base: 'BTC', quote: 'USD', rate: ratio(1431n, 1n), asOf: new Date('2026-09-27T14:45:00Z') },
      { base: 'BTC', quote: 'USD', rate: ratio(1446n, 1n), asOf: new Date('2026-09-27T15:00:00Z') },
      { base: 'BTC', quote: 'USD', rate: ratio(1501n, 1n), asOf: new Date('2026-09-27T15:15:00Z') },
    ])
    expect(server.requestedUrls).toHaveLength(cryptoCodes.length)
    expect(server.requestedUrls[0]).toMatch(/\?step=900&limit=1000&start=1790519400&exclude_current_candle=true$/)
  })

  test('omits absurd candles', async () => {
    publishCandles((_step, at) => (at.getUTCHours() === 10 ? '0' : '84858.10'))
    const from = new Date(time.getTime() - 2 * daySeconds * 1000)
    expect(await loadBitcoinHistory(from)).toHaveLength(23 + 23 * 4)
  })

  test('is unknown as a whole when an answer is missing or about another market', async () => {
    const from = new Date(time.getTime() - hourSeconds * 1000)
    for (const answer of ['{"data": {"pair": "ETH/USD", "ohlc": []}}', '{"data": {}}', '[]', '<html></html>']) {
      publishCandles()
      server.setAnswer('/api/v2/ohlc/btcusd/', answer)
      expect((await createSource().history(from)).status).toBe('unknown')
    }
  })
})
