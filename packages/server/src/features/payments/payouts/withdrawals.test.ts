import { randomUUID } from 'node:crypto'
import { payoutStatus, removeBankAccount, withdraw, withdrawalEstimate } from '@tern/contract/banking'
import type pg from 'pg'
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { agePayout, waitForDayStart } from '../../../../../../tools/aging.ts'
import { type TestApp, type TestPerson } from '@tern/testkit/app'
import { openTestApp } from '@tern/testkit/open-test-app'
import { toCaller, linkAccount } from '@tern/testkit/payments'
import { allowUnconfirmed, countUnconfirmedPasses } from '@tern/testkit/risk'
import { expectedArrival } from './business-days.ts'
import { createPayments } from '../payments.ts'
import { confirm, readRequirement, loadFailedChecks, settleCall, reportPayout } from '@tern/testkit/banking'

let alice: TestPerson
let account: string

const world = await openTestApp()
beforeEach(async () => {
  alice = await world.enroll('alice', 'United States')
  await world.fund(alice, 10_000)
  account = await linkAccount(world, alice)
})

interface WithdrawalOptions {
  readonly amount?: string
  readonly currency?: 'USD' | 'EUR'
  readonly bankAccountId?: string
  readonly userId?: number
}

/** Orders a withdrawal; returns it, or its refusal. */
const order = (
  person: TestPerson,
  options: WithdrawalOptions = {},
  key: string = randomUUID(),
  confirmation?: string,
) =>
  settleCall(
    person.call(withdraw, {
      body: { amount: '40.00', currency: 'USD', bankAccountId: account, ...options },
      idempotencyKey: key,
      confirmation,
    }),
  )

const readWithdrawal = (outcome: unknown) =>
  outcome as { payout_id: string; transaction_id: string; expected_on: string }

const loadPayouts = async ({ id }: TestPerson) =>
  (await world.database.pool.query('select * from payout where user_id = $1', [id])).rows

/** Payments of a second process over the same database. */
const createSecondProcess = (parts: Partial<TestApp['app']['product']> = {}) => {
  const { product } = world.app
  const log = { warn() {}, error() {} }
  return createPayments({ ...product, ...parts, providers: product.providers.money, publicUrl: world.url, log })
}

/** Pool that runs `callback` before each statement that has this name or begins with this text. */
const createInterceptingPool = (statement: string, callback: () => Promise<void>) =>
  new Proxy(world.database.pool, {
    get(pool, property) {
      if (property !== 'query') return Reflect.get(pool, property)
      return async (query: pg.QueryConfig | string, values?: unknown[]) => {
        if (typeof query === 'string' ? query.startsWith(statement) : query.name === statement) await callback()
        return pool.query(query, values)
      }
    },
  })

