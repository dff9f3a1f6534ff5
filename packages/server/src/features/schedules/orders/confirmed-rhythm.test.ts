// Edits never make a schedule send more in any period than its account holder confirmed.

import {
  type ScheduleTerms,
  editSchedule,
  type Recurrence,
  schedules as listSchedules,
  skipOccurrence,
} from '@tern/contract/schedules/schedules'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { TestPerson } from '@tern/testkit/app'
import { openTestApp } from '@tern/testkit/open-test-app'
import { confirm, loadFailedChecks, settleCall, readRequirement } from '@tern/testkit/banking'
import { isFullRun } from '@tern/testkit/length'
import { raiseLimits } from '@tern/testkit/people'
import {
  loadOccurrences,
  dueTime,
  dateAfterDays,
  createConfirmedSchedule,
  runDueSends,
  createWorkerAt,
} from '@tern/testkit/schedules'
import type { Caller } from '../../../platform/http/serve.ts'
import { Refusal, refuse } from '../../../platform/refuse.ts'
import { addDays } from '../recurrence.ts'

let alice: TestPerson
let bruno: TestPerson
let tomorrow: string

const world = await openTestApp()
await raiseLimits(world.database.pool)
beforeEach(async () => {
  alice = await world.enroll('alice', 'United States')
  bruno = await world.enroll('bruno', 'Germany')
  await world.fund(alice, 1_000_000)
  tomorrow = dateAfterDays(world, 1)
})
afterEach(async () => expect(await loadFailedChecks(world)).toEqual([]))

const refuseWithoutConfirmation = () => Promise.resolve(refuse('step_up_required'))
const confirmImmediately = () => Promise.resolve(new Date())

const toCaller = ({ id }: TestPerson): Caller => ({ userId: BigInt(id), sessionId: '', verified: true })

const buildTerms = (changes: Partial<ScheduleTerms>): ScheduleTerms => ({
  source_currency: 'USD',
  target_currency: 'EUR',
  side: 'source',
  amount: '10.00',
  recurrence: 'weekly',
  next_on: tomorrow,
  ...changes,
})
const edit = (id: string, changes: Partial<ScheduleTerms>, confirmation?: string) =>
  settleCall(alice.call(editSchedule, { params: { id }, body: buildTerms(changes), confirmation }))
const loadSentDates = async (id: string) =>
  (await loadOccurrences(alice, id)).filter(({ state }) => state === 'sent').map(({ date }) => date)
const readReason = (outcome: object) => readRequirement(outcome).subject['because']

