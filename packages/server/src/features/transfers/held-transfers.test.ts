import { randomUUID } from 'node:crypto'
import { withdraw } from '@tern/contract/banking'
import { createQuote, exchangeMoney } from '@tern/contract/exchange'
import { cancelPayment, directPayment, paymentStatus } from '@tern/contract/payments'
import { cancelTransfer, sendMoney, settleTransfer, transferStatus } from '@tern/contract/transfers'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { ageSends } from '../../../../../tools/aging.ts'
import { callTern, ternEnvironment } from '@tern/testkit/processes/call-tern'
import { type TestApp, type TestPerson } from '@tern/testkit/app'
import { openTestApp } from '@tern/testkit/open-test-app'
import { loadFailedChecks, settleCall, reportPayout } from '@tern/testkit/banking'
import { linkAccount, steer, waitForPayment } from '@tern/testkit/payments'
import { payCheckout } from '@tern/testkit/people'
import { connect } from '../../platform/database/db.ts'
import { createHeldTransfers, type TransferRule } from './transfers.ts'

const callerSession = { sessionId: randomUUID(), verified: true }
let alice: TestPerson
let bruno: TestPerson
let decision: ReturnType<TransferRule>
let rule: TransferRule | undefined

const minuteMs = 60_000
const hold = (reason: 'undo' | 'scheduled' | 'review', untilMs = 5 * minuteMs) => ({
  outcome: 'hold' as const,
  reason,
  until: new Date(world.app.product.now().getTime() + untilMs),
})

const world = await openTestApp({ transferRules: [(...ruleArguments) => (rule ? rule(...ruleArguments) : decision)] })
beforeEach(async () => {
  decision = undefined
  rule = undefined
  alice = await world.enroll('alice', 'United States')
  bruno = await world.enroll('bruno', 'Germany')
  await world.fund(alice, 10_000)
})
afterEach(async () => expect(await loadFailedChecks(world)).toEqual([]))

const usd = { source_currency: 'USD' } as const
const send = (amount = '20.00', key: string = randomUUID()) =>
  alice.call(sendMoney, { body: { ...usd, recipient_id: bruno.id, amount }, idempotencyKey: key })
const loadStatus = (id: string, person = alice) => person.call(transferStatus, { params: { id } })
const cancel = (id: string, person = alice) => settleCall(person.call(cancelTransfer, { params: { id } }))
const settleTransferNow = (id: string, person = alice) => settleCall(person.call(settleTransfer, { params: { id } }))
const loadDollars = async () => {
  const { assets } = await alice.wallet()
  const usdAsset = assets.find(({ currency }) => currency === 'USD')
  return [usdAsset?.available, usdAsset?.held]
}
const loadUsedToday = async () => {
  const sql = 'select coalesce(sum(usd_minor), 0) as sum from limit_usage where user_id = $1'
  return (await world.database.pool.query<{ sum: bigint }>(sql, [alice.id])).rows[0]?.sum
}

async function command(...parameters: string[]) {
  const { code, text } = await callTern(ternEnvironment(world), 'transfers', ...parameters)
  return [code, text]
}

/** Creates the held-transfer service of another process, whose clock shows this time. */
function createHeldTransfersAt(
  at: Date,
  wallets: Partial<TestApp['app']['product']['wallets']> = {},
  { pool }: Pick<TestApp['app']['product'], 'pool'> = world.app.product,
) {
  const { product } = world.app
  const log = { error: (details: object) => expect(details).toBeUndefined() }
  const purposes = [product.requests]
  const parts = { pool, publicUrl: world.url, purposes, now: () => at, log }
  return createHeldTransfers({ ...product, ...parts, wallets: { ...product.wallets, ...wallets } })
}
const endDueAt = (at: Date) => createHeldTransfersAt(at).endDue()
const minutesLater = (minutes: number) => new Date(world.app.product.now().getTime() + minutes * minuteMs)

