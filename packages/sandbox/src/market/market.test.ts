import { DatabaseSync } from 'node:sqlite'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { buildForm } from '../cards/test-payments.ts'
import type { Rate } from '../server/currency.ts'
import { openStore } from '../server/store.ts'
import { startTestSandbox, temporaryFolder, type TestSandbox, listInvalidFields } from '../test-sandbox.ts'
import { createCourses } from './course.ts'

interface Feed {
  as_of: string
  usd_per_unit: Record<string, Rate>
}

const hourMs = 3_600_000
const dayMs = 24 * hourMs
// In the middle of a step, so that no new step begins during a test.
const monday = '2026-03-02T09:00:05.000Z'

const setClock = (sandbox: TestSandbox, now: string) => sandbox.call('PUT', '/api/clock', { body: { now } })
const addMs = (ms: number): string => new Date(Date.parse(monday) + ms).toISOString()
async function fetchFeed(sandbox: TestSandbox): Promise<Feed> {
  const { as_of, usd_per_unit } = (await sandbox.call('GET', '/api/rates', { secret: null })).json as unknown as Feed
  return { as_of, usd_per_unit }
}
const history = async (sandbox: TestSandbox, from: string) =>
  (await sandbox.call('GET', `/api/rates/history?from=${from}`, { secret: null })).json['points'] as Feed[]
const changeMarket = (sandbox: TestSandbox, body: object) => sandbox.call('PUT', '/api/control/market', { body })
const setLevel = (sandbox: TestSandbox, code: string, numerator: string, denominator: string) =>
  sandbox.call('PUT', '/api/rates', { body: { usd_per_unit: { [code]: { numerator, denominator } } } })

async function startWalking(options: { dataDir?: string } = {}): Promise<TestSandbox> {
  const sandbox = await startTestSandbox({ ...options, market: 'walk' })
  await setClock(sandbox, monday)
  return sandbox
}

/** Returns `after` divided by `before`, as a reduced fraction. */
function times(before: Rate | undefined, after: Rate | undefined): string {
  const [b, a] = [before, after].map((rate) => [BigInt(rate!.numerator), BigInt(rate!.denominator)] as const)
  const [numerator, denominator] = [a![0] * b![1], a![1] * b![0]]
  let [x, y] = [numerator, denominator]
  while (y !== 0n) [x, y] = [y, x % y]
  return `${numerator / x}/${denominator / x}`
}