describe('moving the next date', () => {
  test('to tomorrow every day sends once a week', async () => {
    const { id } = await createConfirmedSchedule(alice, bruno, { next_on: tomorrow, recurrence: 'weekly' })
    for (let day = 1; day < 15; day += 1) {
      const date = dateAfterDays(world, day)
      // A thief has the session but cannot confirm, and edits the schedule on the day before.
      const thief = createWorkerAt(world, dueTime(addDays(date, -1), 1), { requireStepUp: refuseWithoutConfirmation })
      await thief
        .edit({ caller: toCaller(alice), id, body: buildTerms({ next_on: date }), confirmation: undefined })
        .catch((error: unknown) => {
          if (!(error instanceof Refusal)) throw error
        })
      await runDueSends(createWorkerAt(world, dueTime(date)))
    }
    expect(await loadSentDates(id)).toEqual([tomorrow, addDays(tomorrow, 7)])
  })

  test('to an earlier day requires a confirmation of the new dates with the reason; a later day does not', async () => {
    const { id } = await createConfirmedSchedule(alice, bruno, { next_on: tomorrow, recurrence: 'weekly' })
    await runDueSends(createWorkerAt(world, dueTime(tomorrow)))
    const earlierDate = addDays(tomorrow, 3)
    const laterDate = addDays(tomorrow, 9)
    expect(await edit(id, { next_on: laterDate })).toMatchObject({ next_on: laterDate })
    expect(await edit(id, { next_on: addDays(tomorrow, 7) }), 'as confirmed').toMatchObject({ state: 'active' })
    const requirement = readRequirement(await edit(id, { next_on: earlierDate }))
    expect(requirement.subject).toMatchObject({
      because: 'The new date comes sooner than you confirmed.',
      at_most: '10.10 USD',
      repeats: 'Every week',
    })
    await confirm(world, alice, requirement)
    expect(await edit(id, { next_on: addDays(tomorrow, 2) }, requirement.id), 'another date').toMatchObject({
      code: 'step_up_required',
    })
    expect(await edit(id, { next_on: earlierDate }, requirement.id)).toMatchObject({ next_on: earlierDate })
    await runDueSends(createWorkerAt(world, dueTime(earlierDate)))
    expect(await loadSentDates(id)).toEqual([tomorrow, earlierDate])
    expect(await edit(id, { next_on: addDays(earlierDate, 6) })).toMatchObject({ code: 'step_up_required' })
  })

  test('before the first confirmed date requires a confirmation', async () => {
    const { id } = await createConfirmedSchedule(alice, bruno, { next_on: addDays(tomorrow, 9), recurrence: 'once' })
    expect(readReason(await edit(id, { next_on: tomorrow, recurrence: 'once' }))).toBe(
      'The new date comes sooner than you confirmed.',
    )
  })

  test.each([
    ['a dearer send', { amount: '11.00' }, 'Each send may cost more than before.'],
    ['a rhythm that is more frequent', { recurrence: 'weekly' }, "It's sent more often than before."],
  ] as const)('asks for a confirmation of %s', async (_, changes, reason) => {
    const { id } = await createConfirmedSchedule(alice, bruno, { next_on: tomorrow, recurrence: 'monthly' })
    expect(readReason(await edit(id, { recurrence: 'monthly', ...changes }))).toBe(reason)
  })

  test('requires a confirmation to raise rhythm and amount again after lowering them', async () => {
    const { id } = await createConfirmedSchedule(alice, bruno, { next_on: tomorrow, recurrence: 'weekly' })
    await runDueSends(createWorkerAt(world, dueTime(tomorrow)))
    const next_on = addDays(tomorrow, 7)
    expect(await edit(id, { next_on, recurrence: 'monthly', amount: '5.00' })).toMatchObject({ amount: '5.00' })
    await runDueSends(createWorkerAt(world, dueTime(next_on)))
    const month = { recurrence: 'monthly', amount: '5.00' } as const
    expect(await edit(id, { ...month, next_on: addDays(next_on, 14) })).toMatchObject({ code: 'step_up_required' })
    expect(await edit(id, { ...month, next_on: addDays(next_on, 31), amount: '6.00' })).toMatchObject({
      code: 'step_up_required',
    })
    expect(await edit(id, { ...month, next_on: addDays(next_on, 31), recurrence: 'biweekly' })).toMatchObject({
      code: 'step_up_required',
    })
    expect(await edit(id, { ...month, next_on: addDays(next_on, 40) })).toMatchObject({ state: 'active' })
  })

  test('back to a skipped date requires no confirmation', async () => {
    const { id } = await createConfirmedSchedule(alice, bruno, { next_on: tomorrow, recurrence: 'weekly' })
    await alice.call(skipOccurrence, { params: { id }, body: { date: tomorrow } })
    expect(await edit(id, { next_on: tomorrow })).toMatchObject({ state: 'active', next_on: tomorrow })
    await runDueSends(createWorkerAt(world, dueTime(tomorrow)))
    expect(await loadSentDates(id)).toEqual([tomorrow])
  })
})

test('a stored date that exceeds the confirmation is not sent', async () => {
  const { id } = await createConfirmedSchedule(alice, bruno, { next_on: tomorrow, recurrence: 'weekly' })
  const { pool } = world.database
  await runDueSends(createWorkerAt(world, dueTime(tomorrow)))
  const earlierDate = addDays(tomorrow, 2)
  await pool.query('update schedule set next_on = $2, next_at = $3, warn_at = null where id = $1', [
    id,
    earlierDate,
    dueTime(earlierDate),
  ])
  await runDueSends(createWorkerAt(world, dueTime(earlierDate, 1)))
  expect(await loadOccurrences(alice, id)).toEqual([
    { date: tomorrow, state: 'sent', reason: null },
    { date: earlierDate, state: 'failed', reason: 'step_up_required' },
  ])
  await expect(pool.query('update schedule set ceiling_minor = ceiling_minor + 1 where id = $1', [id])).rejects.toThrow(
    'schedule_within_confirmed',
  )
})