describe('a withdrawal', () => {
  test('is reserved at once, listed as pending, queued for submission, and has an arrival day', async () => {
    const { payout_id: id, transaction_id: transactionId, ...rest } = readWithdrawal(await order(alice))
    const { expectedOn, earliestOn } = expectedArrival('US', world.app.product.now())
    expect(rest).toEqual({ success: true, status: 'pending', expected_on: expectedOn, fee: '0.00', redirectUrl: null })
    expect(await alice.wallet()).toMatchObject({
      fiat_balance: '60.00',
      assets: expect.arrayContaining([{ currency: 'USD', available: '60.00', held: '40.00' }]),
    })
    const list = await alice.transactions()
    expect(list[0]).toMatchObject({
      id: transactionId,
      transaction_type: 'WITHDRAW',
      status: 'PENDING',
      amount: '40.00',
      fee: '0.00',
      payment_source: 'bank',
      payment_id: id,
      description: expect.stringMatching(/^To Harbour Bank, ending in \d{4}$/),
    })
    expect(await alice.call(payoutStatus, { params: { id } })).toMatchObject({
      status: 'pending',
      expected_on: expectedOn,
      bank_account: { id: account, bank_name: 'Harbour Bank' },
      reason: null,
      transaction_id: transactionId,
    })
    expect(await alice.call(withdrawalEstimate, { query: { bankAccountId: account } })).toMatchObject({
      earliest_on: earliestOn,
      expected_on: expectedOn,
    })
    // Queued after the commit, which the answer does not await.
    const loadJobs = async () =>
      (await world.database.pool.query('select task_identifier from graphile_worker.jobs where key = $1', [id])).rows
    await expect.poll(loadJobs, { timeout: 120_000 }).toEqual([{ task_identifier: 'submit_payout' }])
    expect(await loadFailedChecks(world)).toEqual([])
  })

  test('is shown to nobody else', async () => {
    const { payout_id: id } = readWithdrawal(await order(alice))
    const stranger = await world.enroll('stranger', null)
    expect(await settleCall(stranger.call(payoutStatus, { params: { id } }))).toMatchObject({ code: 'not_found' })
  })

  test('with the same key happens once, however often and concurrently it is requested', async () => {
    const key = randomUUID()
    const outcomes = await Promise.all(Array.from({ length: 10 }, () => order(alice, {}, key)))
    const first = await order(alice, {}, key)
    for (const outcome of outcomes) {
      if ('code' in outcome) expect(outcome.code).toBe('request_in_progress')
      else expect(outcome).toEqual(first)
    }
    expect(await loadPayouts(alice)).toHaveLength(1)
    expect(await alice.wallet()).toMatchObject({ fiat_balance: '60.00' })
    for (const changes of [
      { amount: '41.00' },
      { bankAccountId: await linkAccount(world, alice, { bank: 'shoal' }) },
    ]) {
      expect(await order(alice, changes, key)).toMatchObject({ status: 422, code: 'idempotency_key_reused' })
    }
    const bob = await world.enroll('bob', 'United States')
    await world.fund(bob, 10_000)
    const ownAccountId = await linkAccount(world, bob)
    expect(readWithdrawal(await order(bob, { bankAccountId: ownAccountId }, key)).payout_id).not.toBe(
      readWithdrawal(first).payout_id,
    )
    await reportPayout(world, readWithdrawal(first).payout_id, 'paid')
    expect(await order(alice, {}, key)).toEqual({ ...first, status: 'completed' })
  })

  test('with the same key happens once in two processes', async () => {
    const key = randomUUID()
    const request = { amount: '40.00', currency: 'USD', bankAccountId: account } as const
    const processes = Array.from({ length: 4 }, createSecondProcess)
    const replies = await Promise.all(
      processes.map((payments) => payments.withdraw({ caller: toCaller(alice), body: request, idempotencyKey: key })),
    )
    expect(new Set(replies.map(({ transaction_id: id }) => id)).size).toBe(1)
    expect(await alice.wallet()).toMatchObject({ fiat_balance: '60.00' })
    expect(await loadFailedChecks(world)).toEqual([])
  })

  test.each([
    { amount: '100.00', extraCents: 0, used: 'the money' },
    { amount: '60.00', extraCents: 90_000, used: 'what leaves without a confirmation' },
  ])('that another process ran meanwhile is returned, even if it used up $used', async ({ amount, extraCents }) => {
    if (extraCents > 0) await world.fund(alice, extraCents)
    const key = randomUUID()
    const request = { amount, currency: 'USD', bankAccountId: account } as const
    const { rows: sessions } = await world.database.pool.query('select id from session where user_id = $1', [alice.id])
    const caller = { ...toCaller(alice), sessionId: sessions[0].id }
    let first: unknown
    const second = createSecondProcess({
      pool: createInterceptingPool('wallets_of_users', async () => {
        first ??= await order(alice, { amount }, key)
      }),
    })
    const reply = await second.withdraw({ caller, body: request, idempotencyKey: key })
    expect(first).toMatchObject({ success: true })
    expect(reply).toEqual(first)
    expect(await loadPayouts(alice)).toHaveLength(1)
    await expect(
      second.withdraw({ caller, body: { ...request, amount: '2000.00' }, idempotencyKey: key }),
    ).rejects.toMatchObject({
      code: 'idempotency_key_reused',
    })
    expect(await loadFailedChecks(world)).toEqual([])
  })

  test('allowed by two processes and reserved by one counts once against the allowance', async () => {
    const key = randomUUID()
    const request = { amount: '40.00', currency: 'USD', bankAccountId: account } as const
    let first: unknown
    const second = createSecondProcess({
      pool: createInterceptingPool('decide_risk', async () => {
        first ??= await order(alice, {}, key)
      }),
    })
    expect(await second.withdraw({ caller: toCaller(alice), body: request, idempotencyKey: key })).toEqual(first)
    expect(await countUnconfirmedPasses(world.database.pool, alice)).toBe(1)
    expect(await loadFailedChecks(world)).toEqual([])
  })

  test('of money spent meanwhile is refused without asking for a confirmation', async () => {
    await world.fund(alice, 40_000)
    const request = { amount: '450.00', currency: 'USD', bankAccountId: account } as const
    let calls = 0
    const second = createSecondProcess({
      pool: createInterceptingPool('select name, balance from ledger.account', async () => {
        calls += 1
        if (calls === 2) await order(alice, { amount: '60.00' })
      }),
    })
    const withdrawal = { caller: toCaller(alice), body: request, idempotencyKey: randomUUID() }
    await expect(second.withdraw(withdrawal)).rejects.toMatchObject({ code: 'insufficient_funds' })
    expect(await loadFailedChecks(world)).toEqual([])
  })

  test('counts on the day it was ordered, unless it fails or is returned', async () => {
    const loadUsage = async () =>
      (
        await world.database.pool.query(
          `select to_char(day, 'YYYY-MM-DD') as day, usd_minor from limit_usage where user_id = $1 order by day`,
          [alice.id],
        )
      ).rows
    await waitForDayStart(world.app.product.now)
    const day = world.app.product.now().toISOString().slice(0, 10)
    const [paidWithdrawal, failedWithdrawal, returnedWithdrawal] = [
      readWithdrawal(await order(alice, { amount: '10.00' })),
      readWithdrawal(await order(alice, { amount: '20.00' })),
      readWithdrawal(await order(alice, { amount: '30.00' })),
    ]
    expect(await loadUsage()).toEqual([{ day, usd_minor: 6000n }])
    // Its failure is reported on a later day.
    await agePayout(world.database.pool, failedWithdrawal.payout_id, 72)
    for (let repetition = 0; repetition < 2; repetition += 1)
      await reportPayout(world, failedWithdrawal.payout_id, 'failed')
    await reportPayout(world, returnedWithdrawal.payout_id, 'paid')
    for (let repetition = 0; repetition < 2; repetition += 1)
      await reportPayout(world, returnedWithdrawal.payout_id, 'returned')
    await reportPayout(world, paidWithdrawal.payout_id, 'paid')
    expect((await loadUsage()).map(({ usd_minor: minor }) => minor)).toEqual([0n, 1000n])
    expect(await loadFailedChecks(world)).toEqual([])
  })

  test('never takes more than the balance, however many run concurrently', async () => {
    const processes = Array.from({ length: 6 }, createSecondProcess)
    const request = { amount: '7.00', currency: 'USD', bankAccountId: account } as const
    await order(alice, { amount: '10.00', bankAccountId: await linkAccount(world, alice, { bank: 'shoal' }) })
    // Raised, because refused orders could use up the amount allowed without confirmation.
    await allowUnconfirmed(world.database.pool, { dollars: 1000 })
    onTestFinished(() => allowUnconfirmed(world.database.pool))
    const outcomes = await Promise.allSettled(
      Array.from({ length: 60 }, (_, index) =>
        processes[index % processes.length]!.withdraw({
          caller: toCaller(alice),
          body: request,
          idempotencyKey: randomUUID(),
        }),
      ),
    )
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(12)
    for (const outcome of outcomes) {
      if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject({ code: 'insufficient_funds' })
    }
    expect(await loadPayouts(alice)).toHaveLength(13)
    expect(await alice.wallet()).toMatchObject({ fiat_balance: '6.00' })
    expect(await loadFailedChecks(world)).toEqual([])
  })

  test('is refused for each mistake in the request, and nothing moves', async () => {
    const euros = await linkAccount(world, alice, { currency: 'EUR' })
    const bob = await world.enroll('bob', 'United States')
    const bobAccountId = await linkAccount(world, bob)
    const removedAccountId = await linkAccount(world, alice, { bank: 'shoal' })
    await alice.call(removeBankAccount, { params: { userId: String(alice.id), id: removedAccountId } })
    const cases: [WithdrawalOptions, string, string, string?][] = [
      [{ amount: '100.01' }, 'insufficient_funds', 'amount', 'Insufficient funds. Your balance is $100.00'],
      [{ amount: '0.001' }, 'invalid_request', 'amount'],
      [{ amount: '0' }, 'invalid_request', 'amount', 'Please enter a valid amount'],
      [{ currency: 'EUR' }, 'currency_not_supported', 'currency', 'You can withdraw USD from this wallet.'],
      [{ bankAccountId: euros }, 'currency_not_supported', 'bankAccountId', 'This bank account accepts EUR, not USD.'],
      [{ bankAccountId: bobAccountId }, 'bank_account_needed', 'bankAccountId'],
      [{ bankAccountId: removedAccountId }, 'bank_account_needed', 'bankAccountId'],
      [
        { bankAccountId: randomUUID() },
        'bank_account_needed',
        'bankAccountId',
        'Please select a bank account or add a new one',
      ],
      [{ userId: bob.id }, 'not_your_account', 'userId'],
    ]
    for (const [options, code, field, detail] of cases) {
      const message = detail ?? expect.any(String)
      expect(await order(alice, options), JSON.stringify(options)).toMatchObject({ code, errors: [{ field, message }] })
    }
    const withdrawalWithoutKey = await world.raw('POST', '/payment/withdraw', {
      token: alice.token,
      body: { amount: '1.00', currency: 'USD', bankAccountId: account },
    })
    expect([withdrawalWithoutKey.status, withdrawalWithoutKey.body.code]).toEqual([422, 'idempotency_key_required'])
    expect(await loadPayouts(alice)).toEqual([])
    expect(await alice.wallet()).toMatchObject({ fiat_balance: '100.00' })
  })

  test('names the balance as the pages write it, in a currency without decimals too', async () => {
    const yuki = await world.enroll('yuki', 'Japan')
    await world.fund(yuki, 123_456)
    const ownAccountId = await linkAccount(world, yuki, { currency: 'JPY', country: 'JP' })
    const refusedWithdrawal = await settleCall(
      yuki.call(withdraw, {
        body: { amount: '123457', currency: 'JPY', bankAccountId: ownAccountId },
        idempotencyKey: randomUUID(),
      }),
    )
    expect(refusedWithdrawal).toMatchObject({ detail: 'Insufficient funds. Your balance is ¥123,456' })
  })
})

