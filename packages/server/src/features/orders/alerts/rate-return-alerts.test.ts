import { notifications } from '@tern/contract/notifications/notifications'
import {
  createRateReturnAlert,
  rateReturnAlerts,
  removeRateReturnAlert,
} from '@tern/contract/orders/rate-return-alerts'
import type { CurrencyCode } from '@tern/money/currency'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { openMarket, type TestMarket, type TestWorker } from '@tern/testkit/orders/orders'
import { startTestApp, type TestApp, type TestPerson } from '@tern/testkit/app'
import { mailsTo, nextMail, settleCall } from '@tern/testkit/banking'

let world: TestApp
let market: TestMarket
let workers: TestWorker[]
let ana: TestPerson

const dayMs = 86_400_000

beforeAll(async () => {
  world = await startTestApp()
})
afterAll(() => world.close())
beforeEach(async () => {
  ana = await world.enroll('ana', null)
  market = await openMarket(world)
  // 1 USD = 0.94 EUR.
  await market.set({ EUR: { numerator: 50n, denominator: 47n } })
  workers = [market.first, market.worker(), market.worker()]
})
afterEach(async () => {
  for (const { errors } of workers) expect(errors).toEqual([])
  await market.close()
})

const ask = (to: CurrencyCode = 'EUR', from: CurrencyCode = 'USD', person = ana) =>
  person.call(createRateReturnAlert, { params: { from, to } })
const loadOpenAlerts = async (person = ana) =>
  (await person.call(rateReturnAlerts, {})).open.map((each) => `${each.source_currency} ${each.target_currency}`)
const told = async (person = ana) =>
  (await person.call(notifications, {})).notifications.filter(({ code }) => code === 'rate_returned')
const runAll = () => Promise.all(workers.map((worker) => worker.run()))
const subject = 'Rates are back'

test('three workers notify once, in the app and by mail, when a rate returns', async () => {
  market.wait(5 * dayMs)
  const [first, again] = [await ask(), await ask()]
  expect(again).toEqual(first)
  await runAll()
  expect(await told()).toEqual([])
  expect(await loadOpenAlerts()).toEqual(['USD EUR'])
  await market.set({ EUR: { numerator: 100n, denominator: 95n } })
  await runAll()
  await runAll()
  expect(await told()).toMatchObject([
    { params: { source_currency: 'USD', target_currency: 'EUR', rate_now: '0.9500' } },
  ])
  const mail = await nextMail(world, ana, subject)
  expect(mail).toContain('Rate now: 1 USD = 0.95 EUR')
  expect(mail).toContain('/exchange?from=USD&to=EUR')
  await expect.poll(() => mailsTo(world, ana, subject)).toHaveLength(1)
  expect(await loadOpenAlerts(), 'it is over').toEqual([])
  await ask()
  await runAll()
  expect(await told(), 'there is one: told at once').toHaveLength(2)
})

test('hundreds of alerts are sent once each by concurrent workers', async () => {
  market.wait(5 * dayMs)
  const people = await Promise.all(['one', 'two', 'three'].map((name) => world.enroll(name, null)))
  const { pool } = world.database
  const { rowCount: asked } = await pool.query(
    `insert into rate_return_alert select p.id, s.code, t.code, now() from unnest($1::bigint[]) as p (id)
      cross join ledger.currency s cross join ledger.currency t where s.code <> t.code`,
    [people.map(({ id }) => id)],
  )
  expect(asked).toBeGreaterThan(400)
  await market.set({})
  await runAll()
  await runAll()
  const { rows } = await pool.query(
    `select count(*) as notices, count(distinct subject_id) as alerts from notification
      where code = 'rate_returned' and user_id = any($1)`,
    [people.map(({ id }) => id)],
  )
  expect(rows).toEqual([{ notices: BigInt(asked ?? 0), alerts: BigInt(asked ?? 0) }])
  expect((await pool.query('select from rate_return_alert')).rowCount).toBe(0)
})

test('an alert is private, can be removed, and requires two currencies', async () => {
  market.wait(5 * dayMs)
  const other = await world.enroll('other', null)
  await ask()
  await ask('EUR', 'USD', other)
  await ana.call(removeRateReturnAlert, { params: { from: 'USD', to: 'EUR' } })
  await ana.call(removeRateReturnAlert, { params: { from: 'USD', to: 'EUR' } })
  expect([await loadOpenAlerts(), await loadOpenAlerts(other)]).toEqual([[], ['USD EUR']])
  expect(await settleCall(ask('USD'))).toMatchObject({ status: 422, errors: [{ field: 'to' }] })
  expect(await settleCall(ask('XYZ' as CurrencyCode))).toMatchObject({ status: 422, errors: [{ field: 'to' }] })
  await market.set({ EUR: '1.1' })
  await runAll()
  expect([await told(), await told(other)]).toMatchObject([[], [{ code: 'rate_returned' }]])
})
