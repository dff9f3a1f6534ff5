import type pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  loadOccurrences,
  dueTime,
  dateAfterDays,
  createConfirmedSchedule,
  runDueSends,
  createWorkerAt,
} from '@tern/testkit/schedules'
import { startTestApp, type TestApp } from '@tern/testkit/app'
import { loadFailedChecks } from '@tern/testkit/banking'
import { connect } from '../../platform/database/db.ts'

let world: TestApp
let pool: pg.Pool

beforeAll(async () => {
  world = await startTestApp()
  // With a pool of one, requesting a second connection during a transaction deadlocks.
  pool = connect(world.database.applicationUrl, 1)
})
afterAll(async () => {
  await pool.end()
  await world.close()
})

test('schedules are changed, opened, sent, and warned about with one database connection', async () => {
  const alice = await world.enroll('alice', 'United States')
  const bruno = await world.enroll('bruno', 'Germany')
  const carla = await world.enroll('carla', 'Germany')
  await world.fund(alice, 10_000)
  const tomorrow = dateAfterDays(world, 1)
  const { id } = await createConfirmedSchedule(alice, bruno, { next_on: tomorrow })
  const skippedSchedule = await createConfirmedSchedule(alice, carla, { next_on: tomorrow, recurrence: 'weekly' })
  await createConfirmedSchedule(alice, carla, { next_on: dateAfterDays(world, 2), amount: '95.00' })
  const worker = createWorkerAt(world, dueTime(tomorrow), { pool })
  const userId = BigInt(alice.id)
  const ownOccurrence = { userId, id: skippedSchedule.id }
  await worker.pause({ ...ownOccurrence, until: undefined })
  expect(await worker.resume(ownOccurrence)).toMatchObject({ state: 'active' })
  expect(await worker.skip({ ...ownOccurrence, date: dateAfterDays(world, 8) })).toMatchObject({
    next_on: dateAfterDays(world, 15),
  })
  await runDueSends(worker)
  expect(await loadOccurrences(alice, id)).toEqual([{ date: tomorrow, state: 'sent', reason: null }])
  expect((await worker.list(pool, userId)).coming.some(({ missing }) => missing !== null)).toBe(true)
  expect(await loadFailedChecks(world)).toEqual([])
})
