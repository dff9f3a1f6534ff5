// Attacks with a stolen card: withdrawing its money to a bank, or spending it and then reversing the card payment.

import { randomUUID } from 'node:crypto'
import { withdraw, withdrawalEstimate } from '@tern/contract/banking'
import { deposit } from '@tern/contract/payments'
import { money } from '@tern/money/money'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ageDeposits } from '../../../../tools/aging.ts'
import type { TestApp, TestPerson } from '@tern/testkit/app'
import { loadFailedChecks, settleCall } from '@tern/testkit/banking'
import { createTestBooks } from '@tern/testkit/books/books'
import { callNode } from '@tern/testkit/nodes'
import { linkAccount, steer, waitForPayment } from '@tern/testkit/payments'
import { type Attack, readCode, send, startAttack } from '@tern/testkit/attacks/attack'

let attack: Attack
let world: TestApp
let urls: readonly string[]
let newPerson: Attack['newPerson']
let fundMature: Attack['fundMature']

beforeAll(async () => {
  attack = await startAttack()
  ;({ world, urls, newPerson, fundMature } = attack)
})
afterAll(() => attack.close())

/** Deposits 20 dollars by bank debit. */
async function fundByBank(owner: TestPerson, bankAccountId: string): Promise<void> {
  const body = { method: 'bank', amount: '20.00', currency: 'USD', bankAccountId } as const
  const { payment_id: debit } = await owner.call(deposit, { body, idempotencyKey: randomUUID() })
  await steer(world, debit, 'settle')
  await waitForPayment(owner, debit, 'completed')
}

describe('card money', () => {
  const orderWithdrawal = (owner: TestPerson, bankAccountId: string, amount: string) =>
    settleCall(owner.call(withdraw, { body: { amount, currency: 'USD', bankAccountId }, idempotencyKey: randomUUID() }))
  test('card to bank at once, as a cash advance or before the chargeback: nothing leaves for seven days', async () => {
    const owner = await newPerson()
    await world.fund(owner, 10_000)
    const bankAccountId = await linkAccount(world, owner)
    const refusedWithdrawal = await orderWithdrawal(owner, bankAccountId, '50.00')
    expect(refusedWithdrawal).toMatchObject({
      code: 'money_not_mature',
      detail: expect.stringMatching(
        /^Money added by card .* You can withdraw \$0\.00 now, and everything from [A-Z][a-z]{2} \d+, 20\d\d\.$/,
      ),
      errors: [{ field: 'amount' }],
    })
    const loadEstimate = () => owner.call(withdrawalEstimate, { query: { bankAccountId } })
    expect(await loadEstimate()).toMatchObject({ withdrawable: '0.00', rest_from: expect.any(String) })
    await ageDeposits(world.database.pool, owner.id, 7 * 24 - 1)
    expect(readCode(await orderWithdrawal(owner, bankAccountId, '50.00'))).toBe('money_not_mature')
    await ageDeposits(world.database.pool, owner.id, 1)
    expect(await loadEstimate()).toMatchObject({ withdrawable: '100.00', rest_from: null })
    expect(readCode(await orderWithdrawal(owner, bankAccountId, '50.00'))).toBe('passed')
    expect(await loadFailedChecks(world)).toEqual([])
  })

  test('beside money from elsewhere: that can go, and no more, however many withdrawals run at once', async () => {
    const [owner, friend] = [await newPerson(), await newPerson('friend')]
    await fundMature(friend, 20_000)
    await send(friend, owner, '50.00')
    await world.fund(owner, 10_000)
    const bankAccountId = await linkAccount(world, owner)
    expect(await owner.call(withdrawalEstimate, { query: { bankAccountId } })).toMatchObject({ withdrawable: '50.00' })
    expect(readCode(await orderWithdrawal(owner, bankAccountId, '50.01'))).toBe('money_not_mature')
    const answers = await Promise.all(
      Array.from({ length: 9 }, (_, index) =>
        callNode(urls[index % 3]!, owner, {
          method: 'POST',
          path: '/payment/withdraw',
          body: { amount: '20.00', currency: 'USD', bankAccountId },
        }),
      ),
    )
    expect(answers.filter(({ status }) => status < 300)).toHaveLength(2)
    expect(await owner.wallet()).toMatchObject({ fiat_balance: '110.00' })
    expect(await loadFailedChecks(world)).toEqual([])
  })

  test('matures after the longest period that fits its owner on arrival, and so does money from a bank', async () => {
    const { pool } = world.database
    await pool.query(`insert into maturity_policy (method, country, account_younger_than_days, hours) values
      ('bank', 'United States', null, 400), ('card', null, 30, 240), ('card', 'Japan', null, 1000), ('card', 'United States', 3, 2000)`)
    try {
      const owner = await newPerson()
      const bankAccountId = await linkAccount(world, owner)
      await pool.query(`update app_user set created_at = created_at - interval '4 days' where id = $1`, [owner.id])
      await world.fund(owner, 3_000)
      await fundByBank(owner, bankAccountId)
      const loadWithdrawable = async () =>
        (await owner.call(withdrawalEstimate, { query: { bankAccountId } })).withdrawable
      expect(await loadWithdrawable()).toBe('0.00')
      await ageDeposits(pool, owner.id, 239)
      expect(await loadWithdrawable(), 'an account of a few days').toBe('0.00')
      await ageDeposits(pool, owner.id, 1)
      expect(await loadWithdrawable()).toBe('30.00')
      await ageDeposits(pool, owner.id, 160)
      expect(await loadWithdrawable()).toBe('50.00')
      await ageDeposits(pool, owner.id, -400)
    } finally {
      await pool.query(`delete from maturity_policy where hours not in (168, 336)`)
    }
  })

  test('and what a bank paid, where it waits, stays there however many withdrawals run at once', async () => {
    const [owner, friend] = [await newPerson(), await newPerson('friend')]
    const bankAccountId = await linkAccount(world, owner)
    await fundMature(friend, 20_000)
    await send(friend, owner, '50.00')
    await fundByBank(owner, bankAccountId)
    const answers = await Promise.all(
      Array.from({ length: 6 }, (_, index) =>
        callNode(urls[index % 3]!, owner, {
          method: 'POST',
          path: '/payment/withdraw',
          body: { amount: '20.00', currency: 'USD', bankAccountId },
        }),
      ),
    )
    expect(answers.filter(({ status }) => status < 300)).toHaveLength(2)
    expect(await owner.wallet()).toMatchObject({ fiat_balance: '30.00' })
    expect(await loadFailedChecks(world)).toEqual([])
  })

  test('that was charged back is gone, and keeps no other money from a bank', async () => {
    const [owner, friend] = [await newPerson(), await newPerson('friend')]
    const { paymentId } = await world.fund(owner, 5_000)
    await createTestBooks(world).write({ kind: 'chargeback', amount: money('USD', 5_000n), reference: paymentId })
    await expect.poll(async () => (await owner.wallet()).fiat_balance).toBe('0.00')
    await fundMature(friend, 20_000)
    await send(friend, owner, '30.00')
    const bankAccountId = await linkAccount(world, owner)
    expect(await owner.call(withdrawalEstimate, { query: { bankAccountId } })).toMatchObject({
      ...{ withdrawable: '30.00', without_cost: '30.00', rest_from: null },
    })
  })

  test('may go to people at once, after all other money', async () => {
    const [owner, friend] = [await newPerson(), await newPerson('friend')]
    await fundMature(friend, 20_000)
    await send(friend, owner, '80.00')
    await world.fund(owner, 5_000)
    expect(readCode(await send(owner, friend, '40.00'))).toBe('passed')
    const bankAccountId = await linkAccount(world, owner)
    const loadRestricted = async () => {
      const estimate = await owner.call(withdrawalEstimate, { query: { bankAccountId } })
      return [estimate.withdrawable, ...estimate.restricted.map(({ amount, reason }) => `${amount} ${reason}`)]
    }
    // The balance is 80 from the friend and 50 by card, minus 40 and a fee of 20 cents.
    expect(await loadRestricted()).toEqual(['39.80', '50.00 card'])
    expect(readCode(await send(owner, friend, '60.00'))).toBe('passed')
    expect(await loadRestricted()).toEqual(['0.00', '29.50 card'])
  })
})

