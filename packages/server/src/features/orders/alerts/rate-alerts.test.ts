import { notifications } from '@tern/contract/notifications/notifications'
import {
  createRateAlert,
  editRateAlert,
  type NewRateAlert,
  rateAlerts,
  removeRateAlert,
} from '@tern/contract/orders/rate-alerts'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { nextKey, openMarket, type TestMarket } from '@tern/testkit/orders/orders'
import { startTestApp, type TestApp, type TestPerson } from '@tern/testkit/app'
import { loadMails, nextMail, settleCall } from '@tern/testkit/banking'

let world: TestApp
let market: TestMarket
let ana: TestPerson

beforeAll(async () => {
  world = await startTestApp()
})
afterAll(() => world.close())
beforeEach(async () => {
  ana = await world.enroll('ana', null)
  market = await openMarket(world)
  // 1 USD = 0.94 EUR.
  await market.set({ EUR: { numerator: 50n, denominator: 47n } })
})
afterEach(async () => {
  expect(market.first.errors).toEqual([])
  await market.close()
})

const highAlert = { source_currency: 'USD', target_currency: 'EUR', rate: '0.95', rate_side: 'at_least' } as const
const create = (changes: Partial<NewRateAlert> = {}, key = nextKey()) =>
  ana.call(createRateAlert, { body: { ...highAlert, ...changes }, idempotencyKey: key })
const loadAlerts = () => ana.call(rateAlerts, {})
const loadNotices = async () => {
  const { needs_action: neededActions, notifications: otherNotices } = await ana.call(notifications, {})
  return [...neededActions, ...otherNotices].filter(({ code }) => code === 'rate_alert')
}
const subject = 'Your rate alert'

test('three workers send an alert once, in the app and by mail, when its rate is reached', async () => {
  const workers = [market.first, market.worker(), market.worker()]
  const runWorkers = () => Promise.all(workers.map((worker) => worker.orders.alerts.notifyTriggered()))
  const [alert] = [await create(), await create({ rate: '0.93', rate_side: 'at_most' })]
  await runWorkers()
  expect(await loadNotices()).toEqual([])
  await market.set({ EUR: { numerator: 100n, denominator: 95n } })
  await runWorkers()
  await runWorkers()
  expect(await loadNotices()).toMatchObject([
    {
      subject_id: alert.id,
      params: { rate: '0.95', rate_side: 'at_least', rate_now: '0.9500', source_currency: 'USD' },
    },
  ])
  expect(await nextMail(world, ana, subject)).toContain('Rate now: 1 USD = 0.95 EUR')
  expect(await loadAlerts()).toMatchObject({
    open: [{ rate: '0.93', rate_side: 'at_most', told: null }],
    told: [{ id: alert.id, rate_now: null, told: { rate: '0.9500', rate_source: 'market' } }],
  })
  await market.set({ EUR: { numerator: 100n, denominator: 93n } })
  await runWorkers()
  expect(await loadNotices()).toHaveLength(2)
  await expect.poll(() => loadMails(world, ana, subject)).toHaveLength(2)
})

test('a hundred simultaneous alerts are sent once each by concurrent workers', async () => {
  const people = await Promise.all([1, 2].map((n) => world.enroll(`many${n}`, null)))
  for (const person of people) {
    for (let n = 0; n < 50; n += 1) {
      await person.call(createRateAlert, { body: { ...highAlert, rate: `0.95${n}` }, idempotencyKey: nextKey() })
    }
  }
  const workers = [market.first, market.worker(), market.worker()]
  await market.set({ EUR: '1' })
  await Promise.all(workers.map((worker) => worker.orders.alerts.notifyTriggered()))
  await Promise.all(workers.map((worker) => worker.orders.alerts.notifyTriggered()))
  const { rows } = await world.database.pool.query(
    `select count(*)::int as notices, count(distinct subject_id)::int as alerts from notification
      where code = 'rate_alert' and user_id = any($1)`,
    [people.map(({ id }) => id)],
  )
  expect(rows).toEqual([{ notices: 100, alerts: 100 }])
})

