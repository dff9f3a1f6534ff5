import { divide, inverse, parseRatio } from '@tern/money/ratio'
import { createEcbRatesProvider } from '@tern/providers/rates/ecb'
import { createOpenExchangeRatesProvider } from '@tern/providers/rates/open-exchange-rates'
import { createTestDatabase, type TestDatabase } from '@tern/testkit/database'
import {
  ecbFile,
  ecbRates,
  openExchangeRates,
  openExchangeRatesFile,
  type RateSources,
  startRateSources,
} from '@tern/testkit/providers/rate-sources'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createRegistry, type ProviderRule } from '../../../platform/providers/provider-registry.ts'
import { readRateHistory } from './rate-history.ts'
import { fillHistory, refreshRates } from './rate-polls.ts'
import { decideHeldBackFix, listHeldBackFixes } from './rate-store.ts'
import { createRates, type Rates } from './rates.ts'

let database: TestDatabase
let server: RateSources
let logEntries: { source?: string; quote?: string; reason?: string }[]
let currentTime: Date

// A Tuesday, two hours after the rates of the day were fixed.
const start = new Date('2026-11-24T17:00:00Z')
const hour = 3_600_000
const advanceHours = (count: number): void => {
  currentTime = new Date(currentTime.getTime() + count * hour)
}

beforeEach(async () => {
  currentTime = start
  logEntries = []
  database = await createTestDatabase()
  server = await startRateSources()
  server.setAnswer('/ecb/eurofxref-daily.xml', ecbFile({ '2026-11-24': ecbRates }))
  publishIntraday()
})
afterEach(async () => {
  await server.stop()
  await database.drop()
})

const publishIntraday = (changes: Record<string, string> = {}, at = currentTime) =>
  server.setAnswer('/oxr/latest.json', openExchangeRatesFile(at, { ...openExchangeRates, ...changes }))

function createMarket(rules?: ProviderRule[]): Rates {
  const now = () => currentTime
  const note = (details: object) => logEntries.push(details)
  const sources = [
    createOpenExchangeRatesProvider({ url: `${server.url}/oxr`, appId: 'id', now }),
    createEcbRatesProvider({ url: `${server.url}/ecb`, now }),
  ]
  return createRates({ sources: createRegistry(sources, rules), now, log: { warn: note, error: note } })
}

const perDollar = (code: string) => inverse(parseRatio(openExchangeRates[code] ?? ''))

test('the intraday rate is used for every fiat currency, beside the reference rate of the day', async () => {
  const rates = createMarket()
  await refreshRates(rates, database.pool)
  expect([rates.usdValueOf('EUR'), rates.usdValueOf('INR')]).toEqual([perDollar('EUR'), perDollar('INR')])
  expect(rates.pairRate('GBP', 'JPY')).toMatchObject({
    midMarket: divide(perDollar('GBP'), perDollar('JPY')),
    sources: ['openexchangerates'],
    asOf: start,
    reference: { rate: divide(parseRatio('171.94'), parseRatio('0.84638')) },
  })
  expect(logEntries).toEqual([])
})

test('a rule that names the central bank overrides the order', async () => {
  const rates = createMarket([{ provider: 'ecb' }])
  await refreshRates(rates, database.pool)
  expect(rates.pairRate('EUR', 'USD').sources).toEqual(['ecb'])
})

test('once the intraday source is silent for three hours, the central bank stands in until it returns', async () => {
  const rates = createMarket()
  await refreshRates(rates, database.pool)
  server.setAnswer('/oxr/latest.json', (_request, response) => response.writeHead(429).end())
  advanceHours(3)
  await refreshRates(rates, database.pool)
  expect(rates.pairRate('EUR', 'USD').sources).toEqual(['openexchangerates'])
  currentTime = new Date(currentTime.getTime() + 1000)
  await refreshRates(rates, database.pool)
  expect(rates.pairRate('EUR', 'USD')).toMatchObject({ sources: ['ecb'], midMarket: parseRatio('1.0705') })
  publishIntraday({ EUR: '0.94' })
  await refreshRates(rates, database.pool)
  expect(rates.pairRate('EUR', 'USD')).toMatchObject({
    sources: ['openexchangerates'],
    midMarket: inverse(parseRatio('0.94')),
  })
  expect(logEntries).toEqual([
    { source: 'openexchangerates', reason: expect.stringContaining('answered 429') as string },
  ])
})

