// Attacks with a stolen session, with the product's default rules. docs/risk.md lists these attacks and their tests;
// unguarded-payments.test.ts runs some of them without the guard.

import { randomUUID } from 'node:crypto'
import { withdraw } from '@tern/contract/banking'
import { notifications } from '@tern/contract/notifications/notifications'
import { createPayment, deposit, depositByCard, directPayment } from '@tern/contract/payments'
import { createQuote, exchangeMoney } from '@tern/contract/exchange'
import { freezeByLink } from '@tern/contract/sign-in'
import { freezeAccount, unfreezeAccount } from '@tern/contract/security'
import { cancelTransfer, sendMoney } from '@tern/contract/transfers'
import { money } from '@tern/money/money'
import { afterAll, describe, expect, test } from 'vitest'
import { ageDeposits, ageSends } from '../../../../tools/aging.ts'
import type { TestPerson } from '@tern/testkit/app'
import { confirm, loadFailedChecks, nextMail, settleCall, readRequirement } from '@tern/testkit/banking'
import { callNode } from '@tern/testkit/nodes'
import { linkAccount, saveCard, steer, waitForPayment } from '@tern/testkit/payments'
import { notifyMoneyMovements } from '../features/wallets/notices/money-notices.ts'
import { readCode, countCodes, send, sendTo, startAttack } from '@tern/testkit/attacks/attack'
import { assessRisk, revokeDecision } from '../features/risk/risk.ts'

const attack = await startAttack()
const { world, urls, newPerson } = attack
afterAll(() => attack.close())

const saveTestCard = (person: TestPerson) =>
  saveCard(world, person, {
    token: `tok_${randomUUID()}`,
    brand: 'Visa',
    last4: '4242',
    expMonth: 12,
    expYear: 2039,
    fingerprint: randomUUID(),
  })

