// Attacks of the other files in this folder, with the risk and maturity policies disabled: they succeed. So these
// policies, and no other rule, refuse them in the other files.

import { randomUUID } from 'node:crypto'
import { paymentMethods, withdraw } from '@tern/contract/banking'
import { depositByCard } from '@tern/contract/payments'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { TestPerson } from '@tern/testkit/app'
import { settleCall } from '@tern/testkit/banking'
import { linkAccount, waitForPayment } from '@tern/testkit/payments'
import { payCheckout } from '@tern/testkit/people'
import { type Attack, readCode, send, startAttack } from '@tern/testkit/attacks/attack'

let attack: Attack
beforeAll(async () => {
  attack = await startAttack('any')
})
afterAll(() => attack.close())

test('20 × 100 USD to 20 new payees: 2,000 dollars leave', async () => {
  const { world, newPerson } = attack
  const owner = await newPerson()
  await world.fund(owner, 300_000)
  const mules: TestPerson[] = []
  for (let count = 0; count < 20; count += 1) mules.push(await newPerson('mule'))
  expect(await attack.sendAll(owner, mules, '100.00')).toEqual({ passed: 20 })
})

test('15 × 1,000 USD to a payee paid before: at least 10,000 dollars leave', async () => {
  const { world, newPerson } = attack
  const [owner, mule] = [await newPerson(), await newPerson('mule')]
  await world.fund(owner, 900_000)
  await world.fund(owner, 600_000)
  const { passed = 0 } = await attack.sendAll(
    owner,
    Array.from({ length: 15 }, () => mule),
    '1000.00',
  )
  expect(passed).toBeGreaterThanOrEqual(10)
})

test('a saved card charged 5,000 USD is charged', async () => {
  const owner = await attack.newPerson()
  const { payment_id: id, redirectUrl } = await owner.call(depositByCard, {
    body: { amount: 1000, currency: 'usd', saveCard: true },
    idempotencyKey: randomUUID(),
  })
  await payCheckout(redirectUrl ?? '')
  await waitForPayment(owner, id, 'completed')
  const { cards } = await owner.call(paymentMethods, {})
  const body = { amount: 500_000, currency: 'usd', paymentMethodId: cards[0]?.id ?? randomUUID() } as const
  expect(readCode(await settleCall(owner.call(depositByCard, { body, idempotencyKey: randomUUID() })))).toBe('passed')
})

test('card to bank at once: the cash advance is paid, and costs nothing', async () => {
  const { world, newPerson } = attack
  const owner = await newPerson()
  await world.fund(owner, 10_000)
  const bankAccountId = await linkAccount(world, owner)
  const body = { amount: '50.00', currency: 'USD', bankAccountId } as const
  expect(await owner.call(withdraw, { body, idempotencyKey: randomUUID() })).toMatchObject({ fee: '0.00' })
  expect(await owner.wallet()).toMatchObject({ fiat_balance: '50.00' })
})

test('card money sent to a new account goes to a bank at once: 1,900 dollars are lost', async () => {
  const { world, newPerson } = attack
  const thief = await newPerson('thief')
  const mule = await newPerson('mule')
  await world.fund(thief, 250_000)
  expect(readCode(await send(thief, mule, '1950.00'))).toBe('passed')
  const bankAccountId = await linkAccount(world, mule)
  const body = { amount: '1900.00', currency: 'USD', bankAccountId } as const
  expect(readCode(await settleCall(mule.call(withdraw, { body, idempotencyKey: randomUUID() })))).toBe('passed')
})