describe('a transfer that settles at once', () => {
  test('has no row, and shows its status to its sender only', async () => {
    const { transaction_id: id, transaction } = await send()
    expect(await loadStatus(id)).toMatchObject({ id, kind: 'wallet_send', state: 'settled', hold: null, transaction })
    expect(await settleCall(loadStatus(id, bruno)), 'what is received').toMatchObject({ code: 'not_found' })
    const carol = await world.enroll('carol', 'Germany')
    expect(await settleCall(loadStatus(id, carol))).toMatchObject({ code: 'not_found' })
    expect(await settleCall(loadStatus(randomUUID()))).toMatchObject({ code: 'not_found' })
    const deposit = (await alice.transactions()).find(({ transaction_type: type }) => type === 'DEPOSIT')
    expect(await settleCall(loadStatus(deposit!.id))).toMatchObject({ code: 'not_found' })
    expect((await world.database.pool.query('select from transfer where id = $1', [id])).rowCount).toBe(0)
    expect(await cancel(id)).toMatchObject({ code: 'not_found' })
  })

  test('may be refused by a rule', async () => {
    decision = { outcome: 'refuse', code: 'limit_exceeded' }
    const key = randomUUID()
    expect(await settleCall(send('20.00', key))).toMatchObject({ code: 'limit_exceeded' })
    decision = undefined
    expect(await settleCall(send('20.00', key)), 'kept with its key').toMatchObject({ code: 'limit_exceeded' })
    expect(await loadDollars()).toEqual(['100.00', '0.00'])
  })
})