test('an alert that one worker has sent is not sent again by a worker that read it before', async () => {
  const [earlyAlert, lateAlert] = [await create({ rate: '0.93' }), await create({ rate: '0.95', rate_side: 'at_most' })]
  const fasterWorker = market.worker({ aheadMs: 1000 })
  await market.set({})
  const { pool } = world.database
  const holder = await pool.connect()
  await holder.query('begin')
  // The slower worker has read both alerts and waits here, on the uncommitted notification for the first.
  await holder.query(
    `insert into notification (id, user_id, code, params, dedupe, created_at)
       values (gen_random_uuid(), $1, 'rate_alert', '{}', $2, now())`,
    [ana.id, `${earlyAlert.id} ${market.now().toISOString()}`],
  )
  const slowerRun = market.first.orders.alerts.notifyTriggered()
  try {
    const blockedSql = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
    await expect.poll(async () => (await pool.query(blockedSql)).rowCount).toBe(1)
    await fasterWorker.orders.alerts.notifyTriggered()
    expect(await loadNotices()).toMatchObject([{ subject_id: lateAlert.id }])
  } finally {
    await holder.query('rollback')
    holder.release()
  }
  await slowerRun
  const notices = await loadNotices()
  expect(notices).toHaveLength(2)
  expect(notices.map(({ subject_id: id }) => id)).toEqual(expect.arrayContaining([earlyAlert.id, lateAlert.id]))
  await expect.poll(() => loadMails(world, ana, subject)).toHaveLength(2)
})

test('an edited alert may be sent again, and stale rates send none', async () => {
  const { id } = await create({ rate: '0.94' })
  await market.first.orders.alerts.notifyTriggered()
  expect((await loadAlerts()).told).toHaveLength(1)
  const body = { rate: '0.9', rate_side: 'at_most' } as const
  expect(await ana.call(editRateAlert, { params: { id }, body })).toMatchObject({ ...body, told: null })
  await market.first.orders.alerts.notifyTriggered()
  expect(await loadNotices()).toHaveLength(1)
  await market.set({ EUR: '1.2' })
  market.advance(5 * 86_400_000)
  await market.first.run()
  expect(await loadNotices(), 'too old').toHaveLength(1)
  await market.set({})
  await market.first.run()
  expect(await loadNotices()).toHaveLength(2)
})

test('alerts are private, created once per key, and limited to 50', async () => {
  const key = nextKey()
  const [firstAlert, secondAlert] = [await create({}, key), await create({}, key)]
  expect(firstAlert.id).toBe(secondAlert.id)
  expect(await settleCall(create({ rate: '1' }, key))).toMatchObject({ code: 'idempotency_key_reused' })
  expect(await settleCall(create({ target_currency: 'USD' }))).toMatchObject({ errors: [{ field: 'target_currency' }] })
  expect(await settleCall(create({ rate: '-1' }))).toMatchObject({ errors: [{ field: 'rate', code: 'invalid_rate' }] })
  const otherPerson = await world.enroll('other', null)
  const edit = { params: { id: firstAlert.id }, body: { rate: '1', rate_side: 'at_least' } } as const
  expect(await settleCall(otherPerson.call(editRateAlert, edit))).toMatchObject({ code: 'not_found' })
  await otherPerson.call(removeRateAlert, { params: { id: firstAlert.id } })
  const outcomes = await Promise.all(Array.from({ length: 51 }, () => settleCall(create())))
  const refusedAlerts = outcomes.filter((outcome) => 'code' in outcome && outcome.code === 'too_many_rate_alerts')
  expect(refusedAlerts.length).toBe(2)
  expect((await loadAlerts()).open).toHaveLength(50)
  await ana.call(removeRateAlert, { params: { id: firstAlert.id } })
  await ana.call(removeRateAlert, { params: { id: firstAlert.id } })
  expect((await loadAlerts()).open).toHaveLength(49)
})