describe('a market that walks', () => {
  test('holds for fifteen seconds and then moves, except the US dollar', async () => {
    const sandbox = await startWalking()
    const first = await fetchFeed(sandbox)
    expect(first.as_of).toBe('2026-03-02T09:00:00.000Z')
    await setClock(sandbox, addMs(2000))
    expect(await fetchFeed(sandbox)).toEqual(first)
    await setClock(sandbox, addMs(hourMs))
    const next = await fetchFeed(sandbox)
    expect(next.as_of).toBe('2026-03-02T10:00:00.000Z')
    const movedCodes = Object.keys(first.usd_per_unit).filter(
      (code) => times(first.usd_per_unit[code], next.usd_per_unit[code]) !== '1/1',
    )
    expect(movedCodes.toSorted()).toEqual(
      ['AUD', 'BRL', 'BTC', 'CAD', 'ETH', 'EUR', 'GBP', 'INR', 'JPY', 'SGD', 'USDC', 'USDT'].toSorted(),
    )
    expect(next.usd_per_unit['USD']).toEqual({ numerator: '1', denominator: '1' })
    for (const { numerator, denominator } of Object.values(next.usd_per_unit)) {
      expect([numerator, denominator].every((digits) => /^[1-9]\d{0,38}$/.test(digits))).toBe(true)
    }
  })

  test('has a history that ends with the feed: by quarter hours, hours and days', async () => {
    const sandbox = await startWalking()
    const points = await history(sandbox, '2020-01-01T00:00:00Z')
    expect(points.at(-1)).toEqual(await fetchFeed(sandbox))
    const ages = points.map(({ as_of }) => Date.parse(addMs(0)) - Date.parse(as_of))
    expect(Math.max(...ages)).toBeLessThanOrEqual(400 * dayMs)
    expect(Math.max(...ages)).toBeGreaterThan(398 * dayMs)
    for (const [index, age] of ages.slice(1, -1).entries()) {
      const maxGapMs = age <= dayMs ? hourMs / 4 : age <= 7 * dayMs ? hourMs : dayMs
      expect(ages[index]! - age, `${age / hourMs} hours ago`).toBeLessThanOrEqual(maxGapMs)
    }
    expect(points.length).toBeGreaterThan(600)
    const weekPoints = await history(sandbox, addMs(-7 * dayMs))
    expect(weekPoints).toEqual(points.slice(-weekPoints.length))
    expect(await history(sandbox, addMs(1000))).toEqual([])
  })

  test('had the rates that its history shows later', async () => {
    const sandbox = await startWalking()
    await setClock(sandbox, '2026-03-02T12:00:00.000Z')
    const earlierFeed = await fetchFeed(sandbox)
    await setClock(sandbox, addMs(5 * dayMs))
    const points = await history(sandbox, addMs(0))
    expect(points.find(({ as_of }) => as_of === earlierFeed.as_of)).toEqual(earlierFeed)
  })

  test('is the same again after a restart, and for the same seed', async () => {
    const dataDir = temporaryFolder()
    const first = await startWalking({ dataDir })
    await changeMarket(first, { seed: 7 })
    const firstFeed = await fetchFeed(first)
    await first.stop()
    const restartedSandbox = await startTestSandbox({ dataDir, market: 'still' })
    await setClock(restartedSandbox, monday)
    expect((await fetchFeed(restartedSandbox)).usd_per_unit).toEqual(firstFeed.usd_per_unit)
    const other = await startWalking()
    expect((await fetchFeed(other)).usd_per_unit).not.toEqual(firstFeed.usd_per_unit)
    await changeMarket(other, { seed: 7 })
    expect((await fetchFeed(other)).usd_per_unit).toEqual(firstFeed.usd_per_unit)
  })

  test('moves with its level, set by hand or by a jump, from that moment on', async () => {
    const sandbox = await startWalking()
    const before = await fetchFeed(sandbox)
    await setLevel(sandbox, 'EUR', '50', '93')
    const halvedFeed = await fetchFeed(sandbox)
    expect(times(before.usd_per_unit['EUR'], halvedFeed.usd_per_unit['EUR'])).toBe('1/2')
    expect(Date.parse(halvedFeed.as_of)).toBeGreaterThan(Date.parse(before.as_of))
    expect((await changeMarket(sandbox, { jump: { EUR: 100, BTC: -20 } })).status).toBe(200)
    const jumpedFeed = await fetchFeed(sandbox)
    expect(times(before.usd_per_unit['EUR'], jumpedFeed.usd_per_unit['EUR'])).toBe('1/1')
    expect(times(before.usd_per_unit['BTC'], jumpedFeed.usd_per_unit['BTC'])).toBe('4/5')
    expect(jumpedFeed.usd_per_unit['ETH']).toEqual(before.usd_per_unit['ETH'])
    const at = '2026-03-02T09:00:00.000Z'
    const pastPrices = (await history(sandbox, addMs(-hourMs))).find(({ as_of }) => as_of === at)
    expect(pastPrices).toEqual(before)
  })

  test('keeps its history when its course changes', async () => {
    const sandbox = await startWalking()
    const pastPrices = await history(sandbox, addMs(-dayMs))
    const calmFeed = await fetchFeed(sandbox)
    await changeMarket(sandbox, { volatility_percent: 1000, seed: 3 })
    expect((await fetchFeed(sandbox)).usd_per_unit).not.toEqual(calmFeed.usd_per_unit)
    await changeMarket(sandbox, { mode: 'still' })
    expect((await fetchFeed(sandbox)).usd_per_unit['EUR']).toEqual({ numerator: '100', denominator: '93' })
    expect((await history(sandbox, addMs(-dayMs))).slice(0, -1)).toEqual(pastPrices)
  })
})