describe('a held send from the wallet', () => {
  test('ends on one connection: its transaction reads everything itself', async () => {
    decision = hold('undo')
    const { transaction_id: id } = await send()
    const { transaction_id: otherId } = await send()
    decision = undefined
    const pool = connect(world.database.applicationUrl, 1)
    const singleConnectionTransfers = createHeldTransfersAt(minutesLater(0), {}, { pool })
    await singleConnectionTransfers.cancel({ userId: BigInt(alice.id), id: otherId })
    await singleConnectionTransfers.settleNow({ caller: { ...callerSession, userId: BigInt(alice.id) }, id })
    await pool.end()
    expect(await loadStatus(id)).toMatchObject({ state: 'settled' })
    expect(await loadStatus(otherId)).toMatchObject({ state: 'released', release_reason: 'cancelled' })
  })

  test('may depend on earlier sends of its sender', async () => {
    await send()
    rule = async ({ wallets, now }, db, { transfer: { senderId, recipientId } }) =>
      (await wallets.hasPaid(db, { senderId, recipientId: recipientId!, before: now() })) ? undefined : hold('review')
    expect(await send(), 'somebody known').toMatchObject({ status: 'COMPLETED' })
    const { id } = await world.enroll('carol', 'Germany')
    const body = { ...usd, recipient_id: id, amount: '20.00' }
    const heldSend = await alice.call(sendMoney, { body, idempotencyKey: randomUUID() })
    expect(heldSend, 'somebody new').toMatchObject({ status: 'PENDING' })
  })

  test('makes its recipient known from its arrival, not from its order', async () => {
    const { wallets, heldTransfers, now } = world.app.product
    const { pool } = world.database
    const hasPaidSince = (hoursAgo: number) =>
      wallets.hasPaid(pool, {
        senderId: BigInt(alice.id),
        recipientId: BigInt(bruno.id),
        before: new Date(now().getTime() - hoursAgo * 3_600_000),
      })
    decision = hold('review')
    const { transaction_id: id } = await send()
    await ageSends(pool, { hours: 25, senderId: BigInt(alice.id) })
    await heldTransfers.decideForOperator({ operator: { name: 'Kim', note: 'It is fine.' }, id, decision: 'settle' })
    expect([await hasPaidSince(0), await hasPaidSince(24)]).toEqual([true, false])
    await pool.query(`update transfer set decided_at = decided_at - interval '25 hours' where id = $1`, [id])
    expect(await hasPaidSince(24), 'a day later').toBe(true)
  })

  test('is reserved at its price, listed as pending, and repeated it is the same', async () => {
    decision = hold('review')
    const key = randomUUID()
    const { transaction_id: id, ...heldSend } = await send('20.00', key)
    expect(heldSend).toMatchObject({ status: 'PENDING', transaction: { status: 'PENDING', amount: '20.20' } })
    decision = undefined
    expect(await send('20.00', key)).toEqual({ transaction_id: id, ...heldSend })
    expect(await loadDollars()).toEqual(['79.80', '20.20'])
    expect(await bruno.transactions()).toEqual([])
    expect(await loadStatus(id)).toMatchObject({
      state: 'held',
      hold: { reason: 'review', decided_by: 'operator', at_deadline: 'release' },
      transaction: heldSend.transaction,
    })
    expect(await settleTransferNow(id), 'not for its sender to decide').toMatchObject({ code: 'transfer_not_held' })
    expect(await settleTransferNow(id, bruno)).toMatchObject({ code: 'not_found' })
    expect(await cancel(id, bruno)).toMatchObject({ code: 'not_found' })
    expect(await loadFailedChecks(world)).toEqual([])
    expect(await command()).toEqual([0, expect.stringContaining(`${id}  wallet send  20.20 USD`)])
    expect((await command('--settle', id))[0], 'without a word').toBe(2)
    expect(await command('--settle', id, '--because', 'Known to us.', '--by', 'ops')).toEqual([0, `${id} is settled.`])
    expect((await command('--reject', id, '--because', 'Too late.'))[0]).toBe(2)
    expect(await loadDollars()).toEqual(['79.80', '0.00'])
    expect((await bruno.transactions())[0]).toMatchObject({
      id,
      transaction_type: 'RECEIVE',
      amount: '18.60',
      status: 'COMPLETED',
    })
    expect(await loadStatus(id)).toMatchObject({ state: 'settled', hold: null, transaction: { status: 'COMPLETED' } })
    expect(await send('20.00', key)).toMatchObject({ transaction_id: id, status: 'COMPLETED' })
    const { rows } = await world.database.pool.query('select decided_by, decision_note from transfer where id = $1', [
      id,
    ])
    expect(rows).toEqual([{ decided_by: 'ops', decision_note: 'Known to us.' }])
  })

  test.each([
    ['cancelled', (id: string) => cancel(id)],
    ['rejected', (id: string) => command('--reject', id, '--because', 'Not like them.')],
    ['expired', () => endDueAt(minutesLater(6))],
  ])('is %s: the money is in the wallet again and counts against no limit', async (reason, end) => {
    decision = hold('review')
    const { transaction_id: id } = await send()
    expect(await loadUsedToday()).toBe(2000n)
    await endDueAt(minutesLater(4))
    expect(await loadStatus(id)).toMatchObject({ state: 'held' })
    await end(id)
    expect(await loadDollars()).toEqual(['100.00', '0.00'])
    expect(await loadUsedToday()).toBe(0n)
    expect(await loadStatus(id)).toMatchObject({
      state: 'released',
      release_reason: reason,
      hold: null,
      transaction: { status: 'FAILED' },
    })
    expect(await cancel(id)).toMatchObject(reason === 'cancelled' ? { state: 'released' } : { code: 'not_cancelable' })
    expect(await bruno.transactions()).toEqual([])
  })

  test.each(['undo', 'scheduled'] as const)(
    'for %s settles when its sender confirms, or at its deadline',
    async (reason) => {
      decision = hold(reason)
      const [{ transaction_id: confirmedId }, { transaction_id: laterId }] = [await send('10.00'), await send('20.00')]
      expect((await command('--settle', confirmedId, '--because', 'x'))[0], 'not for operators to decide').toBe(2)
      expect(await settleTransferNow(confirmedId)).toMatchObject({ state: 'settled' })
      await endDueAt(minutesLater(6))
      expect(await loadStatus(laterId)).toMatchObject({ state: 'settled' })
      expect((await bruno.wallet()).fiat_balance).toBe('27.90')
    },
  )

  test('without a recipient expires', async () => {
    decision = hold('undo')
    const { transaction_id: id } = await send()
    const { findParty } = world.app.product.wallets
    const transfersWithoutBruno = createHeldTransfersAt(minutesLater(6), {
      findParty: async (db, userId) => (userId === BigInt(bruno.id) ? undefined : findParty(db, userId)),
    })
    const settlement = transfersWithoutBruno.settleNow({
      caller: { ...callerSession, userId: BigInt(alice.id) },
      id,
    })
    await expect(settlement).rejects.toMatchObject({ code: 'recipient_not_found' })
    await transfersWithoutBruno.endDue()
    expect(await loadStatus(id)).toMatchObject({ state: 'released', release_reason: 'expired' })
  })

  test('takes no more than the balance, and keeps a refusal with its key', async () => {
    decision = hold('review')
    const key = randomUUID()
    expect(await settleCall(send('100.00', key))).toMatchObject({ code: 'insufficient_funds' })
    await world.fund(alice, 10_000)
    expect(await settleCall(send('100.00', key))).toMatchObject({ code: 'insufficient_funds' })
    const outcomes = await Promise.all(Array.from({ length: 12 }, () => settleCall(send('24.00'))))
    expect(outcomes.filter((outcome) => 'transaction_id' in outcome)).toHaveLength(4)
  })

  test('ends once, whichever processes decide concurrently', async () => {
    const { product } = world.app
    const operator = { name: 'ops', note: 'Because.' }
    const endStates: string[] = []
    decision = hold('review')
    // Without other money on hold, a second ending would fail for lack of money and stay undetected.
    await send('20.00')
    for (let round = 0; round < 12; round += 1) {
      decision = hold('review', 0)
      const { transaction_id: id } = await send('1.00')
      await Promise.allSettled([
        product.heldTransfers.decideForOperator({ operator, id, decision: 'settle' }),
        product.heldTransfers.decideForOperator({ operator, id, decision: 'reject' }),
        product.heldTransfers.cancel({ userId: BigInt(alice.id), id }),
        endDueAt(minutesLater(1)),
        endDueAt(minutesLater(1)),
      ])
      endStates.push((await loadStatus(id)).state)
    }
    expect(endStates.filter((state) => state !== 'settled' && state !== 'released')).toEqual([])
    const settledCount = endStates.filter((state) => state === 'settled').length
    expect(await bruno.transactions()).toHaveLength(settledCount)
    expect(await loadDollars()).toEqual([(79.8 - settledCount * 1.01).toFixed(2), '20.20'])
  })
})

