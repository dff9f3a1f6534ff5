import { randomUUID } from 'node:crypto'
import { sendMoney } from '@tern/contract/transfers'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { startTestApp, type TestApp, type TestPerson } from '../../../../../tools/testing/test-app.ts'
import { createPayees } from './payees.ts'

let world: TestApp
let alice: TestPerson
let bruno: TestPerson
let clara: TestPerson

beforeAll(async () => {
  world = await startTestApp()
  alice = await world.enroll('alice', 'United States')
  bruno = await world.enroll('bruno', 'United States')
  clara = await world.enroll('clara', 'United States')
  await world.fund(alice, 10_000)
})
afterAll(() => world.close())

test('callers who ask at once whom they have paid share a query, and each gets the answer of its own pair and time', async () => {
  const before = new Date()
  await alice.call(sendMoney, {
    body: { recipient_id: bruno.id, amount: '1.00', source_currency: 'USD' },
    idempotencyKey: randomUUID(),
  })
  const later = new Date(Date.now() + 60_000)
  const { pool } = world.database
  const { hasPaid } = createPayees(pool)
  const query = vi.spyOn(pool, 'query')
  const paid = (from: TestPerson, to: TestPerson, at: Date) => hasPaid(BigInt(from.id), BigInt(to.id), at)
  const answers = [
    paid(clara, bruno, later),
    paid(alice, bruno, later),
    paid(alice, bruno, before),
    paid(bruno, alice, later),
    paid(alice, clara, later),
  ]
  expect(await Promise.all(answers)).toEqual([false, true, false, false, false])
  expect(query).toHaveBeenCalledTimes(1)
  expect(await paid(alice, bruno, later)).toBe(true)
  expect(query, 'an arrival is permanent').toHaveBeenCalledTimes(1)
  query.mockRestore()
})