describe('a stolen access token', () => {
  test('20 × 100 USD to 20 new payees in 0.2 s, through three processes: 100 dollars leave', async () => {
    const owner = await newPerson()
    await world.fund(owner, 300_000)
    const mules: TestPerson[] = []
    for (let count = 0; count < 20; count += 1) mules.push(await newPerson('mule'))
    expect(await attack.sendAll(owner, mules, '100.00')).toEqual({ passed: 1, step_up_required: 19 })
    expect(await owner.wallet()).toMatchObject({ fiat_balance: '2899.50' })
    expect(await loadFailedChecks(world)).toEqual([])
  })

  test('many 0.99 sends: the sixth since the last proof needs one, for any payee', async () => {
    const [owner, mule] = [await newPerson(), await newPerson('mule')]
    await world.fund(owner, 50_000)
    const outcomes: string[] = []
    for (let sendIndex = 0; sendIndex < 8; sendIndex += 1) outcomes.push(readCode(await send(owner, mule, '0.99')))
    expect(countCodes(outcomes)).toEqual({ passed: 5, step_up_required: 3 })
    const key = randomUUID()
    const requirement = readRequirement(await send(owner, mule, '0.99', {}, key))
    await confirm(world, owner, requirement)
    const body = sendTo(mule, '0.99')
    await owner.call(sendMoney, { body, idempotencyKey: key, confirmation: requirement.id })
    expect(readCode(await send(owner, mule, '0.99')), 'counted anew from the proof').toBe('passed')
    await owner.call(sendMoney, { body, idempotencyKey: key, confirmation: requirement.id })
    for (let sendIndex = 0; sendIndex < 4; sendIndex += 1)
      expect(readCode(await send(owner, mule, '0.99'))).toBe('passed')
    expect(readCode(await send(owner, mule, '0.99')), 'the proof shown again is no other').toBe('step_up_required')
  })

  test('three processes, one new payee, 100 USD each: one passes', async () => {
    const [owner, mule] = [await newPerson(), await newPerson('mule')]
    await world.fund(owner, 50_000)
    expect(await attack.sendAll(owner, [mule, mule, mule], '100.00')).toEqual({ passed: 1, step_up_required: 2 })
    expect(await mule.wallet()).toMatchObject({ fiat_balance: '100.00' })
  })

  test('more than three new payees in a day: the fourth needs a proof', async () => {
    const owner = await newPerson()
    await world.fund(owner, 50_000)
    const mules = await Promise.all(Array.from({ length: 4 }, () => newPerson('mule')))
    const codes: string[] = []
    for (const mule of mules) codes.push(readCode(await send(owner, mule, '1.00')))
    expect(codes).toEqual(['passed', 'passed', 'passed', 'step_up_required'])
    expect(readCode(await send(owner, mules[0]!, '1.00')), 'paid before').toBe('passed')
  })

  test('after 25 h a payee is trusted: 15 × 1,000 USD in 0.2 s, through three processes: 1,000 dollars leave', async () => {
    const [owner, mule] = [await newPerson(), await newPerson('mule')]
    await world.fund(owner, 900_000)
    await world.fund(owner, 600_000)
    await send(owner, mule, '1.00')
    await ageSends(world.database.pool, { senderId: BigInt(owner.id) })
    const mules = Array.from({ length: 15 }, () => mule)
    expect(await attack.sendAll(owner, mules, '1000.00')).toEqual({ passed: 1, step_up_required: 14 })
    expect(await loadFailedChecks(world)).toEqual([])
  })

  test('a payee paid a day ago, from a device of the thief: what passes is the allowance alone', async () => {
    const [owner, friend] = [await newPerson(), await newPerson('friend')]
    await world.fund(owner, 200_000)
    await send(owner, friend, '1.00')
    await ageSends(world.database.pool, { senderId: BigInt(owner.id) })
    const { body: login } = await world.raw('POST', '/user/login', {
      body: { email: owner.email, password: owner.password },
    })
    const sendFromThief = async (amount: string) => {
      const { status, body } = await world.raw('POST', '/payment/transfer', {
        token: String(login.access_token),
        body: sendTo(friend, amount),
        headers: { 'idempotency-key': randomUUID() },
      })
      return status < 300 ? 'passed' : String(body.code)
    }
    expect(await sendFromThief('500.00')).toBe('step_up_required')
    expect(await sendFromThief('99.00')).toBe('passed')
    expect(readCode(await send(owner, friend, '500.00')), 'on the own device').toBe('passed')
    await world.database.pool.query(
      `update session set created_at = created_at - interval '25 hours' where user_id = $1`,
      [owner.id],
    )
    expect(await sendFromThief('400.00'), 'a day later, when the alert was read').toBe('passed')
  })

  test('a saved card charged 5,000 USD: nothing is charged without a proof, by any call', async () => {
    const owner = await newPerson()
    const card = await saveTestCard(owner)
    if (card.status === 'full') throw new Error('the owner has too many cards')
    const { id: paymentMethodId } = card
    const charges = [
      owner.call(depositByCard, {
        body: { amount: 500_000, currency: 'usd', paymentMethodId },
        idempotencyKey: randomUUID(),
      }),
      owner.call(deposit, {
        body: { amount: '5000.00', currency: 'USD', method: 'card', paymentMethodId },
        idempotencyKey: randomUUID(),
      }),
      owner.call(createPayment, {
        body: { purpose: 'deposit', amount: '5000.00', currency: 'USD', method: 'card', paymentMethodId },
        idempotencyKey: randomUUID(),
      }),
    ]
    for (const outcome of await Promise.all(charges.map(settleCall))) {
      expect(readRequirement(outcome)).toMatchObject({
        action: 'add_money',
        subject: { from: 'Visa, ending in 4242', amount: '5000.00 USD' },
      })
    }
    const { rowCount } = await world.database.pool.query('select from payment where user_id = $1', [owner.id])
    expect(rowCount).toBe(0)
  })

  test('a linked bank account debited: the same', async () => {
    const owner = await newPerson()
    const bankAccountId = await linkAccount(world, owner)
    const body = { amount: '900.00', currency: 'USD', method: 'bank', bankAccountId } as const
    const key = randomUUID()
    const requirement = readRequirement(await settleCall(owner.call(deposit, { body, idempotencyKey: key })))
    await confirm(world, owner, requirement)
    expect(await owner.call(deposit, { body, idempotencyKey: key, confirmation: requirement.id })).toMatchObject({
      success: true,
    })
  })

  test('sends, withdrawals, cards and banks together: one allowance for everything', async () => {
    const [owner, mule] = [await newPerson(), await newPerson('mule')]
    await world.fund(owner, 100_000)
    await ageDeposits(world.database.pool, owner.id, 8 * 24)
    const bankAccountId = await linkAccount(world, owner)
    const pullBody = { amount: '30.00', currency: 'USD', method: 'bank', bankAccountId } as const
    const cardBody = { amount: 3000, currency: 'usd', recipientId: String(mule.id), paymentSource: 'card' } as const
    const attempts = [
      send(owner, mule, '30.00'),
      settleCall(
        owner.call(withdraw, {
          body: { amount: '30.00', currency: 'USD', bankAccountId },
          idempotencyKey: randomUUID(),
        }),
      ),
      settleCall(owner.call(deposit, { body: pullBody, idempotencyKey: randomUUID() })),
      settleCall(owner.call(directPayment, { body: cardBody, idempotencyKey: randomUUID() })),
    ]
    expect(countCodes((await Promise.all(attempts)).map(readCode))).toEqual({ passed: 3, step_up_required: 1 })
  })
})