describe('a fixed market', () => {
  test('has a flat history, and exactly the levels that were set', async () => {
    const sandbox = await startTestSandbox()
    await setClock(sandbox, monday)
    await setLevel(sandbox, 'EUR', '12', '10')
    const now = await fetchFeed(sandbox)
    expect(now.usd_per_unit['EUR']).toEqual({ numerator: '12', denominator: '10' })
    const points = await history(sandbox, addMs(-30 * dayMs))
    expect(new Set(points.slice(0, -1).map(({ usd_per_unit }) => JSON.stringify(usd_per_unit['EUR']))).size).toBe(1)
    expect(points[0]!.usd_per_unit['EUR']).toEqual({ numerator: '100', denominator: '93' })
    expect(points.at(-1)!.usd_per_unit).toEqual(now.usd_per_unit)
  })

  test('keeps its levels when the clock is set back', async () => {
    const sandbox = await startTestSandbox()
    await setClock(sandbox, addMs(30 * dayMs))
    await setLevel(sandbox, 'EUR', '12', '10')
    await setClock(sandbox, monday)
    expect((await fetchFeed(sandbox)).usd_per_unit['EUR']).toEqual({ numerator: '12', denominator: '10' })
    await setLevel(sandbox, 'EUR', '13', '10')
    expect((await fetchFeed(sandbox)).usd_per_unit['EUR']).toEqual({ numerator: '13', denominator: '10' })
  })

  test('takes any number of jumps within thirty digits', async () => {
    const sandbox = await startTestSandbox()
    for (let count = 0; count < 40; count += 1) {
      expect((await changeMarket(sandbox, { jump: { EUR: 7 } })).status).toBe(200)
      expect((await changeMarket(sandbox, { jump: { EUR: -7 } })).status).toBe(200)
    }
    const { numerator, denominator } = (await fetchFeed(sandbox)).usd_per_unit['EUR']!
    expect(Math.max(numerator.length, denominator.length)).toBeLessThanOrEqual(30)
    // 100/93 times 0.9951 to the power of 40.
    expect(Number(numerator) / Number(denominator)).toBeCloseTo((100 / 93) * 0.9951 ** 40, 12)
    for (let count = 0; count < 40; count += 1) await changeMarket(sandbox, { jump: { BTC: 900 } })
    expect(listInvalidFields(await changeMarket(sandbox, { jump: { BTC: 900 } }))).toEqual(['jump.BTC'])
  })
})

test.each(['walk', 'still'] as const)('a silent feed of a market in mode %s repeats its last rates', async (market) => {
  const sandbox = await startTestSandbox({ market })
  await setClock(sandbox, monday)
  expect((await changeMarket(sandbox, { silent: true })).json).toMatchObject({ mode: market, silent: true })
  const last = await fetchFeed(sandbox)
  await setClock(sandbox, addMs(3 * dayMs))
  await changeMarket(sandbox, { silent: true, jump: { EUR: 5 } })
  expect(await fetchFeed(sandbox)).toEqual(last)
  expect((await history(sandbox, addMs(-hourMs))).at(-1)).toEqual(last)
  expect((await sandbox.call('GET', '/rates')).text).toContain('The feed is silent')
  expect((await changeMarket(sandbox, { silent: false })).json).toMatchObject({ mode: market, silent: false })
  const next = await fetchFeed(sandbox)
  // The interval is not exact, because the clock runs on during the test.
  expect(Date.parse(next.as_of) - Date.parse(last.as_of)).toBeGreaterThan(2 * dayMs)
  expect(next.usd_per_unit['EUR']).not.toEqual(last.usd_per_unit['EUR'])
  expect((await history(sandbox, addMs(hourMs))).length).toBeGreaterThan(100)
})

test.each([
  [{ mode: 'wild' }, 'mode'],
  [{ mode: 1 }, 'mode'],
  [{ seed: -1 }, 'seed'],
  [{ volatility_percent: 1001 }, 'volatility_percent'],
  [{ silent: 'yes' }, 'silent'],
  [{ jump: [] }, 'jump'],
  [{ jump: { USD: 5 } }, 'jump.USD'],
  [{ jump: { XXX: 5 } }, 'jump.XXX'],
  [{ jump: { EUR: 1.5 } }, 'jump.EUR'],
  [{ jump: { EUR: -91 } }, 'jump.EUR'],
  [{ jump: { EUR: '5' } }, 'jump.EUR'],
])('the market refuses %j by name and is unchanged', async (body, field) => {
  const sandbox = await startTestSandbox()
  const before = await fetchFeed(sandbox)
  const answer = await changeMarket(sandbox, { mode: 'walk', ...body })
  expect([answer.status, listInvalidFields(answer)]).toEqual([422, [field]])
  expect((await fetchFeed(sandbox)).usd_per_unit).toEqual(before.usd_per_unit)
  expect((await sandbox.call('GET', '/api/control/market')).json).toMatchObject({ mode: 'still', silent: false })
})

