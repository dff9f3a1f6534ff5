import { DatabaseSync } from 'node:sqlite'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { form } from '../cards/test-payments.ts'
import type { Rate } from '../server/currency.ts'
import { openStore } from '../server/store.ts'
import { startTestSandbox, temporaryFolder, type TestSandbox, wrongFields } from '../test-sandbox.ts'
import { createCourses } from './course.ts'

interface Feed {
  as_of: string
  usd_per_unit: Record<string, Rate>
}

const hourMs = 3_600_000
const dayMs = 24 * hourMs
// In the middle of a step, so that no step begins during a test.
const monday = '2026-03-02T09:00:05.000Z'

const setClock = (sandbox: TestSandbox, now: string) => sandbox.call('PUT', '/api/clock', { body: { now } })
const later = (ms: number): string => new Date(Date.parse(monday) + ms).toISOString()
async function feed(sandbox: TestSandbox): Promise<Feed> {
  const { as_of, usd_per_unit } = (await sandbox.call('GET', '/api/rates', { secret: null })).json as unknown as Feed
  return { as_of, usd_per_unit }
}
const history = async (sandbox: TestSandbox, from: string) =>
  (await sandbox.call('GET', `/api/rates/history?from=${from}`, { secret: null })).json['points'] as Feed[]
const steer = (sandbox: TestSandbox, body: object) => sandbox.call('PUT', '/api/control/market', { body })
const setLevel = (sandbox: TestSandbox, code: string, numerator: string, denominator: string) =>
  sandbox.call('PUT', '/api/rates', { body: { usd_per_unit: { [code]: { numerator, denominator } } } })

async function startWalking(options: { dataDir?: string } = {}): Promise<TestSandbox> {
  const sandbox = await startTestSandbox({ ...options, market: 'walk' })
  await setClock(sandbox, monday)
  return sandbox
}

/** Ratio of `after` to `before`, as a fraction in lowest terms. */
function times(before: Rate | undefined, after: Rate | undefined): string {
  const [b, a] = [before, after].map((rate) => [BigInt(rate!.numerator), BigInt(rate!.denominator)] as const)
  const [above, below] = [a![0] * b![1], a![1] * b![0]]
  let [x, y] = [above, below]
  while (y !== 0n) [x, y] = [y, x % y]
  return `${above / x}/${below / x}`
}