// Independent oracle: the maximum number of a rhythm's dates in any period of a given number of days.
const dayMs = 86_400_000
const toDayNumber = (date: string): number => Date.parse(date) / dayMs

function computeGrid(recurrence: Recurrence, start: number): number[] {
  if (recurrence === 'once') return [start]
  if (recurrence === 'weekly' || recurrence === 'biweekly') {
    const daysBetween = recurrence === 'weekly' ? 7 : 14
    return Array.from({ length: 60 }, (_, index) => start + index * daysBetween)
  }
  const first = new Date(start * dayMs)
  return Array.from({ length: 14 }, (_, index) => {
    const lastDay = new Date(Date.UTC(first.getUTCFullYear(), first.getUTCMonth() + index + 1, 0)).getUTCDate()
    const day = recurrence === 'month_end' ? lastDay : Math.min(first.getUTCDate(), lastDay)
    return Date.UTC(first.getUTCFullYear(), first.getUTCMonth() + index, day) / dayMs
  })
}

const windowDays = [1, 7, 14, 28, 30, 31, 59, 90, 365]
const mostDatesByKey = new Map<string, number>()
function countMostDates(recurrence: Recurrence, days: number): number {
  const key = `${recurrence} ${days}`
  const cachedMost = mostDatesByKey.get(key)
  if (cachedMost !== undefined) return cachedMost
  let mostDatesInWindow = 0
  for (let start = toDayNumber('2026-01-01'); start < toDayNumber('2030-01-01'); start += 1) {
    mostDatesInWindow = Math.max(
      mostDatesInWindow,
      computeGrid(recurrence, start).filter((date) => date < start + days).length,
    )
  }
  mostDatesByKey.set(key, mostDatesInWindow)
  return mostDatesInWindow
}

interface ConfirmedTerms {
  readonly recurrence: Recurrence
  /** Cents, fee included. */
  readonly maxCents: bigint
}
interface SentPayment {
  readonly date: number
  readonly cents: bigint
  readonly terms: ConfirmedTerms
}

/** Returns the periods in which more was sent under a confirmation than it allows. */
function findViolations(sentPayments: readonly SentPayment[]): string[] {
  return sentPayments.flatMap(({ date, terms }) =>
    windowDays.flatMap((days) => {
      const paymentsInWindow = sentPayments.filter(
        (payment) => payment.terms === terms && payment.date >= date && payment.date < date + days,
      )
      const sum = paymentsInWindow.reduce((total, { cents }) => total + cents, 0n)
      const allowedCents = terms.maxCents * BigInt(countMostDates(terms.recurrence, days))
      return sum > allowedCents ? [`${sum} cents in ${days} days, where ${allowedCents} were confirmed`] : []
    }),
  )
}

test('the oracle counts the sends of each rhythm in 30 days', () => {
  const rhythms: Recurrence[] = ['once', 'monthly', 'month_end', 'biweekly', 'weekly']
  expect(rhythms.map((rhythm) => countMostDates(rhythm, 30))).toEqual([1, 2, 2, 3, 5])
  const terms: ConfirmedTerms = { recurrence: 'weekly', maxCents: 1010n }
  const dailyPayments = Array.from({ length: 4 }, (_, date) => ({ date, cents: 1010n, terms }))
  expect(findViolations(dailyPayments)).not.toEqual([])
})

const rhythm = fc.constantFrom<Recurrence>('once', 'weekly', 'biweekly', 'monthly', 'month_end')
const step = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('edit' as const),
      inDays: fc.integer({ min: 1, max: 40 }),
      recurrence: fc.option(rhythm, { nil: undefined, freq: 2 }),
      amount: fc.option(fc.constantFrom('5.00', '9.99', '10.00', '12.00'), { nil: undefined, freq: 2 }),
      isConfirmed: fc.nat(7).map((number) => number === 0),
    }),
  },
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('wait' as const), days: fc.integer({ min: 1, max: 16 }) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('jump' as const), days: fc.integer({ min: 5, max: 60 }) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constantFrom('pause' as const, 'resume' as const, 'skip' as const) }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('pause_until' as const), days: fc.integer({ min: 1, max: 30 }) }),
  },
)
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never

