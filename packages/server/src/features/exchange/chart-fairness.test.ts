import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { startTestApp, type TestApp } from '@tern/testkit/app'

/** Long enough for slow machines; only a hanging test reaches it. */
const timeoutMs = 60_000

let world: TestApp
beforeAll(async () => {
  world = await startTestApp({ environment: { TRUSTED_PROXIES: '1' } })
})
afterAll(() => world.close())

const requestChart = async (pair: string, address: string): Promise<number> => {
  const headers = { 'x-forwarded-for': address }
  const url = `/api/currency/history/${pair}?range=1y`
  return (await world.app.http.inject({ method: 'GET', url, headers })).statusCode
}

test('charts are computed one at a time per network, round-robin between networks', async () => {
  const { exchange } = world.app.product
  const { promise: gate, resolve: openGate } = Promise.withResolvers<void>()
  const computeHistory = exchange.rateHistory
  let [startedCount, runningCount, mostRunning] = [0, 0, 0]
  vi.spyOn(exchange, 'rateHistory').mockImplementation(async (db, pair) => {
    if (pair.source !== 'EUR') return computeHistory(db, pair)
    startedCount += 1
    runningCount += 1
    mostRunning = Math.max(mostRunning, runningCount)
    await gate
    const chart = await computeHistory(db, pair)
    runningCount -= 1
    return chart
  })
  const attack = Array.from({ length: 30 }, () => requestChart('EUR/USD', '203.0.113.7'))
  await vi.waitUntil(() => startedCount > 0, { timeout: timeoutMs, interval: 5 })
  for (let attempt = 0; attempt < 3; attempt += 1) expect(await requestChart('GBP/USD', '198.51.100.2')).toBe(200)
  expect([startedCount, mostRunning]).toEqual([1, 1])
  openGate()
  expect(new Set(await Promise.all(attack))).toEqual(new Set([200]))
  expect([startedCount, mostRunning]).toEqual([30, 1])
})
