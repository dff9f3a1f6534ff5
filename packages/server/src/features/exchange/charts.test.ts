import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { startTestApp, type TestApp } from '@tern/testkit/app'

/** Timeout for hangs only. */
const longMs = 60_000

let world: TestApp
beforeAll(async () => {
  world = await startTestApp({ environment: { TRUSTED_PROXIES: '1' } })
})
afterAll(() => world.close())

const read = async (pair: string, address: string): Promise<number> => {
  const headers = { 'x-forwarded-for': address }
  const url = `/api/currency/history/${pair}?range=1y`
  return (await world.app.http.inject({ method: 'GET', url, headers })).statusCode
}

test('charts are computed one at a time per network, round-robin between networks', async () => {
  const { exchange } = world.app.product
  const { promise: gate, resolve: open } = Promise.withResolvers<void>()
  const compute = exchange.rateHistory
  let [begun, running, most] = [0, 0, 0]
  vi.spyOn(exchange, 'rateHistory').mockImplementation(async (asked) => {
    if (asked.source !== 'EUR') return compute(asked)
    begun += 1
    running += 1
    most = Math.max(most, running)
    await gate
    const chart = await compute(asked)
    running -= 1
    return chart
  })
  const attack = Array.from({ length: 30 }, () => read('EUR/USD', '203.0.113.7'))
  await vi.waitUntil(() => begun > 0, { timeout: longMs, interval: 5 })
  for (let asked = 0; asked < 3; asked += 1) expect(await read('GBP/USD', '198.51.100.2')).toBe(200)
  expect([begun, most]).toEqual([1, 1])
  open()
  expect(new Set(await Promise.all(attack))).toEqual(new Set([200]))
  expect([begun, most]).toEqual([30, 1])
})
