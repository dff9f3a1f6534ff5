// Attacks on an installation that charges for withdrawing card money: a card holder must not get cash at the
// installation's expense.

import { randomUUID } from 'node:crypto'
import { withdraw, withdrawalEstimate } from '@tern/contract/banking'
import { directPayment } from '@tern/contract/payments'
import { cancelTransfer, settleTransfer } from '@tern/contract/transfers'
import { afterAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { ageDeposits, ageSends } from '../../../../tools/aging.ts'
import type { TestPerson } from '@tern/testkit/app'
import { loadFailedChecks, settleCall, steerPayout } from '@tern/testkit/banking'
import { callNode } from '@tern/testkit/nodes'
import { linkAccount, waitForPayment } from '@tern/testkit/payments'
import { payCheckout } from '@tern/testkit/people'
import { readCode, send, startAttack } from '@tern/testkit/attacks/attack'

let owner: TestPerson
let friend: TestPerson
let bankAccountId: string

const attack = await startAttack()
const { world } = attack
afterAll(() => attack.close())
// Each test begins with 100 dollars by card, deposited eight days ago, and a linked bank account.
beforeEach(async () => {
  ;[owner, friend] = [await attack.newPerson(), await attack.newPerson('friend')]
  await world.fund(owner, 10_000)
  await backdateDeposits(8)
  bankAccountId = await linkAccount(world, owner)
})

const setCost = (basisPoints: number) =>
  world.database.pool.query(
    `insert into withdrawal_cost_policy select max(version) + 1, $1, 60 from withdrawal_cost_policy`,
    [basisPoints],
  )
await setCost(250)
const backdateDeposits = (days: number) => ageDeposits(world.database.pool, owner.id, days * 24)
const buildBody = (amount: string, overrides: object = {}) => ({
  amount,
  currency: 'USD' as const,
  bankAccountId,
  ...overrides,
})
const order = (amount: string, overrides?: object, key: string = randomUUID()) =>
  settleCall(owner.call(withdraw, { body: buildBody(amount, overrides), idempotencyKey: key }))
const loadEstimate = () => owner.call(withdrawalEstimate, { query: { bankAccountId } })
const loadBalance = async () => (await owner.wallet()).fiat_balance
const loadRows = async () => {
  const transactions = await owner.transactions()
  return transactions
    .filter(({ outside }) => outside?.kind === 'payout')
    .map(({ transaction_type: type, status, amount, fee }) => `${type} ${status} ${amount}, ${fee} of it fee`)
}
const sendFromFriend = async (amount: string) => {
  await attack.fundMature(friend, 20_000)
  expect(readCode(await send(friend, owner, amount))).toBe('passed')
}

describe('card money that is withdrawn to a bank', () => {
  test('costs what cards cost, once, as displayed before; the books stay sound', async () => {
    expect(await loadEstimate()).toMatchObject({ withdrawable: '97.56', without_cost: '0.00', cost_basis_points: 250 })
    expect(await order('40.00', { expected_total: '40.00' })).toMatchObject({
      code: 'price_changed',
      detail: 'The withdrawal fee has changed. Check it, then withdraw.',
    })
    expect(await order('99.00')).toMatchObject({ code: 'insufficient_funds' })
    expect(await loadBalance()).toBe('100.00')
    const key = randomUUID()
    const [first, repeatOutcome] = [await order('40.00', { expected_total: '41' }, key), await order('40.00', {}, key)]
    expect(first).toMatchObject({ success: true, fee: '1.00' })
    expect(repeatOutcome).toEqual(first)
    expect(await loadBalance()).toBe('59.00')
    expect(await loadRows()).toEqual(['WITHDRAW PENDING 41.00, 1.00 of it fee'])
    expect(await loadFailedChecks(world)).toEqual([])
    const { payout_id: id } = first as { payout_id: string }
    await world.app.product.payments.submitPayout(id)
    await steerPayout(world, id, 'pay')
    await vi.waitFor(async () => expect(await loadRows()).toEqual(['WITHDRAW COMPLETED 41.00, 1.00 of it fee']), {
      timeout: 120_000,
    })
    expect(await loadBalance()).toBe('59.00')
    expect(await loadFailedChecks(world)).toEqual([])
  })

  test('costs nothing if it fails or is returned, and its cost again when withdrawn once more', async () => {
    for (const [action, expectedRows] of [
      ['fail', ['WITHDRAW FAILED 41.00, 1.00 of it fee']],
      [
        'return',
        [
          'DEPOSIT COMPLETED 41.00, 0.00 of it fee',
          'WITHDRAW COMPLETED 41.00, 1.00 of it fee',
          'WITHDRAW FAILED 41.00, 1.00 of it fee',
        ],
      ],
    ] as const) {
      const { payout_id: id } = (await order('40.00')) as { payout_id: string }
      await world.app.product.payments.submitPayout(id)
      if (action === 'return') {
        await steerPayout(world, id, 'pay')
        await vi.waitFor(async () => expect(await loadRows()).toContain('WITHDRAW COMPLETED 41.00, 1.00 of it fee'), {
          timeout: 120_000,
        })
      }
      await steerPayout(world, id, action)
      await vi.waitFor(async () => expect(await loadBalance()).toBe('100.00'), { timeout: 120_000 })
      expect(await loadRows()).toEqual(expectedRows)
      expect(await loadEstimate()).toMatchObject({ withdrawable: '97.56', without_cost: '0.00' })
      expect(await loadFailedChecks(world)).toEqual([])
    }
  })

  test('is withdrawn after free money, and sent to people before it', async () => {
    await sendFromFriend('50.00')
    expect(await loadEstimate()).toMatchObject({ without_cost: '50.00' })
    expect(await order('50.00', { expected_total: '50.00' })).toMatchObject({ fee: '0.00' })
    expect(await loadEstimate()).toMatchObject({ without_cost: '0.00' })
    // The send spends 20 dollars and a fee of 10 cents, which leaves 79.90 of card money; withdrawing 20.00 of it costs
    // 50 cents.
    expect(readCode(await send(owner, friend, '20.00'))).toBe('passed')
    expect(await order('20.00')).toMatchObject({ fee: '0.50' })
    await sendFromFriend('30.00')
    expect(await loadEstimate()).toMatchObject({ without_cost: '30.00' })
    expect(await loadFailedChecks(world)).toEqual([])
  })

  describe('that arrived for a send', () => {
    /**
     * Receives 30 dollars from the friend, then sends them 80: a card pays either all of it or the part beyond the
     * wallet balance.
     */
    const startPayment = async (paymentSource: 'card' | 'wallet_partial') => {
      owner = await attack.newPerson()
      bankAccountId = await linkAccount(world, owner)
      await sendFromFriend('30.00')
      const paymentBody = { amount: 8000, currency: 'usd', recipientId: String(friend.id), undo_seconds: 60 } as const
      const body = { ...paymentBody, paymentSource }
      const payment = await owner.call(directPayment, { body, idempotencyKey: randomUUID() })
      await payCheckout(payment.redirectUrl!)
      await waitForPayment(owner, payment.payment_id, 'completed')
      return payment.transaction_id
    }

    test.each(['card', 'wallet_partial'] as const)('and is cancelled is card money (%s)', async (source) => {
      const id = await startPayment(source)
      await owner.call(cancelTransfer, { params: { id } })
      expect(await loadEstimate()).toMatchObject({
        withdrawable: '30.00',
        without_cost: '30.00',
        rest_from: expect.any(String),
      })
      await backdateDeposits(8)
      expect(await loadEstimate()).toMatchObject({ without_cost: '30.00', rest_from: null })
      expect(await loadFailedChecks(world)).toEqual([])
    })

    test.each(['card', 'wallet_partial'] as const)('and was sent has left the wallet (%s)', async (source) => {
      const id = await startPayment(source)
      await owner.call(settleTransfer, { params: { id } })
      const remainingAmount = source === 'card' ? '30.00' : '0.00'
      expect(await loadBalance()).toBe(remainingAmount)
      expect(await loadEstimate()).toMatchObject({
        withdrawable: remainingAmount,
        without_cost: remainingAmount,
        rest_from: null,
      })
      expect(await loadFailedChecks(world)).toEqual([])
    })
  })

  test('that a send took from the wallet, beside a card, has left it', async () => {
    owner = await attack.newPerson()
    bankAccountId = await linkAccount(world, owner)
    await world.fund(owner, 3_000)
    const paymentBody = {
      amount: 6000,
      currency: 'usd',
      recipientId: String(friend.id),
      paymentSource: 'wallet_partial',
    } as const
    const payment = await owner.call(directPayment, { body: paymentBody, idempotencyKey: randomUUID() })
    await payCheckout(payment.redirectUrl!)
    await waitForPayment(owner, payment.payment_id, 'completed')
    expect(await loadBalance()).toBe('0.00')
    await sendFromFriend('30.00')
    expect(await loadEstimate()).toMatchObject({ withdrawable: '30.00', without_cost: '30.00', rest_from: null })
    expect(await order('5.00', { expected_total: '5.00' })).toMatchObject({ fee: '0.00' })
    expect(await loadFailedChecks(world)).toEqual([])
  })

  test('and was not sent before it arrived stays, though other money was sent', async () => {
    owner = await attack.newPerson()
    bankAccountId = await linkAccount(world, owner)
    await sendFromFriend('60.00')
    expect(readCode(await send(owner, friend, '40.00'))).toBe('passed')
    await world.fund(owner, 5_000)
    // The balance is 60.00 minus 40.00 and a fee of 20 cents.
    expect(await loadEstimate()).toMatchObject({ withdrawable: '19.80', without_cost: '19.80' })
    await ageSends(world.database.pool, { hours: 8 * 24, senderId: BigInt(owner.id) })
    await backdateDeposits(8)
    expect(await loadEstimate()).toMatchObject({ without_cost: '19.80', rest_from: null })
    expect(await order('29.80')).toMatchObject({ fee: '0.25' })
    // The withdrawal used all free money, and 10 of the card's 50 dollars at a cost of 25 cents.
    await sendFromFriend('30.00')
    expect(await loadEstimate()).toMatchObject({ without_cost: '30.00' })
    expect(await loadFailedChecks(world)).toEqual([])
  })

  test('is free after 60 days', async () => {
    await backdateDeposits(51)
    expect(await loadEstimate()).toMatchObject({ without_cost: '0.00' })
    await backdateDeposits(1)
    expect(await loadEstimate()).toMatchObject({ withdrawable: '100.00', without_cost: '100.00' })
    expect(await order('100.00')).toMatchObject({ fee: '0.00' })
  })

  test('never goes free with money that another withdrawal of the same moment takes', async () => {
    await sendFromFriend('50.00')
    const answers = await Promise.all(
      Array.from({ length: 5 }, (_, index) =>
        callNode(attack.urls[index % 3]!, owner, {
          method: 'POST',
          path: '/payment/withdraw',
          body: buildBody('15.00', { expected_total: '15.00' }),
        }),
      ),
    )
    expect(answers.filter(({ status }) => status < 300)).toHaveLength(3)
    expect(new Set(answers.flatMap(({ body }) => (body.code ? [body.code] : [])))).toEqual(new Set(['price_changed']))
    expect(await loadBalance()).toBe('105.00')
    expect(await loadEstimate()).toMatchObject({ without_cost: '5.00' })
    expect(await loadFailedChecks(world)).toEqual([])
  })

  test('is withdrawn by concurrent requests where it costs nothing, regardless of their order', async () => {
    await sendFromFriend('50.00')
    await setCost(0)
    try {
      const answers = await Promise.all(
        Array.from({ length: 5 }, (_, index) =>
          callNode(attack.urls[index % 3]!, owner, {
            method: 'POST',
            path: '/payment/withdraw',
            body: buildBody('15.00', { expected_total: '15.00' }),
          }),
        ),
      )
      expect(answers.map(({ body }) => body.code).filter(Boolean)).toEqual([])
      expect(await loadBalance()).toBe('75.00')
      const { rows } = await world.database.pool.query<{ card: bigint }>(
        'select sum(card_minor) as card from payout where user_id = $1',
        [owner.id],
      )
      expect(rows).toEqual([{ card: 2500n }])
    } finally {
      await setCost(250)
    }
    expect(await loadFailedChecks(world)).toEqual([])
  })

  test('is free while the cost is set to 0, and charged once an operator sets a cost', async () => {
    await setCost(0)
    try {
      expect(await loadEstimate()).toMatchObject({ withdrawable: '100.00', cost_basis_points: 0 })
      expect(await order('40.00', { expected_total: '40.00' })).toMatchObject({ fee: '0.00' })
    } finally {
      await setCost(250)
    }
    expect(await order('40.00', { expected_total: '41.00' })).toMatchObject({ fee: '1.00' })
    expect(await loadFailedChecks(world)).toEqual([])
  })
})
