import { randomUUID } from 'node:crypto'
import {
  type ScheduleTerms,
  editSchedule,
  pauseSchedule,
  resumeSchedule,
  schedules as listSchedules,
  skipOccurrence,
  stopSchedule,
} from '@tern/contract/schedules/schedules'
import { sendMoney } from '@tern/contract/transfers'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { TestPerson } from '@tern/testkit/app'
import { openTestApp } from '@tern/testkit/open-test-app'
import { confirm, loadFailedChecks, settleCall, readRequirement } from '@tern/testkit/banking'
import {
  loadOccurrences,
  dueTime,
  dateAfterDays,
  createConfirmedSchedule,
  createScheduleOnce,
  createScheduleOutcome,
  runDueSends,
  createWorkerAt,
} from '@tern/testkit/schedules'
import { addDays } from './recurrence.ts'

let alice: TestPerson
let bruno: TestPerson
let tomorrow: string

const world = await openTestApp()
beforeEach(async () => {
  alice = await world.enroll('alice', 'United States')
  bruno = await world.enroll('bruno', 'Germany')
  await world.fund(alice, 10_000)
  tomorrow = dateAfterDays(world, 1)
})
afterEach(async () => expect(await loadFailedChecks(world)).toEqual([]))

const loadSchedules = async (person = alice) => (await person.call(listSchedules, {})).schedules
const baseTerms = { source_currency: 'USD', target_currency: 'EUR', recurrence: 'weekly' } as const
const buildWeekly = (changes: Partial<ScheduleTerms> = {}): ScheduleTerms => ({
  ...{ ...baseTerms, side: 'source', amount: '10.00', next_on: tomorrow },
  ...changes,
})
const edit = (id: string, changes: Partial<ScheduleTerms>, confirmation?: string, person = alice) =>
  settleCall(person.call(editSchedule, { params: { id }, body: buildWeekly(changes), confirmation }))
const pause = (id: string, until?: string, person = alice) =>
  settleCall(person.call(pauseSchedule, { params: { id }, body: until === undefined ? {} : { until } }))
const resume = (id: string, person = alice) => settleCall(person.call(resumeSchedule, { params: { id } }))
const stopTestSchedule = (id: string, person = alice) => settleCall(person.call(stopSchedule, { params: { id } }))
const skipDate = (id: string, date: string, person = alice) =>
  settleCall(person.call(skipOccurrence, { params: { id }, body: { date } }))