test('the market is steered only with the secret, and its history needs a time', async () => {
  const sandbox = await startTestSandbox()
  for (const method of ['GET', 'PUT']) {
    const body = method === 'PUT' ? { body: { mode: 'walk' } } : {}
    expect((await sandbox.call(method, '/api/control/market', { ...body, secret: null })).status).toBe(401)
  }
  for (const query of ['', '?from=', '?from=yesterday']) {
    expect(listInvalidFields(await sandbox.call('GET', `/api/rates/history${query}`))).toEqual(['from'])
  }
})

test('levels set in an earlier version of the sandbox are kept', () => {
  const file = join(temporaryFolder(), 'sandbox.sqlite')
  const earlierDatabase = new DatabaseSync(file)
  earlierDatabase.exec(`create table rate (code text primary key, numerator text not null, denominator text not null) strict;
    create table identity_check (reference text primary key, id text not null unique) strict;
    create table book_line (id text primary key) strict; create table checkout_session (id text primary key) strict;
    insert into rate values ('EUR', '12', '10'); pragma user_version = 6`)
  earlierDatabase.close()
  const store = openStore(file)
  expect(createCourses(store).all().levels.get('EUR')).toMatchObject([{ numerator: '12', denominator: '10' }])
  store.close()
})

describe('the control page', () => {
  const page = async (sandbox: TestSandbox) => (await sandbox.call('GET', '/control', { secret: null })).text
  const settings = async (sandbox: TestSandbox) => (await sandbox.call('GET', '/api/control/market')).json

  test('starts and stops the market, silences the feed, and resets all', async () => {
    const sandbox = await startTestSandbox()
    const post = (fields: object) => sandbox.call('POST', '/control/market', buildForm(fields))
    const saved = await post({ do: 'save', walks: 'yes', silent: 'yes', seed: '9', volatility_percent: '250' })
    expect([saved.status, saved.headers.get('location')]).toEqual([303, '/control?done=market#market'])
    expect(await settings(sandbox)).toEqual({ mode: 'walk', seed: 9, volatility_percent: 250, silent: true })
    expect(await page(sandbox)).toMatch(/name="walks" type="checkbox" value="yes" checked/)
    expect((await sandbox.call('GET', '/')).text).toContain('walks, and the feed is silent')
    await post({ do: 'save', walks: 'yes', seed: '9', volatility_percent: '250' })
    expect((await sandbox.call('GET', '/rates')).text).toContain('250 % of the usual volatility')
    await post({ do: 'reset' })
    expect(await settings(sandbox)).toEqual({ mode: 'still', seed: 1, volatility_percent: 100, silent: false })
    expect((await sandbox.call('GET', '/rates')).text).toContain('It stands still')
  })

  test('moves one currency by a jump or to a level', async () => {
    const sandbox = await startTestSandbox()
    const post = async (fields: object) => (await sandbox.call('POST', '/control/market', buildForm(fields))).status
    expect(await post({ do: 'level', code: 'EUR', usd: '01.250' })).toBe(303)
    expect((await fetchFeed(sandbox)).usd_per_unit['EUR']).toEqual({ numerator: '1250', denominator: '1000' })
    expect(await post({ do: 'jump', code: 'EUR', percent: '-20' })).toBe(303)
    expect(times({ numerator: '1', denominator: '1' }, (await fetchFeed(sandbox)).usd_per_unit['EUR'])).toBe('1/1')
  })

  test.each([
    [{ do: 'jump', code: 'EUR', percent: 'much' }, 'percent'],
    [{ do: 'jump', code: 'EUR', percent: '-99' }, 'percent'],
    [{ do: 'jump', code: 'USD', percent: '5' }, 'percent'],
    [{ do: 'level', code: 'EUR', usd: '0.00' }, 'usd'],
    [{ do: 'level', code: 'EUR', usd: '1,08' }, 'usd'],
    [{ do: 'level', code: 'USD', usd: '2' }, 'usd'],
    [{ do: 'save', walks: 'yes', volatility_percent: '1001' }, 'volatility_percent'],
  ])('explains %j at its field', async (fields, field) => {
    const sandbox = await startTestSandbox()
    const answer = await sandbox.call('POST', '/control/market', buildForm(fields))
    expect(answer.status).toBe(422)
    expect(answer.text).toContain(`id="market-${field}-error"`)
    expect(answer.text.match(/aria-invalid/g)).toHaveLength(1)
    expect(await settings(sandbox)).toMatchObject({ mode: 'still' })
    expect((await fetchFeed(sandbox)).usd_per_unit['EUR']).toEqual({ numerator: '100', denominator: '93' })
  })
})