describe('a market that walks', () => {
  test('holds for fifteen seconds and then moves, except the US dollar', async () => {
    const sandbox = await startWalking()
    const first = await feed(sandbox)
    expect(first.as_of).toBe('2026-03-02T09:00:00.000Z')
    await setClock(sandbox, later(2000))
    expect(await feed(sandbox)).toEqual(first)
    await setClock(sandbox, later(hourMs))
    const next = await feed(sandbox)
    expect(next.as_of).toBe('2026-03-02T10:00:00.000Z')
    const moved = Object.keys(first.usd_per_unit).filter(
      (code) => times(first.usd_per_unit[code], next.usd_per_unit[code]) !== '1/1',
    )
    expect(moved.toSorted()).toEqual(
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
    expect(points.at(-1)).toEqual(await feed(sandbox))
    const ages = points.map(({ as_of }) => Date.parse(later(0)) - Date.parse(as_of))
    expect(Math.max(...ages)).toBeLessThanOrEqual(400 * dayMs)
    expect(Math.max(...ages)).toBeGreaterThan(398 * dayMs)
    for (const [index, age] of ages.slice(1, -1).entries()) {
      const most = age <= dayMs ? hourMs / 4 : age <= 7 * dayMs ? hourMs : dayMs
      expect(ages[index]! - age, `${age / hourMs} hours ago`).toBeLessThanOrEqual(most)
    }
    expect(points.length).toBeGreaterThan(600)
    const aWeek = await history(sandbox, later(-7 * dayMs))
    expect(aWeek).toEqual(points.slice(-aWeek.length))
    expect(await history(sandbox, later(1000))).toEqual([])
  })

  test('had the rates that its history shows later', async () => {
    const sandbox = await startWalking()
    await setClock(sandbox, '2026-03-02T12:00:00.000Z')
    const then = await feed(sandbox)
    await setClock(sandbox, later(5 * dayMs))
    const points = await history(sandbox, later(0))
    expect(points.find(({ as_of }) => as_of === then.as_of)).toEqual(then)
  })

  test('is the same again after a restart, and for the same seed', async () => {
    const dataDir = temporaryFolder()
    const first = await startWalking({ dataDir })
    await steer(first, { seed: 7 })
    const said = await feed(first)
    await first.stop()
    const again = await startTestSandbox({ dataDir, market: 'still' })
    await setClock(again, monday)
    expect((await feed(again)).usd_per_unit).toEqual(said.usd_per_unit)
    const other = await startWalking()
    expect((await feed(other)).usd_per_unit).not.toEqual(said.usd_per_unit)
    await steer(other, { seed: 7 })
    expect((await feed(other)).usd_per_unit).toEqual(said.usd_per_unit)
  })

  test('moves with its level, set by hand or by a jump, from that moment on', async () => {
    const sandbox = await startWalking()
    const before = await feed(sandbox)
    await setLevel(sandbox, 'EUR', '50', '93')
    const halved = await feed(sandbox)
    expect(times(before.usd_per_unit['EUR'], halved.usd_per_unit['EUR'])).toBe('1/2')
    expect(Date.parse(halved.as_of)).toBeGreaterThan(Date.parse(before.as_of))
    expect((await steer(sandbox, { jump: { EUR: 100, BTC: -20 } })).status).toBe(200)
    const jumped = await feed(sandbox)
    expect(times(before.usd_per_unit['EUR'], jumped.usd_per_unit['EUR'])).toBe('1/1')
    expect(times(before.usd_per_unit['BTC'], jumped.usd_per_unit['BTC'])).toBe('4/5')
    expect(jumped.usd_per_unit['ETH']).toEqual(before.usd_per_unit['ETH'])
    const at = '2026-03-02T09:00:00.000Z'
    const past = (await history(sandbox, later(-hourMs))).find(({ as_of }) => as_of === at)
    expect(past).toEqual(before)
  })

  test('keeps its history when its course changes', async () => {
    const sandbox = await startWalking()
    const past = await history(sandbox, later(-dayMs))
    const calm = await feed(sandbox)
    await steer(sandbox, { volatility_percent: 1000, seed: 3 })
    expect((await feed(sandbox)).usd_per_unit).not.toEqual(calm.usd_per_unit)
    await steer(sandbox, { mode: 'still' })
    expect((await feed(sandbox)).usd_per_unit['EUR']).toEqual({ numerator: '100', denominator: '93' })
    expect((await history(sandbox, later(-dayMs))).slice(0, -1)).toEqual(past)
  })
})

describe('a fixed market', () => {
  test('has a flat history, and exactly the levels that were set', async () => {
    const sandbox = await startTestSandbox()
    await setClock(sandbox, monday)
    await setLevel(sandbox, 'EUR', '12', '10')
    const now = await feed(sandbox)
    expect(now.usd_per_unit['EUR']).toEqual({ numerator: '12', denominator: '10' })
    const points = await history(sandbox, later(-30 * dayMs))
    expect(new Set(points.slice(0, -1).map(({ usd_per_unit }) => JSON.stringify(usd_per_unit['EUR']))).size).toBe(1)
    expect(points[0]!.usd_per_unit['EUR']).toEqual({ numerator: '100', denominator: '93' })
    expect(points.at(-1)!.usd_per_unit).toEqual(now.usd_per_unit)
  })

  test('keeps its levels when the clock is set back', async () => {
    const sandbox = await startTestSandbox()
    await setClock(sandbox, later(30 * dayMs))
    await setLevel(sandbox, 'EUR', '12', '10')
    await setClock(sandbox, monday)
    expect((await feed(sandbox)).usd_per_unit['EUR']).toEqual({ numerator: '12', denominator: '10' })
    await setLevel(sandbox, 'EUR', '13', '10')
    expect((await feed(sandbox)).usd_per_unit['EUR']).toEqual({ numerator: '13', denominator: '10' })
  })

  test('takes any number of jumps within thirty digits', async () => {
    const sandbox = await startTestSandbox()
    for (let count = 0; count < 40; count += 1) {
      expect((await steer(sandbox, { jump: { EUR: 7 } })).status).toBe(200)
      expect((await steer(sandbox, { jump: { EUR: -7 } })).status).toBe(200)
    }
    const { numerator, denominator } = (await feed(sandbox)).usd_per_unit['EUR']!
    expect(Math.max(numerator.length, denominator.length)).toBeLessThanOrEqual(30)
    // 100/93 times 0.9951 to the power of 40
    expect(Number(numerator) / Number(denominator)).toBeCloseTo((100 / 93) * 0.9951 ** 40, 12)
    for (let count = 0; count < 40; count += 1) await steer(sandbox, { jump: { BTC: 900 } })
    expect(wrongFields(await steer(sandbox, { jump: { BTC: 900 } }))).toEqual(['jump.BTC'])
  })
})

test.each(['walk', 'still'] as const)('a silent feed of a market in mode %s repeats its last rates', async (market) => {
  const sandbox = await startTestSandbox({ market })
  await setClock(sandbox, monday)
  expect((await steer(sandbox, { silent: true })).json).toMatchObject({ mode: market, silent: true })
  const last = await feed(sandbox)
  await setClock(sandbox, later(3 * dayMs))
  await steer(sandbox, { silent: true, jump: { EUR: 5 } })
  expect(await feed(sandbox)).toEqual(last)
  expect((await history(sandbox, later(-hourMs))).at(-1)).toEqual(last)
  expect((await sandbox.call('GET', '/rates')).text).toContain('The feed is silent')
  expect((await steer(sandbox, { silent: false })).json).toMatchObject({ mode: market, silent: false })
  const next = await feed(sandbox)
  // The clock keeps running during the test.
  expect(Date.parse(next.as_of) - Date.parse(last.as_of)).toBeGreaterThan(2 * dayMs)
  expect(next.usd_per_unit['EUR']).not.toEqual(last.usd_per_unit['EUR'])
  expect((await history(sandbox, later(hourMs))).length).toBeGreaterThan(100)
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
  const before = await feed(sandbox)
  const answer = await steer(sandbox, { mode: 'walk', ...body })
  expect([answer.status, wrongFields(answer)]).toEqual([422, [field]])
  expect((await feed(sandbox)).usd_per_unit).toEqual(before.usd_per_unit)
  expect((await sandbox.call('GET', '/api/control/market')).json).toMatchObject({ mode: 'still', silent: false })
})

test('the market is steered only with the secret, and its history needs a time', async () => {
  const sandbox = await startTestSandbox()
  for (const method of ['GET', 'PUT']) {
    const body = method === 'PUT' ? { body: { mode: 'walk' } } : {}
    expect((await sandbox.call(method, '/api/control/market', { ...body, secret: null })).status).toBe(401)
  }
  for (const query of ['', '?from=', '?from=yesterday']) {
    expect(wrongFields(await sandbox.call('GET', `/api/rates/history${query}`))).toEqual(['from'])
  }
})

test('levels set in an earlier version of the sandbox are kept', () => {
  const file = join(temporaryFolder(), 'sandbox.sqlite')
  const earlier = new DatabaseSync(file)
  earlier.exec(`create table rate (code text primary key, numerator text not null, denominator text not null) strict;
    create table identity_check (reference text primary key, id text not null unique) strict;
    create table book_line (id text primary key) strict; create table checkout_session (id text primary key) strict;
    insert into rate values ('EUR', '12', '10'); pragma user_version = 6`)
  earlier.close()
  const store = openStore(file)
  expect(createCourses(store).all().levels.get('EUR')).toMatchObject([{ numerator: '12', denominator: '10' }])
  store.close()
})

describe('the control page', () => {
  const page = async (sandbox: TestSandbox) => (await sandbox.call('GET', '/control', { secret: null })).text
  const settings = async (sandbox: TestSandbox) => (await sandbox.call('GET', '/api/control/market')).json

  test('starts and stops the market, silences the feed, and resets all', async () => {
    const sandbox = await startTestSandbox()
    const post = (fields: object) => sandbox.call('POST', '/control/market', form(fields))
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
    const post = async (fields: object) => (await sandbox.call('POST', '/control/market', form(fields))).status
    expect(await post({ do: 'level', code: 'EUR', usd: '01.250' })).toBe(303)
    expect((await feed(sandbox)).usd_per_unit['EUR']).toEqual({ numerator: '1250', denominator: '1000' })
    expect(await post({ do: 'jump', code: 'EUR', percent: '-20' })).toBe(303)
    expect(times({ numerator: '1', denominator: '1' }, (await feed(sandbox)).usd_per_unit['EUR'])).toBe('1/1')
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
    const answer = await sandbox.call('POST', '/control/market', form(fields))
    expect(answer.status).toBe(422)
    expect(answer.text).toContain(`id="market-${field}-error"`)
    expect(answer.text.match(/aria-invalid/g)).toHaveLength(1)
    expect(await settings(sandbox)).toMatchObject({ mode: 'still' })
    expect((await feed(sandbox)).usd_per_unit['EUR']).toEqual({ numerator: '100', denominator: '93' })
  })
})