describe('a card that charges back', () => {
  test('deposit, send to a mule, dispute; again and again: nothing more leaves while the loss is open', async () => {
    const [thief, mule] = [await newPerson('thief'), await newPerson('mule')]
    const { paymentId } = await world.fund(thief, 9_500)
    await send(thief, mule, '90.00')
    const books = createTestBooks(world)
    await books.write({ kind: 'chargeback', amount: money('USD', 9_500n), reference: paymentId })
    const countOpenLosses = async () =>
      (
        await world.database.pool.query(
          `select from reconciliation_exception where kind = 'loss' and closed_at is null`,
        )
      ).rowCount
    await expect.poll(countOpenLosses, { timeout: 120_000 }).toBe(1)
    await world.fund(thief, 10_000)
    await ageDeposits(world.database.pool, thief.id, 8 * 24)
    expect(await send(thief, mule, '1.00')).toMatchObject({
      code: 'loss_open',
      detail: expect.stringMatching(/^A payment you had already spent was reversed, and you owe \$\d+\.\d\d\./),
    })
    const bankAccountId = await linkAccount(world, thief)
    expect(readCode(await orderWithdrawal(thief, bankAccountId))).toBe('loss_open')
    await books.write({ kind: 'chargeback_reversal', amount: money('USD', 9_500n), reference: paymentId })
    await expect.poll(countOpenLosses, { timeout: 120_000 }).toBe(0)
    expect(readCode(await send(thief, mule, '1.00'))).toBe('passed')
    expect(await loadFailedChecks(world)).toEqual([])
  })

  const orderWithdrawal = (owner: TestPerson, bankAccountId: string) =>
    settleCall(
      owner.call(withdraw, { body: { amount: '1.00', currency: 'USD', bankAccountId }, idempotencyKey: randomUUID() }),
    )
})