describe('a withdrawal that needs a step-up confirmation', () => {
  test('goes to an account not yet paid a day ago and exceeds 100 dollars', async () => {
    await world.fund(alice, 90_000)
    const key = randomUUID()
    const require = readRequirement(await order(alice, { amount: '100.01' }, key))
    expect(require).toMatchObject({
      action: 'withdraw_money',
      subject: {
        to: expect.stringMatching(/^Harbour Bank, ending in \d{4}$/),
        amount: '100.01 USD',
        arrives: expect.stringMatching(/^by [A-Z][a-z]{2} \d{1,2}, 20\d\d$/),
      },
    })
    const firstWithdrawal = readWithdrawal(await order(alice, { amount: '100.00' }))
    await reportPayout(world, firstWithdrawal.payout_id, 'paid')
    readRequirement(await order(alice, { amount: '100.01' }))
    await world.database.pool.query(`update payout set created_at = created_at - interval '25 hours' where id = $1`, [
      firstWithdrawal.payout_id,
    ])
    expect(await order(alice, { amount: '100.01' }), 'paid a day ago').toMatchObject({ success: true })
    const otherAccountId = await linkAccount(world, alice, { bank: 'shoal' })
    readRequirement(await order(alice, { amount: '100.01', bankAccountId: otherAccountId }))
  })

  test('counts all orders to an account within a day, also concurrent ones and after linking again', async () => {
    await world.fund(alice, 90_000)
    const outcomes = await Promise.all(Array.from({ length: 8 }, () => order(alice, { amount: '30.00' })))
    expect(outcomes.filter((outcome) => 'success' in outcome)).toHaveLength(3)
    for (const outcome of outcomes) if ('code' in outcome) readRequirement(outcome)
    const failedWithdrawal = readWithdrawal(await order(alice, { amount: '10.00' }))
    readRequirement(await order(alice, { amount: '0.01' }))
    await reportPayout(world, failedWithdrawal.payout_id, 'failed')
    await alice.call(removeBankAccount, { params: { userId: String(alice.id), id: account } })
    const relinkedAccountId = await linkAccount(world, alice)
    expect(relinkedAccountId).not.toBe(account)
    readRequirement(await order(alice, { amount: '10.01', bankAccountId: relinkedAccountId }))
    expect(await order(alice, { amount: '10.00', bankAccountId: relinkedAccountId })).toMatchObject({ success: true })
  })

  test('exceeds 1,000 dollars to any account; the confirmation covers this request only', async () => {
    await world.fund(alice, 400_000)
    const acceptedWithdrawal = readWithdrawal(await order(alice, { amount: '10.00' }))
    await reportPayout(world, acceptedWithdrawal.payout_id, 'paid')
    await world.database.pool.query(`update payout set created_at = created_at - interval '25 hours' where id = $1`, [
      acceptedWithdrawal.payout_id,
    ])
    expect(await order(alice, { amount: '990.00' })).toMatchObject({ success: true })
    // Exceeds the remaining daily amount that needs no confirmation.
    readRequirement(await order(alice, { amount: '90.01' }))
    const key = randomUUID()
    const require = readRequirement(await order(alice, { amount: '1000.01' }, key))
    readRequirement(await order(alice, { amount: '1000.01' }, key, require.id))
    const text = await confirm(world, alice, require)
    expect(text).toContain('$1,000.01')
    const otherAccountId = await linkAccount(world, alice, { bank: 'shoal' })
    readRequirement(await order(alice, { amount: '1000.02' }, key, require.id))
    readRequirement(await order(alice, { amount: '1000.01', bankAccountId: otherAccountId }, key, require.id))
    readRequirement(await order(alice, { amount: '1000.01' }, randomUUID(), require.id))
    const outcome = await order(alice, { amount: '1000.01' }, key, require.id)
    expect(outcome).toMatchObject({ success: true })
    expect(await order(alice, { amount: '1000.01' }, key), 'repeated without a confirmation').toEqual(outcome)
    expect(await loadPayouts(alice)).toHaveLength(3)
  })
})
