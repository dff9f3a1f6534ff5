// Edits of schedules that race a worker of another process.

import type { ScheduleTerms } from '@tern/contract/schedules/schedules'
import { isLockTimeout } from '@tern/ledger/group-commit/failure'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestApp, type TestApp, type TestPerson } from '@tern/testkit/app'
import { loadFailedChecks } from '@tern/testkit/banking'
import { isFullRun } from '@tern/testkit/length'
import { startNode, type TestNode } from '@tern/testkit/nodes'
import { raiseLimits } from '@tern/testkit/people'
import { dueTime, dateAfterDays, createConfirmedSchedule, runDueSends, createWorkerAt } from '@tern/testkit/schedules'
import { Refusal, refuse } from '../../../platform/refuse.ts'
import { addDays } from '../recurrence.ts'

const ownerCount = 4
const raceCount = isFullRun ? 200 : 24

let world: TestApp
let otherNode: TestNode
let people: TestPerson[]
let payee: TestPerson

beforeAll(async () => {
  world = await startTestApp()
  await raiseLimits(world.database.pool)
  otherNode = await startNode(world, { role: 'worker' })
  payee = await world.enroll('payee', 'United States')
  people = []
  for (let count = 0; count < ownerCount; count += 1) {
    const person = await world.enroll('owner', 'United States')
    await world.fund(person, 1_000_000)
    people.push(person)
  }
})
afterAll(async () => {
  await otherNode.close()
  await world.close()
})

/** Creates weekly schedules for today, divided among the account holders; `next_at` keeps them from running yet. */
async function orderDueSchedules(today: string): Promise<{ id: string; person: TestPerson }[]> {
  const { pool } = world.database
  const { rows } = await pool.query<{ columns: string }>(
    `select string_agg(column_name, ', ') as columns from information_schema.columns
      where table_name = 'schedule' and column_name <> 'id'`,
  )
  const schedules: { id: string; person: TestPerson }[] = []
  for (const person of people) {
    const first = await createConfirmedSchedule(person, payee, {
      target_currency: 'USD',
      next_on: addDays(today, 1),
      recurrence: 'weekly',
      amount: '1.00',
    })
    await pool.query(
      `update schedule set anchor_on = $2, next_on = $2, confirmed_from = $2, next_at = 'infinity', warn_at = null
        where id = $1`,
      [first.id, today],
    )
    const copies = await pool.query<{ id: string }>(
      `insert into schedule (id, ${rows[0]?.columns ?? ''})
       select gen_random_uuid(), ${rows[0]?.columns ?? ''} from schedule, generate_series(2, $2) where id = $1
       returning id`,
      [first.id, raceCount / ownerCount],
    )
    schedules.push(...[first, ...copies.rows].map(({ id }) => ({ id, person })))
  }
  return schedules
}

/** Moves the next date by an edit without a confirmation; returns 'moved' or the code of the refusal. */
async function move(id: string, { id: userId }: TestPerson, date: string): Promise<string> {
  const worker = createWorkerAt(world, world.app.product.now(), {
    requireStepUp: () => Promise.resolve(refuse('step_up_required')),
  })
  const body: ScheduleTerms = {
    source_currency: 'USD',
    target_currency: 'USD',
    side: 'source',
    amount: '1.00',
    recurrence: 'weekly',
    next_on: date,
  }
  try {
    const caller = { userId: BigInt(userId), sessionId: '', verified: true }
    await worker.edit({ caller, id, body, confirmation: undefined })
    return 'moved'
  } catch (error) {
    if (error instanceof Refusal) return error.code
    if (isLockTimeout(error)) return move(id, { id: userId } as TestPerson, date)
    throw error
  }
}

const loadSends = async (ids: readonly string[]) => {
  const { rows } = await world.database.pool.query<{ id: string; sends: bigint }>(
    `select s.id, count(o.id) as sends from schedule s
       left join schedule_occurrence o on o.schedule_id = s.id and o.state = 'sent'
      where s.id = any($1::uuid[]) group by s.id`,
    [ids],
  )
  return new Map(rows.map(({ id, sends }) => [id, Number(sends)]))
}

test(`a date moved while another process sends it is paid once in its week: ${raceCount} times`, async () => {
  const { pool } = world.database
  const today = dateAfterDays(world, 0)
  const movedDate = addDays(today, 2)
  const schedules = await orderDueSchedules(today)
  const ids = schedules.map(({ id }) => id)
  await pool.query('update schedule set next_at = now() where id = any($1::uuid[])', [ids])
  await pool.query(`select graphile_worker.add_job('run_schedules')`)
  const hasSends = async () => [...(await loadSends(ids)).values()].some((sendCount) => sendCount > 0)
  await expect.poll(hasSends, { interval: 2, timeout: 120_000 }).toBe(true)
  const remainingSchedules = schedules.toReversed().values()
  const outcomes = new Map<string, string>()
  const moveSomeSchedules = async () => {
    for (const { id, person } of remainingSchedules) outcomes.set(id, await move(id, person, movedDate))
  }
  await Promise.all(Array.from({ length: 2 }, moveSomeSchedules))
  const hasNoneWaiting = async () => {
    const { rowCount } = await pool.query(
      `select from schedule_occurrence where schedule_id = any($1::uuid[]) and state = 'waiting' limit 1`,
      [ids],
    )
    return rowCount === 0
  }
  await expect.poll(hasNoneWaiting, { interval: 50, timeout: 120_000 }).toBe(true)
  const sendsBefore = await loadSends(ids)
  const violations = ids.filter((id) => sendsBefore.get(id) !== (outcomes.get(id) === 'moved' ? 0 : 1))
  expect(violations.map((id) => `${sendsBefore.get(id)} sends, ${outcomes.get(id)}`)).toEqual([])
  expect([...new Set(outcomes.values())].toSorted()).toEqual(['moved', 'step_up_required'])

  await runDueSends(createWorkerAt(world, dueTime(movedDate)))
  const sendsAfter = await loadSends(ids)
  expect(ids.filter((id) => sendsAfter.get(id) !== 1)).toEqual([])
  expect(await loadFailedChecks(world)).toEqual([])
}, 600_000)