test('a held exchange settles at its quote, or is released', async () => {
  decision = hold('scheduled')
  const startExchange = async () => {
    const { quote_id: quoteId } = await alice.call(createQuote, {
      body: { ...usd, target_currency: 'USDT', amount: '20.00', side: 'source' },
    })
    return alice.call(exchangeMoney, { body: { quote_id: quoteId }, idempotencyKey: randomUUID() })
  }
  const [firstExchange, secondExchange] = [await startExchange(), await startExchange()]
  expect(firstExchange.transaction).toMatchObject({ status: 'PENDING', transaction_type: 'EXCHANGE' })
  expect(await loadStatus(firstExchange.transaction_id)).toMatchObject({ kind: 'exchange', state: 'held' })
  expect(await loadDollars()).toEqual(['59.60', '40.40'])
  expect(await loadFailedChecks(world)).toEqual([])
  await settleTransferNow(firstExchange.transaction_id)
  await cancel(secondExchange.transaction_id)
  expect(await loadDollars()).toEqual(['79.80', '0.00'])
  expect((await alice.wallet()).stablecoin_balance).toBe('20.000000')
})

describe('a held send funded by card', () => {
  beforeEach(async () => {
    alice = await world.enroll('alice', 'United States')
    await world.fund(alice, 5000)
  })
  const startPayment = (paymentSource: 'card' | 'wallet_partial', amount: number) =>
    alice.call(directPayment, {
      body: { amount, currency: 'usd', recipientId: String(bruno.id), paymentSource },
      idempotencyKey: randomUUID(),
    })

  test.each([
    ['card', 5000, ['50.00', '0.00'], ['50.00', '50.50']],
    ['wallet_partial', 9000, ['0.00', '50.00'], ['0.00', '90.90']],
  ] as const)(
    'by %s waits once its money has arrived, and settles',
    async (source, amount, balancesBefore, balancesAfter) => {
      decision = hold('review')
      const { payment_id: paymentId, transaction_id: id, redirectUrl } = await startPayment(source, amount)
      decision = undefined
      expect(await loadStatus(id)).toMatchObject({
        id,
        kind: 'funded_send',
        state: 'awaiting_funding',
        hold: { reason: 'review' },
        payment_id: paymentId,
        captured: false,
        redirectUrl,
        transaction: { status: 'PENDING' },
      })
      expect((await loadStatus(paymentId)).id, 'by its payment').toBe(id)
      expect(await loadDollars()).toEqual(balancesBefore)
      expect(await cancel(id), 'its payment can be').toMatchObject({ code: 'not_cancelable' })
      expect(await loadFailedChecks(world)).toEqual([])
      await payCheckout(redirectUrl!)
      await waitForPayment(alice, paymentId, 'completed')
      expect(await loadDollars()).toEqual(balancesAfter)
      expect(await loadStatus(paymentId)).toMatchObject({ state: 'held', captured: true, redirectUrl: null })
      expect(await bruno.transactions()).toEqual([])
      const body = {
        ...usd,
        recipient_id: bruno.id,
        amount: `${amount / 100}.00`,
        payment_source: source,
        payment_id: paymentId,
      }
      expect(await alice.call(sendMoney, { body, idempotencyKey: randomUUID() })).toMatchObject({ status: 'PENDING' })
      expect(await loadFailedChecks(world)).toEqual([])
      expect(await command('--settle', id, '--because', 'Fine.')).toEqual([0, `${id} is settled.`])
      expect(await loadStatus(id)).toMatchObject({ state: 'settled', transaction: { status: 'COMPLETED' } })
      expect(await loadDollars()).toEqual([balancesBefore[0], '0.00'])
      expect((await bruno.transactions())[0]).toMatchObject({ id, transaction_type: 'RECEIVE' })
    },
  )

  test('is invisible to its recipient while it awaits a bank and while it is held', async () => {
    await linkAccount(world, alice)
    decision = hold('review')
    const { payment_id: paymentId, transaction_id: id } = await alice.call(directPayment, {
      body: { amount: 5000, currency: 'usd', recipientId: String(bruno.id), paymentSource: 'bank' },
      idempotencyKey: randomUUID(),
    })
    expect(await loadStatus(id)).toMatchObject({ state: 'awaiting_funding' })
    const loadRecipientView = async () => [await bruno.transactions(), (await bruno.wallet()).pending]
    expect(await loadRecipientView()).toEqual([[], '0.00'])
    await steer(world, paymentId, 'settle')
    await waitForPayment(alice, paymentId, 'completed')
    expect(await loadStatus(id)).toMatchObject({ state: 'held' })
    expect(await loadRecipientView()).toEqual([[], '0.00'])
  })

  test('leaves the money in the wallet when it is cancelled', async () => {
    decision = hold('review')
    const { payment_id: paymentId, transaction_id: id, redirectUrl } = await startPayment('card', 5000)
    await payCheckout(redirectUrl!)
    await waitForPayment(alice, paymentId, 'completed')
    expect(await cancel(id)).toMatchObject({ state: 'released', release_reason: 'cancelled', captured: true })
    expect(await loadDollars()).toEqual(['100.50', '0.00'])
    expect(await alice.transactions()).toMatchObject(
      [
        { transaction_type: 'DEPOSIT', description: 'Payment for a transfer', status: 'COMPLETED' },
        { id, transaction_type: 'SEND', status: 'FAILED' },
        { transaction_type: 'DEPOSIT' },
      ].toSorted(() => 0),
    )
  })

  test('fails with its payment, and late money is a deposit', async () => {
    decision = hold('review')
    const { payment_id: paymentId, transaction_id: id } = await startPayment('card', 5000)
    await alice.call(cancelPayment, { params: { id: paymentId } })
    await steer(world, paymentId, 'settle')
    await expect.poll(loadDollars).toEqual(['100.50', '0.00'])
    expect(await loadStatus(paymentId)).toMatchObject({ state: 'failed' })
    expect((await alice.transactions())[0]).toMatchObject({ transaction_type: 'DEPOSIT', status: 'COMPLETED' })
    expect(await bruno.transactions()).toEqual([])
    expect((await alice.transactions()).map((row) => row.id)).not.toContain(id)
  })

  test('fails with its payment', async () => {
    decision = hold('review')
    const { payment_id: paymentId, transaction_id: id } = await startPayment('wallet_partial', 9000)
    await alice.call(cancelPayment, { params: { id: paymentId } })
    expect(await alice.call(paymentStatus, { params: { id: paymentId } })).toMatchObject({ status: 'failed' })
    expect(await loadStatus(id)).toMatchObject({ state: 'failed', hold: null, reason: 'The payment was canceled.' })
    expect(await loadDollars()).toEqual(['50.00', '0.00'])
  })
})

