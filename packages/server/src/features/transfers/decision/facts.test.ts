import { afterAll, beforeAll, expect, test } from 'vitest'
import { send } from '@tern/testkit/attacks/attack'
import { createStreetModeClient } from '@tern/testkit/street-mode'
import { startTestApp, type TestApp } from '@tern/testkit/app'
import { loadFailedChecks } from '@tern/testkit/banking'

let world: TestApp

beforeAll(async () => {
  world = await startTestApp()
})
afterAll(async () => {
  expect(await loadFailedChecks(world)).toEqual([])
  await world.close()
})

test('concurrent sends are each decided by the facts of their own sender', async () => {
  const payee = await world.enroll('payee', 'United States')
  const plainUser = await world.enroll('plain', 'United States')
  const frozenUser = await world.enroll('frozen', 'United States')
  const street = await world.enroll('street', 'United States')
  const largeUser = await world.enroll('large', 'United States')
  for (const person of [plainUser, frozenUser, street, largeUser]) await world.fund(person, 50_000)
  await world.database.pool.query('update app_user set frozen_at = now() where id = $1', [frozenUser.id])
  await createStreetModeClient(world, street).set({ limit: '2.00' })
  const sends = [
    { from: largeUser, amount: '200.00', expectedCode: 'step_up_required' },
    { from: plainUser, amount: '5.00', expectedCode: 'COMPLETED' },
    { from: frozenUser, amount: '5.00', expectedCode: 'account_frozen' },
    { from: street, amount: '5.00', expectedCode: 'PENDING' },
  ]
  // Repeated, since concurrent requests do not always share one read.
  for (let round = 0; round < 8; round += 1) {
    const outcomes = await Promise.all(sends.map(({ from, amount }) => send(from, payee, amount)))
    const outcomeCodes = outcomes.map((outcome) => ('code' in outcome ? outcome.code : outcome.status))
    expect(outcomeCodes).toEqual(sends.map(({ expectedCode }) => expectedCode))
  }
})