describe('the allowance', () => {
  test('is not used up by refused, cancelled or failed payments', async () => {
    const [owner, mule] = [await newPerson(), await newPerson('mule')]
    for (let attempt = 0; attempt < 8; attempt += 1)
      expect(readCode(await send(owner, mule, '90.00'))).toBe('insufficient_funds')
    await world.fund(owner, 50_000)
    for (let attempt = 0; attempt < 6; attempt += 1) {
      const undoableSend = await send(owner, mule, '90.00', { undo_seconds: 30 })
      expect(readCode(undoableSend)).toBe('passed')
      await owner.call(cancelTransfer, {
        params: { id: 'transaction_id' in undoableSend ? String(undoableSend.transaction_id) : '' },
      })
    }
    const cardBody = { amount: 9000, currency: 'usd', recipientId: String(mule.id), paymentSource: 'card' } as const
    for (let attempt = 0; attempt < 6; attempt += 1) {
      const { payment_id: id } = await owner.call(directPayment, { body: cardBody, idempotencyKey: randomUUID() })
      await steer(world, id, 'fail')
      await waitForPayment(owner, id, 'failed')
    }
    expect(readCode(await send(owner, mule, '90.00'))).toBe('passed')
    expect(readCode(await send(owner, mule, '10.01'))).toBe('step_up_required')
  })

  test('is exact for any number of concurrent requests', async () => {
    const { product } = world.app
    const { pool, now } = product
    for (let round = 0; round < 5; round += 1) {
      const userId = BigInt((await newPerson()).id)
      const assessSend = () =>
        assessRisk(product, pool, {
          candidate: {
            movementId: randomUUID(),
            userId,
            kind: 'transfer',
            amount: money('USD', 2500n),
            source: 'wallet',
            usdMinor: 2500n,
          },
          at: now(),
        })
      await revokeDecision(pool, { decisionId: (await assessSend()).decisionId, at: now() })
      const assessments = await Promise.all(Array.from({ length: 100 }, assessSend))
      expect(assessments.filter(({ passes }) => passes)).toHaveLength(4)
    }
  })

  test('counts a request that is repeated, in any process, once', async () => {
    const [owner, mule] = [await newPerson(), await newPerson('mule')]
    await world.fund(owner, 50_000)
    for (let round = 0; round < 4; round += 1) {
      const key = randomUUID()
      const answers = await Promise.all(
        Array.from({ length: 9 }, (_, index) =>
          callNode(urls[index % 3]!, owner, {
            method: 'POST',
            path: '/payment/transfer',
            body: sendTo(mule, '20.00'),
            key,
          }),
        ),
      )
      expect(answers.some(({ status }) => status < 300)).toBe(true)
    }
    const { rows } = await world.database.pool.query(
      'select unproven_usd_minor, unproven_payments from risk_profile where user_id = $1',
      [owner.id],
    )
    expect(rows).toEqual([{ unproven_usd_minor: 8000n, unproven_payments: 4 }])
  })

  test('every decision stores its rule, the version of the thresholds and its inputs', async () => {
    const [owner, payee] = [await newPerson(), await newPerson('payee')]
    await world.fund(owner, 50_000)
    await send(owner, payee, '60.00')
    await send(owner, payee, '60.00')
    const { rows } = await world.database.pool.query(
      `select rule, passed, policy_version, kind, payee, usd_minor, inputs from risk_decision where user_id = $1 order by id`,
      [owner.id],
    )
    const decisionFields = { policy_version: 2, kind: 'transfer', payee: `user ${payee.id}`, usd_minor: 6000n }
    expect(rows).toMatchObject([
      {
        ...decisionFields,
        rule: 'allowance',
        passed: true,
        inputs: { unproven_usd: '0', trusted: false, new_factor: null },
      },
      {
        ...decisionFields,
        rule: 'allowance_amount',
        passed: false,
        inputs: { unproven_usd: '6000', unproven_payments: 1 },
      },
    ])
  })
})

