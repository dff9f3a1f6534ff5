// Price proofs when the clock that dates movements is set forward and back.

import { randomUUID } from 'node:crypto'
import { createQuote, exchangeMoney } from '@tern/contract/exchange'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestApp, type TestApp, type TestPerson } from '@tern/testkit/app'
import type { Proof } from './prices.ts'

const minuteMs = 60_000

let world: TestApp
let alice: TestPerson

beforeAll(async () => {
  world = await startTestApp({ unconfirmedPayments: 'any' })
  alice = await world.enroll('alice', 'United States')
  await world.fund(alice, 100_000)
})
afterAll(() => world.close())

/** Sets the product's clock ahead by `offsetMs`, and waits until that takes effect. */
async function setClock(offsetMs: number): Promise<void> {
  const answer = await fetch(`${world.sandboxUrl}/api/clock`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${world.sandboxSecret}` },
    body: JSON.stringify({ offsetMs }),
  })
  expect(answer.status).toBe(200)
  const measureOffset = () => Math.abs(world.app.product.now().getTime() - Date.now() - offsetMs)
  await expect.poll(measureOffset, { timeout: 120_000 }).toBeLessThan(minuteMs / 2)
}

async function exchangeFiveTimes(): Promise<void> {
  for (let count = 0; count < 5; count += 1) {
    const { quote_id } = await alice.call(createQuote, {
      body: { amount: '10.00', source_currency: 'USD', target_currency: 'BTC', side: 'source' },
    })
    await alice.call(exchangeMoney, { body: { quote_id }, idempotencyKey: randomUUID() })
  }
}

async function loadProofs(): Promise<Proof[]> {
  const foundProofs: Proof[] = []
  for await (const proof of world.app.product.prices.proveAll(undefined)) foundProofs.push(proof)
  return foundProofs
}

test('prices are proven by their entries despite clock changes between movements', { timeout: 600_000 }, async () => {
  await exchangeFiveTimes()
  await setClock(3 * minuteMs)
  await exchangeFiveTimes()
  await setClock(0)
  await exchangeFiveTimes()
  const loadedProofs = await loadProofs()
  expect(loadedProofs.map(({ verdict }) => verdict.verdict)).toEqual(Array.from({ length: 15 }, () => 'match'))

  // Movements are now dated before the rates in use were received; their entries must still be found.
  await setClock(-3 * minuteMs)
  await exchangeFiveTimes()
  const allProofs = await loadProofs()
  expect(allProofs).toHaveLength(20)
  for (const { facts } of allProofs) {
    const { source_amount, target_amount, fee } = facts.receipt
    expect(facts.ledger).toMatchObject({ source_amount, target_amount, fee })
  }
})
