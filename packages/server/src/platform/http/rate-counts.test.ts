import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, afterEach, expect, test, vi } from 'vitest'
import { createTestDatabase } from '@tern/testkit/database'
import { connect } from '../database/db.ts'
import { normalizeNetwork } from './rate-limits.ts'
import { createRateCounts, type RateCounts } from './rate-counts.ts'
import { Refusal } from '../refuse.ts'

const database = await createTestDatabase()
// Each represents a process, with its own connections and memory.
const pools = [connect(database.url, 4), connect(database.url, 4), connect(database.url, 4)]
const processes: readonly RateCounts[] = pools.map(createRateCounts)
const [here, there] = processes as [RateCounts, RateCounts]
afterEach(() => void vi.restoreAllMocks())
afterAll(async () => {
  await Promise.all(pools.map((pool) => pool.end()))
  await database.drop()
})

const outcomeOf = (call: Promise<unknown>): Promise<string> =>
  call.then(
    () => 'in',
    (error: unknown) => (error instanceof Refusal ? error.code : String(error)),
  )
const countOf = (outcomes: readonly string[], outcome: string) => outcomes.filter((one) => one === outcome).length
const rowOf = async (key: string) =>
  (
    await database.pool.query<{ counted: number; held: number }>(
      'select counted, held from rate_limit where key = $1',
      [key],
    )
  ).rows[0]
const endWindow = (key: string) => database.pool.query('update rate_limit set ends_at = now() where key = $1', [key])

test('concurrent calls to three processes share one limit', async () => {
  const key = randomUUID()
  const outcomes = await Promise.all(
    Array.from({ length: 90 }, (_, index) => outcomeOf(processes[index % 3]!.count(key, 40))),
  )
  expect([countOf(outcomes, 'in'), countOf(outcomes, 'rate_limited')]).toEqual([40, 50])
  expect(await outcomeOf(there.count(key, 40))).toBe('rate_limited')
  expect(await outcomeOf(there.count(randomUUID(), 40)), 'another key').toBe('in')
})

test('a refusal gives the seconds left in the minute; the next minute starts at zero', async () => {
  const key = randomUUID()
  await here.count(key, 1)
  const refused = await there.count(key, 1).catch((error: unknown) => error)
  expect(refused).toMatchObject({ code: 'rate_limited' })
  const { retryAfterSeconds } = (refused as Refusal).details
  expect(retryAfterSeconds).toBeGreaterThan(50)
  expect(retryAfterSeconds).toBeLessThanOrEqual(60)
  await endWindow(key)
  expect(await outcomeOf(here.count(key, 1)), 'it had not heard that the key was spent').toBe('in')
  const later = performance.now() + 60_000
  vi.spyOn(performance, 'now').mockImplementation(() => later)
  expect(await outcomeOf(there.count(key, 1)), 'the minute of the first').toBe('rate_limited')
  await endWindow(key)
  vi.spyOn(performance, 'now').mockImplementation(() => later + 60_000)
  expect(await outcomeOf(there.count(key, 1))).toBe('in')
})

test('callers over the limit cost no queries, and concurrent calls share one', async () => {
  const key = randomUUID()
  const querySpy = vi.spyOn(pools[0]!, 'query')
  await Promise.all(Array.from({ length: 50 }, () => outcomeOf(here.count(key, 20))))
  expect(querySpy.mock.calls.length).toBeLessThan(5)
  querySpy.mockClear()
  expect(await outcomeOf(here.count(key, 20))).toBe('rate_limited')
  expect(querySpy).not.toHaveBeenCalled()
})

test('three processes have at most as many calls under way as the limit allows; others wait', async () => {
  const key = randomUUID()
  // The clock is frozen, so that a slow machine causes no timeout.
  const now = performance.now()
  vi.spyOn(performance, 'now').mockImplementation(() => now)
  let underWay = 0
  let most = 0
  const full = Promise.withResolvers<void>()
  const goWell = async (process: RateCounts) => {
    const place = await process.hold(key, 10)
    underWay += 1
    most = Math.max(most, underWay)
    if (underWay === 10) full.resolve()
    // No call ends before every place was taken once.
    await full.promise
    await delay(5)
    underWay -= 1
    place.release(false)
  }
  const outcomes = await Promise.all(Array.from({ length: 60 }, (_, index) => outcomeOf(goWell(processes[index % 3]!))))
  expect(countOf(outcomes, 'in'), 'what goes well counts as nothing').toBe(60)
  expect(most).toBe(10)
  await expect.poll(() => rowOf(key)).toEqual({ counted: 0, held: 0 })
})

test('failing calls in three processes count together, also when started at once', async () => {
  const key = randomUUID()
  let looked = 0
  const endBadly = async (process: RateCounts) => {
    const place = await process.hold(key, 10)
    looked += 1
    await delay(5)
    place.release(true)
  }
  const outcomes = await Promise.all(
    Array.from({ length: 60 }, (_, index) => outcomeOf(endBadly(processes[index % 3]!))),
  )
  expect([looked, countOf(outcomes, 'rate_limited')]).toEqual([10, 50])
  await expect.poll(() => rowOf(key)).toEqual({ counted: 10, held: 0 })
})

test("a dead process's place ends with its window; until then a caller without room is refused, not kept waiting", async () => {
  const key = randomUUID()
  const lost = await here.hold(key, 1)
  const waiting = outcomeOf(there.hold(key, 1))
  await expect.poll(() => rowOf(key)).toEqual({ counted: 0, held: 1 })
  const later = performance.now() + 6000
  vi.spyOn(performance, 'now').mockImplementation(() => later)
  expect(await waiting).toBe('rate_limited')
  await endWindow(key)
  const place = await there.hold(key, 1)
  // A window that ended has nothing to return.
  lost.release(false)
  await delay(50)
  expect(await rowOf(key)).toEqual({ counted: 0, held: 1 })
  place.release(false)
})

test('a place whose release does not reach the database stays taken until its window ends', async () => {
  const key = randomUUID()
  const pool = connect(database.url, 1)
  const place = await createRateCounts(pool).hold(key, 1)
  await pool.end()
  place.release(false)
  await delay(50)
  expect(await rowOf(key)).toEqual({ counted: 0, held: 1 })
})

test('an address counts by network in any notation, and is stored as a hash', () => {
  expect(normalizeNetwork('192.0.2.7')).toBe('192.0.2.7')
  expect(normalizeNetwork('::ffff:192.0.2.7')).toBe('192.0.2.7')
  expect(normalizeNetwork('2001:db8:1:2:3:4:5:6')).toBe('2001:db8:1:2::/64')
  expect(normalizeNetwork('2001:0DB8:1:2::9')).toBe('2001:db8:1:2::/64')
  expect(normalizeNetwork('2001:db8:1:3::9')).not.toBe(normalizeNetwork('2001:db8:1:2::9'))
  expect(normalizeNetwork('fe80::1%eth0')).toBe('fe80:0:0:0::/64')
  expect(normalizeNetwork('::1')).toBe('0:0:0:0::/64')
  expect(normalizeNetwork('not an address')).toBe('not an address')
})
