import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, afterEach, expect, test, vi } from 'vitest'
import { createTestDatabase } from '@tern/testkit/database'
import { connect } from '../database/db.ts'
import { normalizeNetwork } from './rate-limits.ts'
import { createRateCounts, type RateCounts } from './rate-counts.ts'
import { Refusal } from '../refuse.ts'

const database = await createTestDatabase()
// Each pool represents a process, with its own connections and memory.
const pools = [connect(database.url, 4), connect(database.url, 4), connect(database.url, 4)]
const processes: readonly RateCounts[] = pools.map(createRateCounts)
const [firstProcess, secondProcess] = processes as [RateCounts, RateCounts]
afterEach(() => void vi.restoreAllMocks())
afterAll(async () => {
  await Promise.all(pools.map((pool) => pool.end()))
  await database.drop()
})

const toOutcome = (call: Promise<unknown>): Promise<string> =>
  call.then(
    () => 'in',
    (error: unknown) => (error instanceof Refusal ? error.code : String(error)),
  )
const countOutcome = (outcomes: readonly string[], outcome: string) =>
  outcomes.filter((candidate) => candidate === outcome).length
const loadCountRow = async (key: string) =>
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
    Array.from({ length: 90 }, (_, index) => toOutcome(processes[index % 3]!.count(key, 40))),
  )
  expect([countOutcome(outcomes, 'in'), countOutcome(outcomes, 'rate_limited')]).toEqual([40, 50])
  expect(await toOutcome(secondProcess.count(key, 40))).toBe('rate_limited')
  expect(await toOutcome(secondProcess.count(randomUUID(), 40)), 'another key').toBe('in')
})

test('a refusal gives the seconds left in the minute; the next minute starts at zero', async () => {
  const key = randomUUID()
  await firstProcess.count(key, 1)
  const countError = await secondProcess.count(key, 1).catch((error: unknown) => error)
  expect(countError).toMatchObject({ code: 'rate_limited' })
  const { retryAfterSeconds } = (countError as Refusal).details
  expect(retryAfterSeconds).toBeGreaterThan(50)
  expect(retryAfterSeconds).toBeLessThanOrEqual(60)
  await endWindow(key)
  expect(await toOutcome(firstProcess.count(key, 1)), 'it had not heard that the key was spent').toBe('in')
  const minuteLater = performance.now() + 60_000
  vi.spyOn(performance, 'now').mockImplementation(() => minuteLater)
  expect(await toOutcome(secondProcess.count(key, 1)), 'the minute of the first').toBe('rate_limited')
  await endWindow(key)
  vi.spyOn(performance, 'now').mockImplementation(() => minuteLater + 60_000)
  expect(await toOutcome(secondProcess.count(key, 1))).toBe('in')
})

test('callers over the limit cost no queries, and concurrent calls share one', async () => {
  const key = randomUUID()
  const querySpy = vi.spyOn(pools[0]!, 'query')
  await Promise.all(Array.from({ length: 50 }, () => toOutcome(firstProcess.count(key, 20))))
  expect(querySpy.mock.calls.length).toBeLessThan(5)
  querySpy.mockClear()
  expect(await toOutcome(firstProcess.count(key, 20))).toBe('rate_limited')
  expect(querySpy).not.toHaveBeenCalled()
})

test('three processes have at most as many calls under way as the limit allows; others wait', async () => {
  const key = randomUUID()
  // Freezes the clock, so that a slow machine causes no timeout.
  const now = performance.now()
  vi.spyOn(performance, 'now').mockImplementation(() => now)
  let runningCount = 0
  let mostRunning = 0
  const fullGate = Promise.withResolvers<void>()
  const holdAndSucceed = async (process: RateCounts) => {
    const hold = await process.hold(key, 10)
    runningCount += 1
    mostRunning = Math.max(mostRunning, runningCount)
    if (runningCount === 10) fullGate.resolve()
    // No call ends before all places are taken at the same time.
    await fullGate.promise
    await delay(5)
    runningCount -= 1
    hold.release(false)
  }
  const outcomes = await Promise.all(
    Array.from({ length: 60 }, (_, index) => toOutcome(holdAndSucceed(processes[index % 3]!))),
  )
  expect(countOutcome(outcomes, 'in'), 'what goes well counts as nothing').toBe(60)
  expect(mostRunning).toBe(10)
  await expect.poll(() => loadCountRow(key)).toEqual({ counted: 0, held: 0 })
})

test('failing calls in three processes count together, also when started at once', async () => {
  const key = randomUUID()
  let heldCount = 0
  const holdAndFail = async (process: RateCounts) => {
    const hold = await process.hold(key, 10)
    heldCount += 1
    await delay(5)
    hold.release(true)
  }
  const outcomes = await Promise.all(
    Array.from({ length: 60 }, (_, index) => toOutcome(holdAndFail(processes[index % 3]!))),
  )
  expect([heldCount, countOutcome(outcomes, 'rate_limited')]).toEqual([10, 50])
  await expect.poll(() => loadCountRow(key)).toEqual({ counted: 10, held: 0 })
})

test("a dead process's place ends with its window; until then a caller without room is refused, not kept waiting", async () => {
  const key = randomUUID()
  const lostHold = await firstProcess.hold(key, 1)
  const waitingHold = toOutcome(secondProcess.hold(key, 1))
  await expect.poll(() => loadCountRow(key)).toEqual({ counted: 0, held: 1 })
  const laterTime = performance.now() + 6000
  vi.spyOn(performance, 'now').mockImplementation(() => laterTime)
  expect(await waitingHold).toBe('rate_limited')
  await endWindow(key)
  const hold = await secondProcess.hold(key, 1)
  // Releasing a place after its window has ended changes nothing.
  lostHold.release(false)
  await delay(50)
  expect(await loadCountRow(key)).toEqual({ counted: 0, held: 1 })
  hold.release(false)
})

test('a place whose release does not reach the database stays taken until its window ends', async () => {
  const key = randomUUID()
  const pool = connect(database.url, 1)
  const hold = await createRateCounts(pool).hold(key, 1)
  await pool.end()
  hold.release(false)
  await delay(50)
  expect(await loadCountRow(key)).toEqual({ counted: 0, held: 1 })
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