describe('creating a schedule', () => {
  test('stores it as given, with its price, once per key', async () => {
    const key = randomUUID()
    const schedule = await createConfirmedSchedule(alice, bruno, { ...buildWeekly(), description: 'Rent' }, { key })
    expect(schedule).toMatchObject({
      ...{ state: 'active', side: 'source', amount: '10.00', recurrence: 'weekly', description: 'Rent' },
      ...{ first_on: tomorrow, next_on: tomorrow, rate_guard: null, ceiling: '10.10', wait_days: 3, waiting: null },
      price: { source_amount: '10.00', fee: '0.10', total: '10.10' },
      recipient: { id: bruno.id, username: bruno.username },
    })
    expect(schedule.recipient.name, 'as its confirmation named somebody new').toBe('bruno Tester')
    expect(await createConfirmedSchedule(alice, bruno, { ...buildWeekly(), description: 'Rent' }, { key })).toEqual(
      schedule,
    )
    expect(await createScheduleOutcome(alice, bruno, { ...buildWeekly(), description: 'More' }, { key })).toMatchObject(
      {
        code: 'idempotency_key_reused',
      },
    )
    const repeatedSchedules = await Promise.all(
      Array.from({ length: 5 }, () => createConfirmedSchedule(alice, bruno, buildWeekly(), { key: schedule.id })),
    )
    expect(new Set(repeatedSchedules.map(({ id }) => id)).size).toBe(1)
    await world.database.pool.query('delete from shown_name where viewer_id = $1', [alice.id])
    const [scheduleWithInitials] = (await alice.call(listSchedules, {})).schedules
    expect(scheduleWithInitials?.recipient.name, 'initials alone without one').toBe('B. T.')
    expect(await loadSchedules()).toHaveLength(2)
    const next_on = addDays(tomorrow, 2)
    const kolkataSchedule = await createConfirmedSchedule(alice, bruno, {
      ...buildWeekly(),
      time_zone: 'Asia/Kolkata',
      next_on,
    })
    expect(kolkataSchedule.next_at, 'nine o’clock there').toBe(`${next_on}T03:30:00.000Z`)
    // Zones PostgreSQL may not know, and aliases of known ones.
    for (const time_zone of ['America/Coyhaique', 'Europe/Kiev', 'Asia/Calcutta', 'Pacific/Kiritimati', 'europe/paris'])
      expect(await createConfirmedSchedule(alice, bruno, { ...buildWeekly(), time_zone, next_on })).toMatchObject({
        time_zone,
        next_on,
      })
  })

  test('with month ends uses the last day of each month, from the first month on', async () => {
    const next_on = dateAfterDays(world, 40)
    const { id, next_on: first } = await createConfirmedSchedule(alice, bruno, {
      ...buildWeekly(),
      recurrence: 'month_end',
      next_on,
    })
    expect(addDays(first!, 1)).toMatch(/-01$/)
    expect(first!.slice(0, 7)).toBe(next_on.slice(0, 7))
    await runDueSends(createWorkerAt(world, dueTime(first!)))
    const [scheduleAfter] = await loadSchedules()
    expect(addDays(scheduleAfter!.next_on!, 1)).toMatch(/-01$/)
    expect(await loadOccurrences(alice, id)).toMatchObject([{ date: first, state: 'sent' }])
  })

  test.each([
    ['a date that is not ahead', { next_on: 'today' }, { field: 'next_on', code: 'date_not_ahead' }],
    ['a date too far ahead', { next_on: '2199-01-01' }, { field: 'next_on', code: 'date_too_far' }],
    ['no time zone', { time_zone: 'Mars/Olympus' }, { field: 'time_zone', code: 'invalid_time_zone' }],
    ...['Etc/Unknown', 'GMT+3', '+05:30', 'localtime', 'Factory', 'BST', 'x'.repeat(60)].map(
      (time_zone) =>
        [`time zone ${time_zone}`, { time_zone }, { field: 'time_zone', code: 'invalid_time_zone' }] as const,
    ),
    ['a guard of nothing', { rate_guard: '12.00' }, { field: 'rate_guard', code: 'rate_guard_not_needed' }],
    ['a currency that is not held', { source_currency: 'GBP' }, { field: 'source_currency' }],
    ['a currency that does not arrive', { target_currency: 'GBP' }, { field: 'target_currency' }],
    ['too many decimals', { amount: '1.001' }, { field: 'amount', code: 'too_many_decimals' }],
    ['too little', { amount: '0.01' }, { field: 'amount' }],
  ] as const)('is refused: %s', async (_, changes, error) => {
    const next_on = 'next_on' in changes && changes.next_on === 'today' ? dateAfterDays(world, 0) : tomorrow
    const scheduleBody = {
      ...buildWeekly(),
      ...changes,
      ...('next_on' in changes && changes.next_on !== 'today' ? {} : { next_on }),
    }
    expect(await createScheduleOutcome(alice, bruno, scheduleBody)).toMatchObject({ errors: [error] })
    expect(await loadSchedules()).toEqual([])
  })

  test('refuses oneself, unknown and unverified recipients', async () => {
    expect(await createScheduleOutcome(alice, alice, buildWeekly())).toMatchObject({ code: 'recipient_is_sender' })
    const unverifiedPerson = await world.enroll('nobody', null)
    expect(await createScheduleOutcome(alice, unverifiedPerson, buildWeekly())).toMatchObject({
      code: 'recipient_not_found',
    })
    expect(await createScheduleOutcome(unverifiedPerson, bruno, buildWeekly())).toMatchObject({
      code: 'verification_required',
    })
  })

  test('requires a confirmation of the payee and the maximum cost for any amount', async () => {
    const largeTerms = { ...buildWeekly(), side: 'target', amount: '100.00', rate_guard: '130.00' } as const
    readRequirement(await settleCall(createScheduleOnce(alice, bruno, buildWeekly())))
    const requirement = readRequirement(await settleCall(createScheduleOnce(alice, bruno, largeTerms)))
    expect(requirement).toMatchObject({
      action: 'schedule_send',
      subject: { receives: '100.00 EUR', at_most: '130.00 USD', repeats: 'Every week' },
    })
    await confirm(world, alice, requirement)
    const confirmation = requirement.id
    const carol = await world.enroll('carol', 'Germany')
    const key = randomUUID()
    for (const changes of [{ rate_guard: '131.00' }, { amount: '101.00' }, { recurrence: 'monthly' as const }]) {
      const outcome = await settleCall(
        createScheduleOnce(alice, bruno, { ...largeTerms, ...changes }, { confirmation, key }),
      )
      expect(outcome).toMatchObject({ code: 'step_up_required' })
    }
    const carolOrder = await settleCall(createScheduleOnce(alice, carol, largeTerms, { confirmation, key }))
    expect(carolOrder).toMatchObject({ code: 'step_up_required' })
    expect(await loadSchedules()).toEqual([])
  })

  test('allows sends without the owner up to the confirmed amount', async () => {
    await world.fund(alice, 90_000)
    const largeTerms = { ...buildWeekly(), side: 'target', amount: '100.00', rate_guard: '130.00' } as const
    const key = randomUUID()
    const requirement = readRequirement(await settleCall(createScheduleOnce(alice, bruno, largeTerms, { key })))
    await confirm(world, alice, requirement)
    const { id } = await createScheduleOnce(alice, bruno, largeTerms, { key, confirmation: requirement.id })
    expect((await createConfirmedSchedule(alice, bruno, largeTerms, { key })).id, 'asked again').toBe(id)
    await runDueSends(createWorkerAt(world, dueTime(tomorrow)))
    expect(await loadOccurrences(alice, id)).toMatchObject([{ state: 'sent' }])
    // A rate guard below the confirmed maximum needs no confirmation; a higher one does.
    const next_on = addDays(tomorrow, 7)
    const target = { side: 'target', amount: '100.00', next_on } as const
    expect(await edit(id, { ...target, rate_guard: '120.00' })).toMatchObject({ rate_guard: '120.00' })
    const raiseRequirement = readRequirement(await edit(id, { ...target, rate_guard: '140.00' }))
    expect(raiseRequirement.subject).toMatchObject({ at_most: '140.00 USD' })
    await confirm(world, alice, raiseRequirement)
    expect(await edit(id, { ...target, rate_guard: '140.00' }, raiseRequirement.id)).toMatchObject({
      rate_guard: '140.00',
    })
  })

  test('of a fixed foreign amount without a guard waits above the confirmed maximum', async () => {
    const target = { ...buildWeekly(), side: 'target', amount: '8.00' } as const
    const schedule = await createConfirmedSchedule(alice, bruno, target)
    expect(schedule.rate_guard).toBeNull()
    const [total, ceiling] = [schedule.price!.total, schedule.ceiling].map((text) => BigInt(text.replace('.', '')))
    expect(ceiling).toBe(total! + (total! + 9n) / 10n)
    expect((await createConfirmedSchedule(alice, bruno, { ...target, ceiling: '20.00' })).ceiling).toBe('20.00')
  })

  test('allows a hundred schedules per person', async () => {
    await createConfirmedSchedule(alice, bruno, buildWeekly())
    const { pool } = world.database
    const columns = (
      await pool.query<{ columns: string }>(
        `select string_agg(column_name, ', ') as columns from information_schema.columns
          where table_name = 'schedule' and column_name <> 'id'`,
      )
    ).rows[0]!.columns
    await pool.query(
      `insert into schedule (id, ${columns}) select gen_random_uuid(), ${columns} from schedule, generate_series(1, 98) where user_id = $1`,
      [alice.id],
    )
    const moreOutcomes = await Promise.all([
      createScheduleOutcome(alice, bruno, buildWeekly()),
      createScheduleOutcome(alice, bruno, buildWeekly()),
    ])
    expect(moreOutcomes.map((outcome) => ('code' in outcome ? outcome.code : 'made')).toSorted()).toEqual([
      'made',
      'too_many_schedules',
    ])
  })
})

