import {
  editSchedule,
  pauseSchedule,
  schedules as listSchedules,
  skipOccurrence,
  stopSchedule,
} from '@tern/contract/schedules/schedules'
import { setOwnLimit } from '@tern/contract/limits'
import { notifications } from '@tern/contract/notifications/notifications'
import { money } from '@tern/money/money'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { startTestApp, type TestApp, type TestPerson } from '@tern/testkit/app'
import { loadFailedChecks, loadMails, nextMail } from '@tern/testkit/banking'
import { openTestCase } from '@tern/testkit/compliance/cases'
import { blockWriters } from '@tern/testkit/block-writers'
import type { PriceRequest } from '@tern/testkit/schedules'
import {
  loadOccurrences,
  dueTime,
  dateAfterDays,
  createConfirmedSchedule,
  runDueSends,
  createWorkerAt,
  zone,
} from '@tern/testkit/schedules'
import { refuse } from '../../platform/refuse.ts'
import { localMoment } from './local-time.ts'
import { addDays } from './recurrence.ts'

let world: TestApp
let alice: TestPerson
let bruno: TestPerson
let tomorrow: string

beforeAll(async () => {
  world = await startTestApp()
})
afterAll(() => world.close())
beforeEach(async () => {
  alice = await world.enroll('alice', 'United States')
  bruno = await world.enroll('bruno', 'Germany')
  await world.fund(alice, 10_000)
  tomorrow = dateAfterDays(world, 1)
})
afterEach(async () => expect(await loadFailedChecks(world)).toEqual([]))

const loadSchedules = (person: TestPerson) => person.call(listSchedules, {})
const loadNotifications = async (person: TestPerson, code: string) => {
  const { notifications: read, needs_action: neededActions } = await person.call(notifications, {})
  return [...neededActions, ...read].filter((notice) => notice.code === code)
}
const loadSends = async (person = alice) =>
  (await person.transactions()).filter(({ transaction_type: type }) => type === 'SEND')
const loadDollars = async () => (await alice.wallet()).fiat_balance

/** Returns worker options whose exchange raises the total of every price by a percentage. */
function raisePrices(percent: bigint): NonNullable<Parameters<typeof createWorkerAt>[2]> {
  const { exchange } = world.app.product
  const price = (request: PriceRequest) => {
    const currentPrice = exchange.price(request)
    return {
      ...currentPrice,
      total: money(currentPrice.total.currency, currentPrice.total.minor + (currentPrice.total.minor * percent) / 100n),
    }
  }
  return { exchange: { price } }
}