describe('a held withdrawal', () => {
  async function startWithdrawal() {
    decision = hold('review')
    const bankAccountId = await linkAccount(world, alice)
    return alice.call(withdraw, {
      body: { amount: '40.00', currency: 'USD', bankAccountId },
      idempotencyKey: randomUUID(),
    })
  }
  const loadJobs = async (payoutId: string) =>
    (await world.database.pool.query('select from graphile_worker.jobs where key = $1', [payoutId])).rowCount

  test('is ordered when it is approved, and not before', async () => {
    const { payout_id: payoutId, transaction_id: id, status } = await startWithdrawal()
    expect(status).toBe('pending')
    expect(await loadStatus(payoutId)).toMatchObject({ id, kind: 'payout', state: 'held', hold: { reason: 'review' } })
    await world.app.product.payments.checkPendingPayouts(minutesLater(10))
    await world.app.product.payments.submitPayout(payoutId)
    const { rows } = await world.database.pool.query('select provider_payout_id from payout where id = $1', [payoutId])
    expect(rows).toEqual([{ provider_payout_id: null }])
    expect(await loadJobs(payoutId)).toBe(0)
    expect(await loadDollars()).toEqual(['60.00', '40.00'])
    expect(await loadFailedChecks(world)).toEqual([])
    await command('--settle', id, '--because', 'Fine.')
    expect(await loadJobs(payoutId)).toBe(1)
    expect(await loadStatus(id)).toMatchObject({ state: 'processing', payment_id: payoutId, hold: null })
    expect(await loadFailedChecks(world)).toEqual([])
    await world.app.product.payments.submitPayout(payoutId)
    await reportPayout(world, payoutId, 'paid')
    await expect.poll(() => loadStatus(id)).toMatchObject({ state: 'settled', transaction: { status: 'COMPLETED' } })
    expect(await loadDollars()).toEqual(['60.00', '0.00'])
    expect(await loadFailedChecks(world)).toEqual([])
    await reportPayout(world, payoutId, 'returned')
    await expect.poll(() => loadStatus(id)).toMatchObject({ state: 'failed' })
  })

  test('is never ordered when it is cancelled', async () => {
    const { payout_id: payoutId, transaction_id: id } = await startWithdrawal()
    expect(await cancel(id)).toMatchObject({ state: 'released', reason: 'You canceled the withdrawal.' })
    expect([await loadDollars(), await loadUsedToday(), await loadJobs(payoutId)]).toEqual([['100.00', '0.00'], 0n, 0])
    await world.app.product.payments.submitPayout(payoutId)
    expect(await loadStatus(payoutId)).toMatchObject({ state: 'released', transaction: { status: 'FAILED' } })
  })
})
