import { randomUUID } from 'node:crypto'
import { withdraw } from '@tern/contract/banking'
import { deposit } from '@tern/contract/payments'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { startTestApp, type TestApp, type TestPerson } from '@tern/testkit/app'
import { settleCall } from '@tern/testkit/banking'
import { buildContext } from '@tern/testkit/payments'
import { importNames } from '@tern/testkit/compliance/cases'
import { loadHolderCases, linkBankAccountWithHolder } from '@tern/testkit/compliance/holders'
import { lookUpHolders } from './holders.ts'

const jointHolder = 'Ottoline Fernsby'

let world: TestApp
let rosa: TestPerson

beforeAll(async () => {
  world = await startTestApp({ unconfirmedPayments: 'any' })
})
afterAll(() => world.close())
beforeEach(async () => {
  await importNames(world, ['Zebulon Quartermain'])
  rosa = await world.enroll('rosa', 'United States')
  await world.fund(rosa, 10_000)
})

/** Links an account, and resets it to the state of accounts linked before holders were screened. */
async function linkWithoutHolder(holderName: string): Promise<string> {
  const id = await linkBankAccountWithHolder(world, rosa, holderName)
  await world.database.pool.query('delete from screening_counterparty where id = $1', [id])
  await world.database.pool.query('update bank_account set holder_told = null, holder_asked_at = null where id = $1', [
    id,
  ])
  return id
}
const loadHolder = async (id: string) =>
  (
    await world.database.pool.query<{ told: boolean | null; name: string | null }>(
      `select b.holder_told as told, c.name from bank_account b left join screening_counterparty c on c.id = b.id where b.id = $1`,
      [id],
    )
  ).rows[0]
const order = (bankAccountId: string) =>
  rosa.call(withdraw, {
    body: { amount: '40.00', currency: 'USD', userId: rosa.id, bankAccountId },
    idempotencyKey: randomUUID(),
  })
const depositByBank = (bankAccountId: string) =>
  rosa.call(deposit, {
    body: { amount: '40.00', currency: 'USD', method: 'bank', bankAccountId },
    idempotencyKey: randomUUID(),
  })
const forgetLink = (id: string) =>
  world.database.pool.query('update bank_link set session_id = null where bank_account_id = $1', [id])

test('two workers ask for the holders of old accounts once each, and later lists cover them', async () => {
  const id = await linkWithoutHolder(`rosa Tester & ${jointHolder}`)
  const outcomes = await Promise.all([
    lookUpHolders(buildContext(world), world.database.pool),
    lookUpHolders(buildContext(world), world.database.pool),
  ])
  expect(outcomes.toSorted()).toEqual([0, 1])
  expect(await loadHolder(id)).toEqual({ told: true, name: `rosa Tester & ${jointHolder}` })
  expect(await loadHolderCases(world, id)).toEqual([])
  await importNames(world, ['Zebulon Quartermain', jointHolder])
  expect(await loadHolderCases(world, id)).toMatchObject([{ state: 'open', stops: 'transfers' }])
})

test('a crashed worker skips no account, and unknown holders are asked for once an hour', async () => {
  const id = await linkWithoutHolder('rosa Tester')
  await forgetLink(id)
  expect([
    await lookUpHolders(buildContext(world), world.database.pool),
    await lookUpHolders(buildContext(world), world.database.pool),
  ]).toEqual([1, 0])
  expect(await loadHolder(id)).toEqual({ told: null, name: null })
  const { app } = world
  await world.database.pool.query(
    `update bank_account set holder_asked_at = now() - interval '2 hours' where id = $1`,
    [id],
  )
  await app.product.payments.checkPendingLinks()
  expect(await lookUpHolders(buildContext(world), world.database.pool), 'by the worker').toBe(0)
  await world.database.pool.query('update bank_account set removed_at = now(), is_default = false where id = $1', [id])
})

test('the holder is asked for before the account is used, and a listed one stops it', async () => {
  const id = await linkWithoutHolder(`rosa Tester & ${jointHolder}`)
  await importNames(world, ['Zebulon Quartermain', jointHolder])
  expect(await loadHolderCases(world, id), 'nobody knows').toEqual([])
  expect(await settleCall(depositByBank(id))).toMatchObject({ code: 'bank_account_unavailable' })
  expect(await loadHolderCases(world, id)).toHaveLength(1)
  const { payout_id: payoutId } = await order(id)
  const { rows } = await world.database.pool.query('select status from payout where id = $1', [payoutId])
  expect(rows).toEqual([{ status: 'held' }])
})

test('an account whose holder the bank cannot name any more must be linked again', async () => {
  const id = await linkWithoutHolder('rosa Tester')
  await forgetLink(id)
  const accountNeededError = {
    code: 'bank_account_needed',
    detail: expect.stringContaining('link this bank account again') as string,
  }
  expect(await settleCall(order(id))).toMatchObject(accountNeededError)
  expect(await settleCall(depositByBank(id))).toMatchObject(accountNeededError)
  expect(await linkBankAccountWithHolder(world, rosa, 'rosa Tester'), 'the same account').toBe(id)
  expect(await order(id)).toMatchObject({ status: 'pending' })
})
