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
import { loadMails, nextMail, settleCall } from '@tern/testkit/banking'

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

const createAlert = (to: CurrencyCode = 'EUR', from: CurrencyCode = 'USD', person = ana) =>
  person.call(createRateReturnAlert, { params: { from, to } })
const loadOpenAlerts = async (person = ana) =>
  (await person.call(rateReturnAlerts, {})).open.map((alert) => `${alert.source_currency} ${alert.target_currency}`)
const loadNotices = async (person = ana) =>
  (await person.call(notifications, {})).notifications.filter(({ code }) => code === 'rate_returned')
const runWorkers = () => Promise.all(workers.map((worker) => worker.run()))
const subject = 'Rates are back'

test('three workers notify once, in the app and by mail, when a rate returns', async () => {
  market.advance(5 * dayMs)
  const [first, second] = [await createAlert(), await createAlert()]
  expect(second).toEqual(first)
  await runWorkers()
  expect(await loadNotices()).toEqual([])
  expect(await loadOpenAlerts()).toEqual(['USD EUR'])
  await market.set({ EUR: { numerator: 100n, denominator: 95n } })
  await runWorkers()
  await runWorkers()
  expect(await loadNotices()).toMatchObject([
    { params: { source_currency: 'USD', target_currency: 'EUR', rate_now: '0.9500' } },
  ])
  const mail = await nextMail(world, ana, subject)
  expect(mail).toContain('Rate now: 1 USD = 0.95 EUR')
  expect(mail).toContain('/exchange?from=USD&to=EUR')
  await expect.poll(() => loadMails(world, ana, subject)).toHaveLength(1)
  expect(await loadOpenAlerts(), 'it is over').toEqual([])
  await createAlert()
  await runWorkers()
  expect(await loadNotices(), 'there is one: told at once').toHaveLength(2)
})

test('hundreds of alerts are sent once each by concurrent workers', async () => {
  market.advance(5 * dayMs)
  const people = await Promise.all(['one', 'two', 'three'].map((name) => world.enroll(name, null)))
  const { pool } = world.database
  const { rowCount: insertedCount } = await pool.query(
    `insert into rate_return_alert select p.id, s.code, t.code, now() from unnest($1::bigint[]) as p (id)
      cross join ledger.currency s cross join ledger.currency t where s.code <> t.code`,
    [people.map(({ id }) => id)],
  )
  expect(insertedCount).toBeGreaterThan(400)
  await market.set({})
  await runWorkers()
  await runWorkers()
  const { rows } = await pool.query(
    `select count(*) as notices, count(distinct subject_id) as alerts from notification
      where code = 'rate_returned' and user_id = any($1)`,
    [people.map(({ id }) => id)],
  )
  expect(rows).toEqual([{ notices: BigInt(insertedCount ?? 0), alerts: BigInt(insertedCount ?? 0) }])
  expect((await pool.query('select from rate_return_alert')).rowCount).toBe(0)
})

test('an alert is private, can be removed, and requires two currencies', async () => {
  market.advance(5 * dayMs)
  const otherPerson = await world.enroll('other', null)
  await createAlert()
  await createAlert('EUR', 'USD', otherPerson)
  await ana.call(removeRateReturnAlert, { params: { from: 'USD', to: 'EUR' } })
  await ana.call(removeRateReturnAlert, { params: { from: 'USD', to: 'EUR' } })
  expect([await loadOpenAlerts(), await loadOpenAlerts(otherPerson)]).toEqual([[], ['USD EUR']])
  expect(await settleCall(createAlert('USD'))).toMatchObject({ status: 422, errors: [{ field: 'to' }] })
  expect(await settleCall(createAlert('XYZ' as CurrencyCode))).toMatchObject({ status: 422, errors: [{ field: 'to' }] })
  await market.set({ EUR: '1.1' })
  await runWorkers()
  expect([await loadNotices(), await loadNotices(otherPerson)]).toMatchObject([[], [{ code: 'rate_returned' }]])
})