describe('a scheduled send', () => {
  test('runs once, at its time', async () => {
    const { id, next_at: nextRunAt } = await createConfirmedSchedule(alice, bruno, {
      next_on: tomorrow,
      description: 'Rent',
    })
    expect(nextRunAt).toBe(localMoment(tomorrow, 9, zone).toISOString())
    await runDueSends(createWorkerAt(world, dueTime(tomorrow, -1)))
    expect(await loadSends()).toEqual([])
    await runDueSends(createWorkerAt(world, dueTime(tomorrow)))
    await runDueSends(createWorkerAt(world, dueTime(tomorrow, 1)))
    const [sentRow, ...otherRows] = await loadSends()
    expect(otherRows).toEqual([])
    expect(sentRow).toMatchObject({ amount: '10.10', status: 'COMPLETED', description: 'Rent', recipient_id: bruno.id })
    expect(await loadDollars()).toBe('89.90')
    expect((await bruno.wallet()).fiat_balance).toBe(sentRow!.target_amount)
    expect(await loadSchedules(alice)).toMatchObject({
      schedules: [],
      past: [
        {
          schedule_id: id,
          date: tomorrow,
          state: 'sent',
          transaction_id: sentRow!.id,
          transaction_status: 'COMPLETED',
          total: '10.10',
        },
      ],
    })
    expect(await loadNotifications(alice, 'schedule_sent')).toMatchObject([
      { subject_id: id, params: { amount: '10.10', currency: 'USD', date: tomorrow, person: { id: bruno.id } } },
    ])
  })

  test('runs once with many concurrent workers', async () => {
    const carol = await world.enroll('carol', 'Germany')
    const payees = [bruno, carol]
    for (const payee of payees) {
      await createConfirmedSchedule(alice, payee, { next_on: tomorrow })
      await createConfirmedSchedule(alice, payee, { next_on: tomorrow, recurrence: 'weekly', amount: '3.00' })
    }
    const workers = Array.from({ length: 6 }, () => createWorkerAt(world, dueTime(tomorrow)))
    await Promise.all(workers.flatMap((worker) => [runDueSends(worker), runDueSends(worker)]))
    await runDueSends(createWorkerAt(world, dueTime(tomorrow, 1)))
    expect((await loadSends()).map(({ amount }) => amount).toSorted()).toEqual(['10.10', '10.10', '3.03', '3.03'])
    expect(await loadDollars()).toBe('73.74')
    expect(await loadNotifications(alice, 'schedule_sent')).toHaveLength(4)
  })

  test('held for a case is pending and sends no notification that it was sent', async () => {
    await createConfirmedSchedule(alice, bruno, { next_on: tomorrow })
    await openTestCase(world, { userId: BigInt(alice.id), kind: 'pattern', evidence: { rule: 'test' } })
    await runDueSends(createWorkerAt(world, dueTime(tomorrow)))
    expect(await loadSends()).toMatchObject([{ status: 'PENDING', amount: '10.10' }])
    expect(await loadSchedules(alice)).toMatchObject({ past: [{ state: 'sent', transaction_status: 'PENDING' }] })
    expect(await loadNotifications(alice, 'schedule_sent')).toEqual([])
  })

  test('is atomic when its worker dies before or right after the commit', async () => {
    const { id } = await createConfirmedSchedule(alice, bruno, { next_on: tomorrow })
    const { pool } = world.database
    // A failing notification rolls back the whole transaction.
    await pool.query(`alter table notification add constraint not_now check (code <> 'schedule_sent') not valid`)
    const worker = createWorkerAt(world, dueTime(tomorrow))
    await worker.runDue()
    expect(worker.errors).toHaveLength(1)
    expect(await loadSends()).toEqual([])
    expect((await loadSchedules(alice)).schedules).toMatchObject([{ waiting: { reason: 'internal' } }])
    await pool.query('alter table notification drop constraint not_now')
    await runDueSends(createWorkerAt(world, dueTime(tomorrow, 1)))
    expect(await loadSends()).toHaveLength(1)
    // A second row for the same date is refused.
    await expect(
      pool.query(
        `insert into schedule_occurrence (id, schedule_id, on_date, due_at, state, try_at) values (gen_random_uuid(), $1, $2, now(), 'waiting', now())`,
        [id, tomorrow],
      ),
    ).rejects.toThrow('schedule_occurrence_date')
  })

  test('after clock jumps sends the latest date, and earlier ones count as missed', async () => {
    const { id } = await createConfirmedSchedule(alice, bruno, { next_on: tomorrow, recurrence: 'weekly' })
    await runDueSends(createWorkerAt(world, dueTime(tomorrow)))
    const laterDate = addDays(tomorrow, 23)
    await runDueSends(createWorkerAt(world, dueTime(laterDate)))
    expect(await loadOccurrences(alice, id)).toEqual([
      { date: tomorrow, state: 'sent', reason: null },
      { date: addDays(tomorrow, 7), state: 'missed', reason: 'too_late' },
      { date: addDays(tomorrow, 14), state: 'missed', reason: 'too_late' },
      { date: addDays(tomorrow, 21), state: 'sent', reason: null },
    ])
    expect(await loadSends()).toHaveLength(2)
    expect((await loadSchedules(alice)).schedules).toMatchObject([{ next_on: addDays(tomorrow, 28) }])
    expect(await loadNotifications(alice, 'schedule_skipped'), 'said once').toMatchObject([
      { params: { date: addDays(tomorrow, 14) } },
    ])
    expect(await nextMail(world, alice, /didn't go out/)).toContain("It couldn't be sent in time.")
    // A clock that was set back sends no date again.
    await runDueSends(createWorkerAt(world, dueTime(tomorrow, 1)))
    await runDueSends(createWorkerAt(world, dueTime(laterDate, 1)))
    expect(await loadSends()).toHaveLength(2)
  })

  test('after clock jumps a date that still waits counts as missed too', async () => {
    const { id } = await createConfirmedSchedule(alice, bruno, {
      next_on: tomorrow,
      recurrence: 'weekly',
      amount: '150.00',
    })
    await runDueSends(createWorkerAt(world, dueTime(tomorrow)))
    expect((await loadSchedules(alice)).schedules).toMatchObject([{ waiting: { reason: 'insufficient_funds' } }])
    await world.fund(alice, 30_000)
    await runDueSends(createWorkerAt(world, dueTime(addDays(tomorrow, 16))))
    expect(await loadOccurrences(alice, id)).toEqual([
      { date: tomorrow, state: 'missed', reason: 'too_late' },
      { date: addDays(tomorrow, 7), state: 'missed', reason: 'too_late' },
      { date: addDays(tomorrow, 14), state: 'sent', reason: null },
    ])
    expect(await loadNotifications(alice, 'schedule_skipped')).toMatchObject([
      { params: { date: addDays(tomorrow, 7) } },
    ])
    expect(await loadSends()).toHaveLength(1)
  })
})

describe('a rate guard', () => {
  const guardedOrder = { side: 'target', amount: '8.00', recurrence: 'weekly', rate_guard: '12.00' } as const

  test('delays a date while it costs more, and releases it once it costs less', async () => {
    const { id } = await createConfirmedSchedule(alice, bruno, { ...guardedOrder, next_on: tomorrow })
    await runDueSends(createWorkerAt(world, dueTime(tomorrow), raisePrices(100n)))
    const [waitingSchedule] = (await loadSchedules(alice)).schedules
    expect(waitingSchedule).toMatchObject({
      waiting: { state: 'waiting', reason: 'price_above_ceiling', reason_text: 'It costs more than you agreed to.' },
    })
    expect(waitingSchedule!.waiting!.retry_until).toBe(localMoment(addDays(tomorrow, 4), 0, zone).toISOString())
    await runDueSends(createWorkerAt(world, dueTime(addDays(tomorrow, 1)), raisePrices(100n)))
    expect(await loadSends()).toEqual([])
    await runDueSends(createWorkerAt(world, dueTime(addDays(tomorrow, 2))))
    expect(await loadSends()).toMatchObject([{ target_amount: '8.00' }])
    expect(await loadOccurrences(alice, id)).toEqual([{ date: tomorrow, state: 'sent', reason: null }])
  })

  test.each([
    [3, 4],
    [0, 1],
  ])('gives a date up after %i days, and says so', async (wait_days, days) => {
    const { id } = await createConfirmedSchedule(alice, bruno, { ...guardedOrder, wait_days, next_on: tomorrow })
    await runDueSends(createWorkerAt(world, dueTime(tomorrow), raisePrices(100n)))
    const end = localMoment(addDays(tomorrow, days), 0, zone).getTime()
    await runDueSends(createWorkerAt(world, new Date(end - 60_000), raisePrices(100n)))
    expect(await loadOccurrences(alice, id)).toEqual([])
    // The next attempt, ten minutes after the last one, comes after the end.
    await runDueSends(createWorkerAt(world, new Date(end + 10 * 60_000), raisePrices(100n)))
    expect(await loadOccurrences(alice, id)).toEqual([
      { date: tomorrow, state: 'skipped', reason: 'price_above_ceiling' },
    ])
    expect(await loadNotifications(alice, 'schedule_skipped')).toMatchObject([
      { params: { amount: '8.00', currency: 'EUR' } },
    ])
    expect(await nextMail(world, alice, /didn't go out/)).toContain('It costs more than you agreed to.')
    await runDueSends(createWorkerAt(world, new Date(end + 20 * 60_000)))
    expect(await loadSends()).toEqual([])
    expect((await loadSchedules(alice)).schedules).toMatchObject([{ next_on: addDays(tomorrow, 7), waiting: null }])
  })

  test('applies to the price that is paid when rates move after the check', async () => {
    await createConfirmedSchedule(alice, bruno, { ...guardedOrder, next_on: tomorrow })
    const { exchange } = world.app.product
    const quote: typeof exchange.quote = async (...parameters) => ({
      ...(await exchange.quote(...parameters)),
      total: '12.01',
    })
    await runDueSends(createWorkerAt(world, dueTime(tomorrow), { exchange: { quote } }))
    expect(await loadSends()).toEqual([])
    expect((await loadSchedules(alice)).schedules).toMatchObject([{ waiting: { reason: 'price_above_ceiling' } }])
  })
})

describe('a low balance', () => {
  test('is announced the day before, once per date, with the missing amount', async () => {
    const day = dateAfterDays(world, 5)
    const carol = await world.enroll('carol', 'Germany')
    await createConfirmedSchedule(alice, bruno, { next_on: day, amount: '70.00' })
    await createConfirmedSchedule(alice, carol, { next_on: day, amount: '40.00', recurrence: 'monthly' })
    await runDueSends(createWorkerAt(world, dueTime(addDays(day, -2))))
    expect(await loadNotifications(alice, 'schedule_short')).toEqual([])
    const [firstWorker, secondWorker] = [dueTime(addDays(day, -1)), dueTime(addDays(day, -1), 2)]
    await Promise.all([
      runDueSends(createWorkerAt(world, firstWorker)),
      runDueSends(createWorkerAt(world, firstWorker)),
    ])
    await runDueSends(createWorkerAt(world, secondWorker))
    expect(await loadNotifications(alice, 'schedule_short')).toMatchObject([
      { needs_action: true, params: { person: null, amount: '11.10', currency: 'USD', date: day } },
    ])
    expect(await nextMail(world, alice, /balance is too low/)).toContain('$11.10')
    expect(await loadMails(world, alice, /balance is too low/)).toHaveLength(1)
    const dayOccurrences = (await loadSchedules(alice)).coming.filter(({ date }) => date === day)
    expect(dayOccurrences).toMatchObject([
      { total: '70.70', missing: null },
      { total: '40.40', missing: '11.10' },
    ])
  })

  test('is not announced when it suffices', async () => {
    await createConfirmedSchedule(alice, bruno, { next_on: tomorrow, amount: '70.00' })
    await runDueSends(createWorkerAt(world, dueTime(dateAfterDays(world, 0))))
    expect(await loadNotifications(alice, 'schedule_short')).toEqual([])
  })

  test('delays dates for up to three days; the earliest is paid first', async () => {
    const carol = await world.enroll('carol', 'Germany')
    const first = await createConfirmedSchedule(alice, bruno, { next_on: tomorrow, amount: '60.00' })
    const second = await createConfirmedSchedule(alice, carol, { next_on: tomorrow, amount: '60.00' })
    await runDueSends(createWorkerAt(world, dueTime(tomorrow)))
    expect(await loadOccurrences(alice, first.id)).toMatchObject([{ state: 'sent' }])
    expect((await loadSchedules(alice)).schedules).toMatchObject([
      { id: second.id, waiting: { reason: 'insufficient_funds', reason_text: "Your balance isn't high enough." } },
    ])
    await world.fund(alice, 3000)
    await runDueSends(createWorkerAt(world, dueTime(tomorrow, 1)))
    expect(await loadOccurrences(alice, second.id)).toMatchObject([{ state: 'sent' }])

    const dora = await world.enroll('dora', 'Germany')
    const third = await createConfirmedSchedule(alice, dora, { next_on: tomorrow, amount: '60.00' })
    await runDueSends(createWorkerAt(world, dueTime(tomorrow, 2)))
    await runDueSends(createWorkerAt(world, localMoment(addDays(tomorrow, 4), 1, zone)))
    expect(await loadOccurrences(alice, third.id)).toEqual([
      { date: tomorrow, state: 'failed', reason: 'insufficient_funds' },
    ])
    expect((await loadSchedules(alice)).schedules, 'nothing more is to come').toEqual([])
    expect(await loadNotifications(alice, 'schedule_skipped')).toHaveLength(1)
  })
})

describe('refusals of manual sends', () => {
  test('apply to scheduled sends: a closed recipient, and a limit', async () => {
    const { id } = await createConfirmedSchedule(alice, bruno, { next_on: tomorrow, recurrence: 'weekly' })
    await alice.call(setOwnLimit, { body: { direction: 'out', period: 'day', max: '9.00' } })
    await runDueSends(createWorkerAt(world, dueTime(tomorrow)))
    expect(await loadOccurrences(alice, id)).toEqual([{ date: tomorrow, state: 'failed', reason: 'limit_exceeded' }])
    expect(await nextMail(world, alice, /didn't go out/)).toContain('This would exceed one of your limits.')
    const { pool } = world.database
    await pool.query(`update app_user set kyc_status = 'rejected' where id = $1`, [bruno.id])
    world.app.product.identity.forgetUser(BigInt(bruno.id))
    await runDueSends(createWorkerAt(world, dueTime(addDays(tomorrow, 7))))
    expect((await loadOccurrences(alice, id)).at(-1)).toEqual({
      date: addDays(tomorrow, 7),
      state: 'failed',
      reason: 'recipient_not_found',
    })
    expect(await loadSends()).toEqual([])
    expect((await loadSchedules(alice)).schedules, 'it goes on').toMatchObject([{ next_on: addDays(tomorrow, 14) }])
  })

  test('an unconfirmed stored schedule requires the confirmation of a send', async () => {
    await world.fund(alice, 10_000)
    const ids: string[] = []
    for (let count = 0; count < 2; count += 1) {
      ids.push((await createConfirmedSchedule(alice, bruno, { next_on: tomorrow, amount: '60.00' })).id)
    }
    await world.database.pool.query('update schedule set confirmed_at = null where id = any($1)', [ids])
    await runDueSends(createWorkerAt(world, dueTime(tomorrow)))
    expect(await loadOccurrences(alice, ids[0]!)).toMatchObject([{ state: 'sent' }])
    expect(await loadOccurrences(alice, ids[1]!)).toMatchObject([{ state: 'failed', reason: 'step_up_required' }])
    expect(await loadSends()).toHaveLength(1)
  })
})

describe('an owner who edits a schedule while a date is due', () => {
  const createWaitingOccurrence = async () => {
    const { id } = await createConfirmedSchedule(alice, bruno, {
      next_on: tomorrow,
      amount: '8.00',
      side: 'target',
      recurrence: 'weekly',
      rate_guard: '12.00',
    })
    await runDueSends(createWorkerAt(world, dueTime(tomorrow), raisePrices(100n)))
    return id
  }
  const runNextDay = () => runDueSends(createWorkerAt(world, dueTime(addDays(tomorrow, 1))))

  test.each([
    ['stops', 'stopped', (id: string) => alice.call(stopSchedule, { params: { id } })],
    ['pauses', 'paused', (id: string) => alice.call(pauseSchedule, { params: { id }, body: {} })],
    ['skips', 'by_owner', (id: string) => alice.call(skipOccurrence, { params: { id }, body: { date: tomorrow } })],
  ])('%s it for good', async (_, reason, change) => {
    const id = await createWaitingOccurrence()
    await change(id)
    await change(id).catch(() => {})
    await runNextDay()
    expect(await loadOccurrences(alice, id)).toEqual([{ date: tomorrow, state: 'skipped', reason }])
    expect(await loadSends()).toEqual([])
  })

  test('applies the new terms to it', async () => {
    const id = await createWaitingOccurrence()
    const scheduleTerms = {
      source_currency: 'USD',
      target_currency: 'EUR',
      side: 'target',
      recurrence: 'weekly',
    } as const
    const next_on = addDays(tomorrow, 7)
    await alice.call(editSchedule, {
      params: { id },
      body: { ...scheduleTerms, next_on, amount: '7.00', rate_guard: '11.00' },
    })
    await runNextDay()
    expect(await loadSends()).toMatchObject([{ target_amount: '7.00' }])
  })

  test('waits for the worker that sends it, and stops later dates', async () => {
    const { id } = await createConfirmedSchedule(alice, bruno, {
      next_on: tomorrow,
      recurrence: 'weekly',
      amount: '1.00',
    })
    const writerBlock = await blockWriters(world.database, 'ledger.posting')
    const dueRun = runDueSends(createWorkerAt(world, dueTime(tomorrow)))
    await writerBlock.waitForWaiters(1)
    const stopRun = alice.call(stopSchedule, { params: { id } })
    await writerBlock.waitForWaiters(2)
    await writerBlock.release()
    await Promise.all([dueRun, stopRun])
    expect(await loadOccurrences(alice, id)).toMatchObject([{ date: tomorrow, state: 'sent' }])
    await runDueSends(createWorkerAt(world, dueTime(addDays(tomorrow, 7))))
    expect(await loadSends()).toHaveLength(1)
  })

  test('can skip it at the moment it is due', async () => {
    const { id } = await createConfirmedSchedule(alice, bruno, { next_on: tomorrow, amount: '1.00' })
    const writerBlock = await blockWriters(world.database, 'schedule_occurrence')
    const dueRun = runDueSends(
      createWorkerAt(world, dueTime(tomorrow), { exchange: { price: () => refuse('rates_unavailable') } }),
    )
    await writerBlock.waitForWaiters(1)
    const skipCall = alice.call(skipOccurrence, { params: { id }, body: { date: tomorrow } })
    await writerBlock.waitForWaiters(2)
    await writerBlock.release()
    await Promise.all([dueRun, skipCall])
    await runDueSends(createWorkerAt(world, dueTime(tomorrow, 1)))
    expect(await loadOccurrences(alice, id)).toEqual([{ date: tomorrow, state: 'skipped', reason: 'by_owner' }])
    expect(await loadSends()).toEqual([])
  })

  test('wins or loses atomically against the worker', async () => {
    for (let round = 0; round < 6; round += 1) {
      const { id } = await createConfirmedSchedule(alice, bruno, { next_on: tomorrow, amount: '1.00' })
      const countBefore = (await loadSends()).length
      await Promise.all([
        runDueSends(createWorkerAt(world, dueTime(tomorrow))),
        alice.call(stopSchedule, { params: { id } }),
      ])
      await runDueSends(createWorkerAt(world, dueTime(tomorrow, 1)))
      const [date] = await loadOccurrences(alice, id)
      expect((await loadSends()).length - countBefore).toBe(date?.state === 'sent' ? 1 : 0)
    }
  })
})
