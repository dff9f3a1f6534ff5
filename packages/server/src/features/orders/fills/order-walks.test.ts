import { afterAll, beforeAll, expect, test } from 'vitest'
import { exchangeInto } from '@tern/testkit/orders/orders'
import { runMarketTrial } from '@tern/testkit/orders/market-trial'
import { startTestApp, type TestApp, type TestPerson } from '@tern/testkit/app'
import { loadFailedChecks } from '@tern/testkit/banking'
import { isFullRun } from '@tern/testkit/length'
import { raiseLimits } from '@tern/testkit/people'

const countries = ['Germany', 'United States', 'Japan', ...(isFullRun ? ['United Kingdom', 'India', 'Brazil'] : [])]
const peoplePerCountry = isFullRun ? 2 : 1

let world: TestApp
const people: TestPerson[] = []

beforeAll(async () => {
  world = await startTestApp()
  await raiseLimits(world.database.pool)
  for (const country of countries) {
    for (let n = 0; n < peoplePerCountry; n += 1) {
      const person = await world.enroll(`walker${n}`, country)
      const { base_currency: base } = await person.wallet()
      // Worth at least a hundred thousand dollars in every currency.
      await world.fund(person, base === 'JPY' ? 90_000_000 : 9_000_000_00)
      for (const [code, amount] of [
        ['USDT', '9000'],
        ['USDC', '9000'],
        ['BTC', '0.15'],
        ['ETH', '4'],
      ] as const) {
        await exchangeInto(person, base, code, amount)
      }
      people.push(person)
    }
  }
})
afterAll(() => world.close())

test('orders on a random market are filled once, at their rate or better, even when their worker is killed repeatedly', async () => {
  const report = await runMarketTrial(world, people, {
    seed: 'tundra',
    ...(isFullRun ? { orders: 10_000, kills: 20, ordersPerStep: 50 } : { orders: 300, kills: 3, ordersPerStep: 15 }),
  })
  process.stdout.write(`${JSON.stringify(report)}\n`)
  expect(report.faults).toEqual([])
  expect(report.kills).toBeGreaterThanOrEqual(isFullRun ? 20 : 3)
  for (const outcome of ['filled', 'expired', 'cancelled']) {
    expect(report.outcomes[outcome], outcome).toBeGreaterThan(report.orders / 100)
  }
  expect(await loadFailedChecks(world)).toEqual([])
}, 1_800_000)
