import { fiatCodes } from '@tern/money/currency'
import { parseRatio } from '@tern/money/ratio'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import {
  type Answer,
  openExchangeRates,
  openExchangeRatesFile,
  type RateSources,
  startRateSources,
} from '@tern/testkit/providers/rate-sources'
import { stopRequestClocks } from '@tern/testkit/providers/request-clocks'
import { createOpenExchangeRatesProvider } from './open-exchange-rates.ts'

const appId = '0123456789abcdef0123456789abcdef'
const time = new Date('2026-09-27T15:20:00Z')
const hourMs = 3_600_000

let server: RateSources
beforeEach(async () => {
  server = await startRateSources()
})
afterEach(() => {
  vi.restoreAllMocks()
  return server.stop()
})

async function loadLatest(answer: Answer) {
  server.setAnswer('/api/latest.json', answer)
  return createOpenExchangeRatesProvider({ url: `${server.url}/api`, appId, now: () => time }).latest()
}
const buildFile = (changes: Record<string, string> = {}, at = time) =>
  openExchangeRatesFile(at, { ...openExchangeRates, ...changes })
const without = (code: string) => buildFile().replace(new RegExp(`.*"${code}".*\n`), '')

test('gives each fiat currency per dollar, with every digit as sent', async () => {
  const digits = { EUR: '0.93335812345678901', JPY: '160.845', INR: '83' }
  const result = await loadLatest(buildFile(digits))
  expect(result).toMatchObject({ status: 'known' })
  const fixes = result.status === 'known' ? result.fixes : []
  expect(fixes.map(({ quote }) => quote).toSorted()).toEqual(fiatCodes.filter((code) => code !== 'USD').toSorted())
  expect(result).not.toHaveProperty('missing')
  for (const [quote, rate] of Object.entries(digits)) {
    expect(fixes.find((fix) => fix.quote === quote)).toEqual({ base: 'USD', quote, rate: parseRatio(rate), asOf: time })
  }
})

test('the App ID is sent in a header and is in no address, reason or error', async () => {
  let authorization: string | undefined
  const result = await loadLatest((request, response) => {
    authorization = request.headers.authorization
    response
      .writeHead(401, { 'content-type': 'application/json' })
      .end(
        JSON.stringify({ error: true, status: 401, message: 'invalid_app_id', description: `Invalid App ID ${appId}` }),
      )
  })
  expect([authorization, server.requestedUrls]).toEqual([`Token ${appId}`, ['/api/latest.json']])
  expect(result).toMatchObject({ status: 'unknown', reason: expect.stringContaining('answered 401') as string })
  expect(JSON.stringify(result)).not.toContain(appId)
})

describe('a currency is missing, without affecting others, when', () => {
  test.each([
    ['it is not in the answer', without('INR')],
    ['its rate is null', buildFile({ INR: 'null' })],
    ['its rate is zero', buildFile({ INR: '0' })],
    ['its rate is negative', buildFile({ INR: '-83.3' })],
    ['its rate is absurd', buildFile({ INR: '1000000000' })],
    ['its rate is in powers of ten', buildFile({ INR: '8.3e1' })],
    ['its rate is a list', buildFile({ INR: '[83.3]' })],
  ])('%s', async (_name, answer) => {
    const result = await loadLatest(answer)
    const codes = result.status === 'known' ? result.fixes.map(({ quote }) => quote) : []
    expect([codes.length, codes.includes('INR')]).toEqual([fiatCodes.length - 2, false])
    expect(result).toMatchObject({ missing: 'The rates of Open Exchange Rates have no usable INR' })
  })
})

describe('the answer is not used when', () => {
  const end =
    (code: number, headers = {}): Answer =>
    (_request, response) =>
      response.writeHead(code, headers).end(buildFile())
  test.each<[string, Answer, RegExp]>([
    ['it is empty', '', /not JSON/],
    ['it is a page', '<!doctype html><html></html>', /not JSON/],
    ['it is cut off', buildFile().slice(0, -9), /not JSON/],
    ['it is null', 'null', /not rates of the US dollar/],
    ['it is a list', '[]', /not rates of the US dollar/],
    ['it has no rates', '{"timestamp": 1790522400, "base": "USD", "rates": {}}', /have/],
    ['its base is another currency', buildFile().replace('"USD",', '"EUR",'), /not rates of the US dollar/],
    ['it has no time', buildFile().replace(/"timestamp".*/, ''), /have no time/],
    ['its time is a date', buildFile().replace(/("timestamp": ).*,/, '$1"2026-09-27T15:20:00Z",'), /have no time/],
    ['it is dated in the future', buildFile({}, new Date(time.getTime() + 301_000)), /dated in the future/],
    ['it is older than three hours', buildFile({}, new Date(time.getTime() - 3 * hourMs - 1000)), /out of date/],
    ['no rate is usable', openExchangeRatesFile(time, {}), /have no usable/],
    ['the key is refused', end(401), /answered 401/],
    ['the plan does not cover it', end(403), /answered 403/],
    ['the quota is used up', end(429), /answered 429/],
    ['the service fails', end(503), /answered 503/],
    ['it redirects', end(302, { location: '/api/other.json' }), /fetch failed|redirect/],
    ['it never ends', (_request, response) => response.end(' '.repeat(100_001)), /longer than 100000 bytes/],
  ])('%s', async (_name, answer, reason) => {
    expect(await loadLatest(answer)).toMatchObject({
      status: 'unknown',
      reason: expect.stringMatching(reason) as string,
    })
  })

  test('it is slow', async () => {
    expect(await loadLatest(stopRequestClocks())).toMatchObject({ status: 'unknown' })
    expect(AbortSignal.timeout, 'a request has five seconds').toHaveBeenCalledWith(5000)
  })
})

test('rates of just three hours ago, or of a clock slightly ahead, are used', async () => {
  for (const at of [new Date(time.getTime() - 3 * hourMs), new Date(time.getTime() + 300_000)]) {
    expect(await loadLatest(buildFile({}, at))).toMatchObject({
      status: 'known',
      fixes: expect.arrayContaining([expect.objectContaining({ asOf: at })]) as unknown,
    })
  }
})