describe('a frozen account', () => {
  test('sends and pulls nothing, in any process, until its owner confirms their identity', async () => {
    const [owner, friend] = [await newPerson(), await newPerson('friend')]
    await world.fund(owner, 50_000)
    await ageDeposits(world.database.pool, owner.id, 8 * 24)
    await world.fund(friend, 50_000)
    const bankAccountId = await linkAccount(world, owner)
    const undoableSend = await send(owner, friend, '20.00', { undo_seconds: 2 })
    await owner.call(freezeAccount, {})
    const { quote_id: quoteId } = await owner.call(createQuote, {
      body: { source_currency: 'USD', target_currency: 'USDT', amount: '10.00', side: 'source' },
    })
    const attempts = [
      ...urls.map(async (url) => {
        const { body } = await callNode(url, owner, {
          method: 'POST',
          path: '/payment/transfer',
          body: sendTo(friend, '1.00'),
        })
        return String(body.code)
      }),
      settleCall(
        owner.call(withdraw, {
          body: { amount: '1.00', currency: 'USD', bankAccountId },
          idempotencyKey: randomUUID(),
        }),
      ).then(readCode),
      settleCall(
        owner.call(deposit, {
          body: { amount: '1.00', currency: 'USD', method: 'bank', bankAccountId },
          idempotencyKey: randomUUID(),
        }),
      ).then(readCode),
      settleCall(owner.call(exchangeMoney, { body: { quote_id: quoteId }, idempotencyKey: randomUUID() })).then(
        readCode,
      ),
    ]
    expect(countCodes(await Promise.all(attempts))).toEqual({ account_frozen: 6 })
    // Money of a held transfer is returned at its deadline instead of being sent.
    const endDue = async () => {
      await world.app.product.heldTransfers.endDue()
      return (await owner.wallet()).fiat_balance
    }
    await expect.poll(endDue, { timeout: 120_000 }).toBe('500.00')
    expect('transaction_id' in undoableSend && undoableSend.status).toBe('PENDING')
    expect(readCode(await send(friend, owner, '5.00')), 'what comes in still does').toBe('passed')
    expect(await nextMail(world, owner, 'Your account is frozen')).toContain('No money can leave it')
    const requirement = readRequirement(await settleCall(owner.call(unfreezeAccount, {})))
    expect(requirement.action).toBe('unfreeze_account')
    await confirm(world, owner, requirement)
    await owner.call(unfreezeAccount, { confirmation: requirement.id })
    expect(readCode(await send(owner, friend, '1.00'))).toBe('passed')
    expect(await loadFailedChecks(world)).toEqual([])
  })

  test('can be frozen once from the mail about a payment to a new payee, without logging in', async () => {
    const [owner, mule] = [await newPerson(), await newPerson('mule')]
    await world.fund(owner, 50_000)
    await send(owner, mule, '50.00')
    const { pool, identity, notifications: notificationsApi } = world.app.product
    await expect
      .poll(async () => {
        await notifyMoneyMovements({ people: identity, notifications: notificationsApi, publicUrl: world.url }, pool)
        return (await owner.call(notifications, {})).notifications.map(({ code }) => code)
      })
      .toContain('new_payee_paid')
    const mail = await nextMail(world, owner, /^You sent \$50\.00 to mule Tester for the first time$/)
    expect(mail).toContain(`${world.url}/not-me#token=`)
    const token = /\/freeze#token=([\w-]+)/.exec(mail)?.[1]
    const freezeByMailedLink = () => settleCall(mule.call(freezeByLink, { body: { token: token ?? '' } }))
    expect(await freezeByMailedLink()).toEqual({ success: true })
    expect(readCode(await send(owner, mule, '1.00'))).toBe('account_frozen')
    expect(await freezeByMailedLink()).toMatchObject({ code: 'link_invalid' })
  })
})