/** Runs the steps on one schedule; returns its sends with the terms confirmed for each. */
async function playSteps(first: Recurrence, steps: readonly Step[]): Promise<SentPayment[]> {
  const sender = await world.enroll('sender', 'United States')
  await world.fund(sender, 1_000_000)
  const caller = toCaller(sender)
  const { id } = await createConfirmedSchedule(sender, bruno, { next_on: tomorrow, recurrence: first })
  let terms: ConfirmedTerms = { recurrence: first, maxCents: 1010n }
  let today = dateAfterDays(world, 0)
  let amount = '10.00'
  const sentPayments: SentPayment[] = []
  const knownDates = new Set<string>()
  const collectSends = async () => {
    const { rows } = await world.database.pool.query<{ on_date: string; total_minor: bigint }>(
      `select on_date, total_minor from schedule_occurrence
        where schedule_id = $1 and (state = 'sent' or reason = 'step_up_required')`,
      [id],
    )
    expect(rows.filter(({ total_minor: cents }) => cents === null)).toEqual([])
    for (const { on_date: date, total_minor: cents } of rows) {
      if (!knownDates.has(date)) sentPayments.push({ date: toDayNumber(date), cents, terms })
      knownDates.add(date)
    }
  }
  const runDay = async () => {
    await runDueSends(createWorkerAt(world, dueTime(today)))
    await collectSends()
  }
  const isAllowed = async (change: Promise<unknown>): Promise<boolean> =>
    change.then(
      () => true,
      (error: unknown) => {
        if (error instanceof Refusal) return false
        throw error
      },
    )
  for (const step of steps) {
    const at = dueTime(today, 2)
    const worker = createWorkerAt(world, at, { requireStepUp: refuseWithoutConfirmation })
    const schedule = (await sender.call(listSchedules, {})).schedules.find((candidate) => candidate.id === id)
    if (!schedule) return sentPayments
    if (step.kind === 'wait') {
      for (let day = 0; day < step.days; day += 1) {
        today = addDays(today, 1)
        await runDay()
      }
    } else if (step.kind === 'jump') {
      today = addDays(today, step.days)
      await runDay()
    } else if (step.kind === 'edit') {
      const body = buildTerms({
        next_on: addDays(today, step.inDays),
        recurrence: step.recurrence ?? schedule.recurrence,
        amount: step.amount ?? amount,
      })
      if (await isAllowed(worker.edit({ caller, id, body, confirmation: undefined }))) {
        amount = body.amount
      } else if (step.isConfirmed) {
        const owner = createWorkerAt(world, at, { requireStepUp: confirmImmediately })
        if (await isAllowed(owner.edit({ caller, id, body, confirmation: 'confirmed' }))) {
          amount = body.amount
          const cents = BigInt(amount.replace('.', ''))
          terms = { recurrence: body.recurrence, maxCents: cents + (cents + 50n) / 100n }
        }
      }
    } else if (step.kind === 'pause') await isAllowed(worker.pause({ userId: caller.userId, id, until: undefined }))
    else if (step.kind === 'pause_until')
      await isAllowed(worker.pause({ userId: caller.userId, id, until: addDays(today, step.days) }))
    else if (step.kind === 'resume') await isAllowed(worker.resume({ userId: caller.userId, id }))
    else if (schedule.next_on !== null)
      await isAllowed(worker.skip({ userId: caller.userId, id, date: schedule.next_on }))
  }
  return sentPayments
}

test('edits without a confirmation never send more in any period than was confirmed', async () => {
  let sendCount = 0
  await fc.assert(
    fc.asyncProperty(rhythm, fc.array(step, { minLength: 10, maxLength: 24 }), async (first, steps) => {
      const sentPayments = await playSteps(first, steps)
      sendCount += sentPayments.length
      expect(findViolations(sentPayments)).toEqual([])
    }),
    { numRuns: isFullRun ? 100 : 20, seed: 20261127, endOnFailure: true },
  )
  expect(sendCount, 'something was sent at all').toBeGreaterThan(40)
}, 900_000)
