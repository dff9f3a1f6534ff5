import { randomUUID } from 'node:crypto'
import { loadFailedChecks } from '@tern/testkit/banking'
import { openTestApp } from '@tern/testkit/open-test-app'
import { linkAccount, toCaller } from '@tern/testkit/payments'
import { expect, test } from 'vitest'
import { withDeadline } from './deadline.ts'

const world = await openTestApp()
const alice = await world.enroll('alice', 'United States')
const bruno = await world.enroll('bruno', 'United States')
await world.fund(alice, 10_000)
const bankAccountId = await linkAccount(world, alice)
const { transfers, payments } = world.app.product

const caller = toCaller(alice)
const send = (overrides: object) =>
  transfers.sendMoney({
    caller,
    request: {
      recipient_id: bruno.id,
      amount: '10.00',
      source_currency: 'USD',
      target_currency: 'USD',
      description: '',
      ...overrides,
    },
    idempotencyKey: randomUUID(),
    confirmation: undefined,
  })
const withdraw = () =>
  payments.withdraw({ caller, body: { amount: '10.00', currency: 'USD', bankAccountId }, idempotencyKey: randomUUID() })
const deposit = () =>
  payments.deposit({
    caller,
    body: { amount: '10.00', currency: 'USD', method: 'bank', bankAccountId },
    idempotencyKey: randomUUID(),
    confirmation: undefined,
  })

test.each([
  ['a send', () => send({})],
  ['a send that can be undone', () => send({ undo_seconds: 10 })],
  ['a withdrawal', withdraw],
  ['a deposit', deposit],
])('%s that has waited past its deadline moves no money', async (_case, operation: () => Promise<unknown>) => {
  const wallet = await alice.wallet()
  const transactions = await alice.transactions()
  await expect(withDeadline(-1, operation)).rejects.toMatchObject({ problem: 'unavailable' })
  expect(await alice.wallet()).toEqual(wallet)
  expect(await alice.transactions()).toEqual(transactions)
  await withDeadline(60_000, operation)
  expect(await alice.transactions()).toHaveLength(transactions.length + 1)
  expect(await loadFailedChecks(world)).toEqual([])
})