describe('a schedule', () => {
  test('is private to its owner', async () => {
    const { id } = await createConfirmedSchedule(alice, bruno, buildWeekly())
    const notFoundError = { code: 'not_found' }
    expect(await edit(id, {}, undefined, bruno)).toMatchObject(notFoundError)
    expect(await pause(id, undefined, bruno)).toMatchObject(notFoundError)
    expect(await resume(id, bruno)).toMatchObject(notFoundError)
    expect(await stopTestSchedule(id, bruno)).toMatchObject(notFoundError)
    expect(await skipDate(id, tomorrow, bruno)).toMatchObject(notFoundError)
    expect(await loadSchedules(bruno)).toEqual([])
    expect(await stopTestSchedule(randomUUID())).toMatchObject(notFoundError)
  })

  test('sends nothing while paused, and resumes with the next date', async () => {
    const { id } = await createConfirmedSchedule(alice, bruno, buildWeekly())
    expect(await pause(id)).toMatchObject({ state: 'paused', next_on: null, paused_until: null })
    await runDueSends(createWorkerAt(world, dueTime(addDays(tomorrow, 8))))
    expect(await loadOccurrences(alice, id)).toEqual([])
    expect(await resume(id)).toMatchObject({ state: 'active', next_on: tomorrow })
    expect(await resume(id)).toMatchObject({ state: 'active' })
  })

  test('paused until a date resumes by itself', async () => {
    const { id } = await createConfirmedSchedule(alice, bruno, buildWeekly())
    const until = addDays(tomorrow, 8)
    expect(await pause(id, until)).toMatchObject({
      ...{ state: 'paused', paused_until: until, next_on: addDays(tomorrow, 14) },
    })
    expect(await pause(id, dateAfterDays(world, 0))).toMatchObject({
      errors: [{ field: 'until', code: 'date_not_ahead' }],
    })
    await runDueSends(createWorkerAt(world, dueTime(addDays(tomorrow, 7))))
    expect(await loadSchedules()).toMatchObject([{ state: 'paused' }])
    await runDueSends(createWorkerAt(world, dueTime(until)))
    expect(await loadSchedules()).toMatchObject([
      { state: 'active', paused_until: null, next_on: addDays(tomorrow, 14) },
    ])
    await runDueSends(createWorkerAt(world, dueTime(addDays(tomorrow, 14))))
    expect(await loadOccurrences(alice, id)).toEqual([{ date: addDays(tomorrow, 14), state: 'sent', reason: null }])
  })

  test('of a single date cannot be paused beyond it, and needs a new date once it has passed', async () => {
    const { id } = await createConfirmedSchedule(alice, bruno, { ...buildWeekly(), recurrence: 'once' })
    expect(await pause(id, addDays(tomorrow, 1))).toMatchObject({ errors: [{ code: 'date_after_last' }] })
    await pause(id)
    const laterWorker = createWorkerAt(world, dueTime(addDays(tomorrow, 1)))
    await expect(laterWorker.resume({ userId: BigInt(alice.id), id })).rejects.toMatchObject({
      code: 'schedule_date_passed',
    })
    const next_on = addDays(tomorrow, 5)
    expect(await edit(id, { recurrence: 'once', next_on })).toMatchObject({ state: 'active', next_on })
  })

  test('cannot be changed once stopped', async () => {
    const { id } = await createConfirmedSchedule(alice, bruno, buildWeekly())
    expect(await stopTestSchedule(id)).toMatchObject({ state: 'stopped', next_on: null })
    expect(await stopTestSchedule(id)).toMatchObject({ state: 'stopped' })
    for (const outcome of [await edit(id, {}), await pause(id), await resume(id), await skipDate(id, tomorrow)]) {
      expect(outcome).toMatchObject({ code: 'schedule_not_active' })
    }
    await runDueSends(createWorkerAt(world, dueTime(tomorrow)))
    expect(await loadOccurrences(alice, id)).toEqual([])
    expect(await loadSchedules()).toEqual([])
  })

  test('skips one date, idempotently', async () => {
    const { id } = await createConfirmedSchedule(alice, bruno, buildWeekly())
    expect(await skipDate(id, addDays(tomorrow, 1))).toMatchObject({ code: 'schedule_changed' })
    const next = addDays(tomorrow, 7)
    expect(await skipDate(id, tomorrow)).toMatchObject({ next_on: next })
    expect(await skipDate(id, tomorrow)).toMatchObject({ next_on: next })
    await runDueSends(createWorkerAt(world, dueTime(next)))
    expect(await loadOccurrences(alice, id)).toEqual([
      { date: tomorrow, state: 'skipped', reason: 'by_owner' },
      { date: next, state: 'sent', reason: null },
    ])
  })

  test('sends a skipped date that was chosen again', async () => {
    const { id } = await createConfirmedSchedule(alice, bruno, buildWeekly())
    await skipDate(id, tomorrow)
    expect(await edit(id, { next_on: tomorrow })).toMatchObject({ next_on: tomorrow })
    await runDueSends(createWorkerAt(world, dueTime(tomorrow)))
    expect(await loadOccurrences(alice, id)).toEqual([{ date: tomorrow, state: 'sent', reason: null }])
  })

  test('of a single date ends when that is skipped', async () => {
    const { id } = await createConfirmedSchedule(alice, bruno, { ...buildWeekly(), recurrence: 'once' })
    expect(await skipDate(id, tomorrow)).toMatchObject({ state: 'finished', next_on: null })
  })

  test('keeps its first date when only the amount changes', async () => {
    const nextYear = BigInt(tomorrow.slice(0, 4)) + 1n
    const next_on = `${nextYear}-01-31`
    const february = addDays(`${nextYear}-03-01`, -1)
    const { id } = await createConfirmedSchedule(alice, bruno, { ...buildWeekly(), recurrence: 'monthly', next_on })
    await skipDate(id, next_on)
    const monthlyTerms = { recurrence: 'monthly', next_on: february } as const
    expect(await edit(id, { ...monthlyTerms, amount: '9.00' })).toMatchObject({ amount: '9.00', first_on: next_on })
    await skipDate(id, february)
    expect(await loadSchedules()).toMatchObject([{ next_on: `${nextYear}-03-31` }])
  })

  test('is sent independently of manual sends', async () => {
    await createConfirmedSchedule(alice, bruno, buildWeekly())
    const body = { recipient_id: bruno.id, amount: '10.00', source_currency: 'USD' } as const
    await Promise.all([
      runDueSends(createWorkerAt(world, dueTime(tomorrow))),
      ...Array.from({ length: 4 }, () => alice.call(sendMoney, { body, idempotencyKey: randomUUID() })),
    ])
    expect((await alice.wallet()).fiat_balance).toBe('49.50')
  })
})
