// Money that may still be reversed (deposited by bank debit or card, received from others, or credited for a dispute),
// and attempts to withdraw it. Confirmations, limits and pattern detection are disabled, so that they refuse nothing.

import { randomUUID } from 'node:crypto'
import { depositTerms, withdraw, withdrawalEstimate } from '@tern/contract/banking'
import { withdrawDispute } from '@tern/contract/disputes/disputes'
import { deposit } from '@tern/contract/payments'
import { cancelTransfer } from '@tern/contract/transfers'
import { afterAll, describe, expect, test } from 'vitest'
import { ageRestrictions } from '../../../../tools/aging.ts'
import { dispute, expireDeadlines, payOnce, sendTo } from '@tern/testkit/disputes'
import { transferMethods } from '@tern/testkit/attacks/transfer-methods'
import type { TestPerson } from '@tern/testkit/app'
import { openTestApp } from '@tern/testkit/open-test-app'
import { loadFailedChecks, settleCall } from '@tern/testkit/banking'
import { linkAccount, steer, waitForPayment } from '@tern/testkit/payments'
import { raiseLimits } from '@tern/testkit/people'
import { raiseMovementCounts, restoreMaturityPolicy } from '@tern/testkit/risk'
import { readCode, send } from '@tern/testkit/attacks/attack'

let thief: TestPerson
let mule: TestPerson
const newPerson = (name: string) => world.enroll(name, 'United States')

const world = await openTestApp({ unconfirmedPayments: 'any' })
const { pool } = world.database
await raiseLimits(pool)
await raiseMovementCounts(pool)
await restoreMaturityPolicy(pool)
afterAll(async () => expect(await loadFailedChecks(world)).toEqual([]))

const loadEstimate = (person: TestPerson, bankAccountId: string) =>
  person.call(withdrawalEstimate, { query: { bankAccountId } })
const orderWithdrawal = (person: TestPerson, bankAccountId: string, amount: string) =>
  settleCall(person.call(withdraw, { body: { amount, currency: 'USD', bankAccountId }, idempotencyKey: randomUUID() }))

/** Deposits a decimal amount of dollars from a bank account. */
async function debit(person: TestPerson, bankAccountId: string, amount: string): Promise<void> {
  const body = { method: 'bank', amount, currency: 'USD', bankAccountId } as const
  const { payment_id: id } = await person.call(deposit, { body, idempotencyKey: randomUUID() })
  await steer(world, id, 'settle')
  await waitForPayment(person, id, 'completed')
}

describe('a bank debit of a new account', () => {
  test('cannot be withdrawn to another bank for two weeks, and then can', async () => {
    thief = await newPerson('thief')
    const [from, to] = [await linkAccount(world, thief), await linkAccount(world, thief, { bank: 'shoal' })]
    await debit(thief, from, '9900.00')
    expect(await orderWithdrawal(thief, to, '1.00')).toMatchObject({ code: 'money_not_mature' })
    expect(await loadEstimate(thief, to)).toMatchObject({
      withdrawable: '0.00',
      restricted: [{ amount: '9900.00', reason: 'bank_debit', is_received: false }],
    })
    await ageRestrictions(world.database.pool, thief.id, 14 * 24 - 1)
    expect(readCode(await orderWithdrawal(thief, to, '1.00'))).toBe('money_not_mature')
    await ageRestrictions(world.database.pool, thief.id, 1)
    expect(readCode(await orderWithdrawal(thief, to, '9900.00'))).toBe('passed')
  })

  test('matures after one week for a known account and bank account, after two for a new bank account', async () => {
    const { pool } = world.database
    const owner = await newPerson('owner')
    const [firstAccountId, secondAccountId] = [
      await linkAccount(world, owner),
      await linkAccount(world, owner, { bank: 'shoal' }),
    ]
    await debit(owner, firstAccountId, '10.00')
    await pool.query(`update app_user set created_at = created_at - interval '31 days' where id = $1`, [owner.id])
    await pool.query(`update payment set created_at = created_at - interval '31 days' where user_id = $1`, [owner.id])
    await ageRestrictions(pool, owner.id, 31 * 24)
    await debit(owner, firstAccountId, '20.00')
    await debit(owner, secondAccountId, '40.00')
    await ageRestrictions(pool, owner.id, 7 * 24)
    expect(await loadEstimate(owner, firstAccountId)).toMatchObject({
      withdrawable: '30.00',
      restricted: [{ amount: '40.00' }],
    })
    await pool.query(
      `update payment set created_at = created_at + interval '31 days' where user_id = $1 and amount_minor = 1000`,
      [owner.id],
    )
  })
})

const handOverWays = Object.entries(transferMethods)

test('deposit terms state when added money can go to a bank', async () => {
  const { pool } = world.database
  const owner = await newPerson('owner')
  const bankAccountId = await linkAccount(world, owner)
  const loadTerms = (query: { method: 'card' | 'bank'; bankAccountId?: string }) => owner.call(depositTerms, { query })
  expect(await loadTerms({ method: 'card' })).toEqual({
    to_bank_after_hours: 168,
    cost_basis_points: 0,
    cost_days: 60,
  })
  expect(await loadTerms({ method: 'bank', bankAccountId })).toMatchObject({ to_bank_after_hours: 336 })
  expect(await settleCall(loadTerms({ method: 'bank', bankAccountId: randomUUID() }))).toMatchObject({
    code: 'bank_account_needed',
  })
  await pool.query('insert into withdrawal_cost_policy select max(version) + 1, 250, 60 from withdrawal_cost_policy')
  expect(await loadTerms({ method: 'card' })).toMatchObject({ cost_basis_points: 250, cost_days: 60 })
  expect(await loadTerms({ method: 'bank' })).toMatchObject({ cost_basis_points: 0 })
  await pool.query('insert into withdrawal_cost_policy select max(version) + 1, 0, 60 from withdrawal_cost_policy')
})