test('a currency that the intraday source lacks has the reference rate; the others stay intraday', async () => {
  const rates = createMarket()
  publishIntraday({ INR: 'null' })
  await refreshRates(rates, database.pool)
  expect(rates.pairRate('EUR', 'INR').sources).toEqual(['openexchangerates', 'ecb'])
  expect(rates.pairRate('EUR', 'GBP').sources).toEqual(['openexchangerates'])
  expect(logEntries).toEqual([{ source: 'openexchangerates', reason: expect.stringMatching(/INR$/) as string }])
})

describe('a rate that contradicts the reference rate by more than a tenth', () => {
  test('is held back, even as the first of its pair, and the reference rate is used', async () => {
    const rates = createMarket()
    publishIntraday({ JPY: '1.60845' })
    await refreshRates(rates, database.pool)
    expect(rates.pairRate('EUR', 'JPY').sources).toEqual(['openexchangerates', 'ecb'])
    expect(logEntries).toEqual([{ source: 'openexchangerates', base: 'USD', quote: 'JPY', asOf: currentTime }])
    const [heldFix] = await listHeldBackFixes(database.pool)
    expect(heldFix).toMatchObject({ quote: 'JPY', rate: parseRatio('1.60845'), inUse: undefined })
    const actor = { operator: 'ada', now: currentTime }
    expect(await decideHeldBackFix(database.pool, heldFix!.id, 'reject', actor)).toBe(true)
    publishIntraday()
    advanceHours(1)
    publishIntraday()
    await refreshRates(rates, database.pool)
    expect([rates.pairRate('EUR', 'JPY').sources, await listHeldBackFixes(database.pool)]).toEqual([
      ['openexchangerates'],
      [],
    ])
  })

  test('is held back although each step to it was small', async () => {
    const rates = createMarket()
    for (const rate of ['0.97', '1.01', '1.05', '1.09']) {
      publishIntraday({ EUR: rate })
      await refreshRates(rates, database.pool)
      advanceHours(0.5)
    }
    expect(rates.usdValueOf('EUR')).toEqual(inverse(parseRatio('1.01')))
    expect((await listHeldBackFixes(database.pool)).map(({ quote }) => quote)).toEqual(['EUR'])
  })

  test('is judged by its last fix alone while the reference rate is too old', async () => {
    const rates = createMarket()
    await refreshRates(rates, database.pool)
    advanceHours(30)
    publishIntraday({ EUR: '1.02' })
    await refreshRates(rates, database.pool)
    expect(rates.usdValueOf('EUR')).toEqual(inverse(parseRatio('1.02')))
    publishIntraday({ EUR: '1.2' })
    advanceHours(1)
    publishIntraday({ EUR: '1.2' })
    await refreshRates(rates, database.pool)
    expect(rates.usdValueOf('EUR')).toEqual(inverse(parseRatio('1.02')))
  })
})

test('a chart begins with the reference rates of earlier days, and no past day costs a request', async () => {
  const rates = createMarket()
  server.setAnswer('/ecb/eurofxref-hist.xml', ecbFile({ '2026-11-20': { ...ecbRates, USD: '1.0600' } }))
  await refreshRates(rates, database.pool)
  await fillHistory(rates, database.pool)
  expect(server.requestedUrls.filter((address) => address.startsWith('/oxr'))).toEqual(['/oxr/latest.json'])
  const { points, sources } = await readRateHistory(rates, database.pool, {
    source: 'EUR',
    target: 'USD',
    range: '7d',
  })
  expect(points).toEqual([
    { at: new Date('2026-11-20T15:00:00Z'), rate: parseRatio('1.06') },
    { at: new Date('2026-11-24T15:00:00Z'), rate: parseRatio('1.0705') },
    { at: start, rate: perDollar('EUR') },
  ])
  expect(sources).toEqual(['openexchangerates', 'ecb'])
})
