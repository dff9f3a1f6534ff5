// Warnings about the payee of a schedule: answered when it is stored or changed, never when a date is sent.

import { randomUUID } from 'node:crypto'
import { editSchedule, type ScheduleTerms } from '@tern/contract/schedules/schedules'
import { sendMoney } from '@tern/contract/transfers'
import { acknowledgeWarning, findPayeeWarning } from '@tern/contract/transfers/payee-warnings'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { TestPerson } from '@tern/testkit/app'
import { readCode } from '@tern/testkit/attacks/attack'
import { confirm, loadFailedChecks, readRequirement, settleCall } from '@tern/testkit/banking'
import { openTestApp } from '@tern/testkit/open-test-app'
import { allowUnconfirmed } from '@tern/testkit/risk'
import {
  createConfirmedSchedule,
  createScheduleOnce,
  createScheduleOutcome,
  createWorkerAt,
  dateAfterDays,
  dueTime,
  loadOccurrences,
  runDueSends,
} from '@tern/testkit/schedules'

let owner: TestPerson
let payee: TestPerson
let tomorrow: string

const world = await openTestApp()
await allowUnconfirmed(world.database.pool, { dollars: 1_000_000 })
beforeEach(async () => {
  owner = await world.enroll('owner', 'United States')
  payee = await world.enroll('payee', 'Germany')
  await world.fund(owner, 900_000)
  tomorrow = dateAfterDays(world, 1)
})
afterEach(async () => expect(await loadFailedChecks(world)).toEqual([]))

const query = async (sql: string, ...values: unknown[]) => (await world.database.pool.query(sql, values)).rows
const look = async (amount: string, to = payee, description = '') =>
  (
    await owner.call(findPayeeWarning, {
      body: { recipient_id: to.id, amount, source_currency: 'USD', description },
    })
  ).warning
const acknowledge = (id: string) => owner.call(acknowledgeWarning, { params: { id } })
const acknowledgeFor = async (amount: string, to = payee) => acknowledge((await look(amount, to))!.id)
const schedule = (amount: string, to = payee, key: string = randomUUID()) =>
  createScheduleOutcome(owner, to, { next_on: tomorrow, recurrence: 'weekly', amount }, { key })
const edit = (id: string, changes: Partial<ScheduleTerms>, confirmation?: string) =>
  settleCall(
    owner.call(editSchedule, {
      params: { id },
      body: {
        ...{ source_currency: 'USD', target_currency: 'EUR', side: 'source', amount: '300.00' },
        ...{ recurrence: 'weekly', next_on: tomorrow },
        ...changes,
      },
      confirmation,
    }),
  )
const countSchedules = async () => (await query('select from schedule where user_id = $1', owner.id)).length

describe('a new schedule', () => {
  test('waits for the acknowledgement, before its confirmation, and is then sent on each of its dates', async () => {
    const warning = await look('300.00')
    expect(warning).toMatchObject({ patterns: ['unknown_payee'] })
    const terms = { next_on: tomorrow, recurrence: 'weekly', amount: '300.00' } as const
    expect(readCode(await settleCall(createScheduleOnce(owner, payee, terms)))).toBe('warning_open')
    await acknowledge(warning!.id)
    const key = randomUUID()
    const created = await createConfirmedSchedule(owner, payee, terms, { key })
    expect(await createConfirmedSchedule(owner, payee, terms, { key }), 'repeated').toEqual(created)
    expect(await query('select used_by from payee_warning where id = $1', warning!.id)).toEqual([
      { used_by: created.id },
    ])
    await runDueSends(createWorkerAt(world, dueTime(tomorrow)))
    const nextWeek = dateAfterDays(world, 8)
    // A warning that is open when a date falls due asks no one.
    expect(await look('800.00', payee, 'safe account')).not.toBeNull()
    await runDueSends(createWorkerAt(world, dueTime(nextWeek)))
    expect(await loadOccurrences(owner, created.id)).toEqual([
      { date: tomorrow, state: 'sent', reason: null },
      { date: nextWeek, state: 'sent', reason: null },
    ])
  })

  test('is not covered by the acknowledgement of another amount or payee, or one that is used', async () => {
    const stranger = await world.enroll('stranger', 'Germany')
    await acknowledgeFor('300.00')
    expect(readCode(await schedule('301.00'))).toBe('warning_open')
    expect(await look('300.00', stranger)).not.toBeNull()
    expect(readCode(await schedule('300.00', stranger))).toBe('warning_open')
    expect(await schedule('300.00')).toMatchObject({ state: 'active' })
    expect(readCode(await schedule('300.00')), 'a second schedule').toBe('warning_open')
    const body = { recipient_id: payee.id, amount: '300.00', source_currency: 'USD' } as const
    expect(readCode(await settleCall(owner.call(sendMoney, { body, idempotencyKey: randomUUID() })))).toBe(
      'warning_open',
    )
    expect(await countSchedules()).toBe(1)
  })

  test('of two at once with one acknowledgement, one is stored', async () => {
    await acknowledgeFor('300.00')
    const outcomes = await Promise.all([schedule('300.00'), schedule('300.00'), schedule('300.00')])
    expect(outcomes.map((outcome) => ('state' in outcome ? 'stored' : readCode(outcome))).toSorted()).toEqual([
      'stored',
      'warning_open',
      'warning_open',
    ])
    expect(await countSchedules()).toBe(1)
  })

  test('whose cost varies is acknowledged at its ceiling', async () => {
    const terms = { next_on: tomorrow, side: 'target', amount: '300.00', ceiling: '500.00' } as const
    await acknowledgeFor('499.99')
    expect(readCode(await createScheduleOutcome(owner, payee, terms))).toBe('warning_open')
    await acknowledgeFor('500.00')
    expect(await createScheduleOutcome(owner, payee, terms)).toMatchObject({ ceiling: '500.00' })
  })
})

describe('a changed schedule', () => {
  const create = async () => {
    await acknowledgeFor('300.00')
    return (
      await createConfirmedSchedule(owner, payee, {
        next_on: tomorrow,
        recurrence: 'weekly',
        amount: '300.00',
      })
    ).id
  }

  test('with another amount or text waits for an acknowledgement of its own; with other dates it does not', async () => {
    const id = await create()
    await look('250.00')
    expect(readCode(await edit(id, { amount: '250.00' }))).toBe('warning_open')
    expect(readCode(await edit(id, { description: 'safe account' }))).toBe('warning_open')
    expect(await edit(id, { next_on: dateAfterDays(world, 9) })).toMatchObject({ state: 'active' })
    await acknowledgeFor('250.00')
    expect(await edit(id, { amount: '250.00', next_on: dateAfterDays(world, 9) })).toMatchObject({ amount: '250.00' })
    expect(
      await query('select used_by from payee_warning where user_id = $1 order by id desc limit 1', owner.id),
    ).toEqual([{ used_by: id }])
  })

  test('with a higher amount keeps its acknowledgement until it is confirmed', async () => {
    const id = await create()
    await acknowledgeFor('400.00')
    const requirement = readRequirement(await edit(id, { amount: '400.00' }))
    await confirm(world, owner, requirement)
    expect(await edit(id, { amount: '400.00' }, requirement.id)).toMatchObject({ amount: '400.00' })
  })
})