describe('9,900 dollars of a stolen card, handed to a fresh person', () => {
  test.each(handOverWays)('%s: spendable by the mule, and no bank gets it for seven days', async (_, passMoney) => {
    thief = await newPerson('thief')
    mule = await newPerson('mule')
    await world.fund(thief, 990_000)
    await passMoney({ world, thief, mule, newPerson })
    const balance = (await mule.wallet()).fiat_balance
    expect(Number(balance)).toBeGreaterThan(1500)
    const bankAccountId = await linkAccount(world, mule)
    expect(await orderWithdrawal(mule, bankAccountId, '1.00')).toMatchObject({
      code: 'money_not_mature',
      detail: expect.stringContaining('even if someone else added it and sent it to you'),
    })
    expect(await loadEstimate(mule, bankAccountId)).toMatchObject({
      withdrawable: '0.00',
      restricted: [{ amount: balance, reason: 'card', is_received: true }],
    })
    expect(readCode(await send(mule, thief, '5.00')), 'people can be paid with it').toBe('passed')
    await ageRestrictions(world.database.pool, thief.id, 7 * 24)
    expect(readCode(await orderWithdrawal(mule, bankAccountId, '1500.00'))).toBe('passed')
  })

  test('an undone send returns the money with its restrictions', async () => {
    thief = await newPerson('thief')
    mule = await newPerson('mule')
    await world.fund(thief, 10_000)
    const { transaction_id: id } = (await send(thief, mule, '60.00', { undo_seconds: 60 })) as {
      transaction_id: string
    }
    await thief.call(cancelTransfer, { params: { id } })
    const bankAccountId = await linkAccount(world, thief)
    expect(await loadEstimate(thief, bankAccountId)).toMatchObject({
      withdrawable: '0.00',
      restricted: [{ amount: '100.00' }],
    })
  })
})

describe('the provisional credit for a payment between accomplices', () => {
  let id: string
  let bankAccountId: string

  /** Sends 1,990 dollars to an accomplice and disputes the payment; the credit is posted. */
  async function creditThief(): Promise<void> {
    thief = await newPerson('thief')
    mule = await newPerson('mule')
    await world.fund(thief, 200_000)
    const sendOutcome = await sendTo(thief, mule, '1990.00')
    bankAccountId = await linkAccount(world, thief)
    ;({ id } = await dispute(thief, sendOutcome))
    await expireDeadlines({ world }, id, ['credit_by'])
    await world.app.product.disputes.runDue()
    expect((await thief.wallet()).fiat_balance).toBe('2000.00')
  }

  test('cannot be withdrawn before the decision, nor sent to new payees, and is taken back whole', async () => {
    await creditThief()
    await ageRestrictions(world.database.pool, thief.id, 15 * 24)
    expect(await orderWithdrawal(thief, bankAccountId, '1.00')).toMatchObject({
      code: 'money_not_mature',
      detail: expect.stringContaining("credit for a dispute and can't be withdrawn"),
    })
    expect((await thief.wallet()).restricted).toMatchObject([
      { currency: 'USD', amount: '1999.95', reason: 'provisional_credit', from: null, is_received: false },
    ])
    const otherPerson = await newPerson('other')
    expect(await send(thief, otherPerson, '500.00')).toMatchObject({ code: 'credit_undecided' })
    expect(await send(thief, otherPerson, '500.00', { undo_seconds: 60 })).toMatchObject({ code: 'credit_undecided' })
    expect(await send(thief, mule, '500.00'), 'the accomplice of the disputed payment').toMatchObject({
      code: 'credit_undecided',
    })
    await thief.call(withdrawDispute, { params: { id } })
    expect((await thief.wallet()).fiat_balance).toBe('0.05')
    expect((await thief.wallet()).restricted).toEqual([])
  })

  test('may go to a known payee, who cannot withdraw it or send it to new payees before the decision', async () => {
    thief = await newPerson('thief')
    const friend = await newPerson('friend')
    await payOnce({ world }, thief, friend)
    const formerThief = thief
    mule = await newPerson('mule')
    await world.fund(formerThief, 10_050)
    const sendOutcome = await sendTo(formerThief, mule, '100.00')
    ;({ id } = await dispute(formerThief, sendOutcome))
    await expireDeadlines({ world }, id, ['credit_by'])
    await world.app.product.disputes.runDue()
    expect(readCode(await send(formerThief, friend, '50.00'))).toBe('passed')
    const account = await linkAccount(world, friend)
    await ageRestrictions(world.database.pool, formerThief.id, 15 * 24)
    expect(readCode(await orderWithdrawal(friend, account, '50.00'))).toBe('money_not_mature')
    expect(await send(friend, await newPerson('other'), '40.00')).toMatchObject({ code: 'credit_undecided' })
    await world.database.pool.query(
      `update dispute set state = 'upheld', outcome = 'credited', decided_at = now() where id = $1`,
      [id],
    )
    expect(readCode(await orderWithdrawal(friend, account, '50.00'))).toBe('passed')
  })
})
