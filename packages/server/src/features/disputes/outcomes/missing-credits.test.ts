import { currentUser } from '@tern/contract/identity'
import { objectToDispute, readDispute, withdrawDispute } from '@tern/contract/disputes/disputes'
import { openLosses, payLoss } from '@tern/contract/payments/losses'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { decideAsOperator, dispute, expireDeadlines, payOnce, sendTo, withdrawToBank } from '@tern/testkit/disputes'
import type { TestPerson } from '@tern/testkit/app'
import { loadFailedChecks, nextMail, settleCall, steerPayout, loadStoredPayout } from '@tern/testkit/banking'
import { startTestDesk } from '@tern/testkit/desk'

let alice: TestPerson

const desk = await startTestDesk({ unconfirmedPayments: 'any' })
const ana = await desk.createOperator('payments')
const ben = await desk.createOperator('payments')
const bruno = await desk.world.enroll('bruno', 'United States')
afterAll(async () => {
  expect(await loadFailedChecks(desk.world)).toEqual([])
  await desk.world.close()
})
beforeEach(async () => {
  alice = await desk.world.enroll('alice', 'United States')
  await payOnce(desk, alice, bruno)
  await desk.world.fund(alice, 20_000)
})

const loadBalance = async (person = alice) => (await person.wallet()).fiat_balance
const loadLosses = async () => (await alice.call(openLosses, {})).losses
const hasOpenLoss = async () => (await alice.call(currentUser, {})).has_open_loss
const repayLoss = (id: string, expected: string, payer = alice) =>
  settleCall(payer.call(payLoss, { params: { id }, body: { expected_total: expected } }))
const loadDispute = (id: string) => alice.call(readDispute, { params: { id } })
const send = (amount: string) => settleCall(sendTo(alice, bruno, amount))

/** Returns the balances of our losses and our fee income, in cents. */
async function loadTotals() {
  const { rows } = await desk.world.database.pool.query<{ loss: bigint; fee: bigint }>(
    `select coalesce(sum(balance) filter (where kind = 'loss'), 0) as loss, coalesce(sum(balance) filter (where kind = 'fee'), 0) as fee
       from ledger.account where currency = 'USD'`,
  )
  return rows[0]!
}

/** Opens a dispute and posts its due credit. */
async function creditTransaction(transactionId: string): Promise<string> {
  const { id } = await dispute(alice, transactionId)
  await expireDeadlines(desk, id, ['credit_by'])
  await desk.world.app.product.disputes.runDue()
  return id
}

/** Credits 100.50 and spends 180.90 of the 200.00 in the wallet, so that 81.40 could not be reversed. */
async function spendCredit(): Promise<string> {
  const id = await creditTransaction(await sendTo(alice, bruno, '100.00'))
  expect(await loadBalance()).toBe('200.00')
  await sendTo(alice, bruno, '180.00')
  expect(await loadBalance()).toBe('19.10')
  return id
}

/** Keeps the transaction of a verdict open with all its locks while other work begins. */
async function decideConcurrently(id: string, verdict: 'uphold' | 'dismiss', actConcurrently: () => Promise<unknown>) {
  const { pool } = desk.world.database
  const waitUntilBlocked = (count: bigint) =>
    expect
      .poll(
        async () =>
          (
            await pool.query<{ count: bigint }>(
              `select count(*) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
            )
          ).rows[0]?.count,
        { interval: 20 },
      )
      .toBe(count)
  const client = await pool.connect()
  await client.query('begin')
  try {
    await client.query('select from dispute_review where dispute_id = $1 and closed_at is null for update', [id])
    const decision = settleCall(desk.world.app.product.disputes.operators.decide(id, verdict))
    await waitUntilBlocked(1n)
    const concurrentResult = settleCall(actConcurrently())
    await waitUntilBlocked(2n)
    await client.query('rollback')
    return await Promise.all([decision, concurrentResult])
  } finally {
    client.release()
  }
}

describe('a spent credit of a lost dispute', () => {
  test('stops the account until its holder has repaid our losses and fee income', async () => {
    const totalsBefore = await loadTotals()
    const id = await spendCredit()
    const sendFee = 90n
    expect((await decideAsOperator(desk, ana, id, 'dismiss')).body).toMatchObject({ outcome: 'carried_out' })
    expect(await loadLosses()).toMatchObject([{ dispute_id: id, payment_id: null, amount: '81.40', currency: 'USD' }])
    expect([await loadBalance(), await hasOpenLoss()]).toEqual(['0.00', true])
    expect(await nextMail(desk.world, alice, "We can't refund this payment")).toMatch(
      /nothing can leave your wallet[\s\S]*\$81\.40[\s\S]*settings#missing-money/,
    )
    await desk.world.fund(alice, 10_000)
    expect(await send('1.00')).toMatchObject({ code: 'loss_open' })
    expect(await repayLoss(id, '80.00')).toMatchObject({ code: 'price_changed' })
    expect(await repayLoss(id, '81.40', bruno)).toMatchObject({ losses: [] })
    expect(await repayLoss(id, '81.40')).toEqual({ losses: [] })
    expect([await loadBalance(), await hasOpenLoss()]).toEqual(['18.60', false])
    const totalsAfter = await loadTotals()
    expect([totalsAfter.loss - totalsBefore.loss, totalsAfter.fee - totalsBefore.fee]).toEqual([0n, 50n + sendFee])
    expect((await loadDispute(id)).credits.map(({ kind, amount, fee }) => [kind, amount, fee])).toEqual([
      ['provisional', '100.50', '0.50'],
      ['taken_back', '19.10', '0.00'],
      ['repaid', '81.40', '0.50'],
    ])
    expect(await send('1.00')).toEqual(expect.any(String))
    expect(await loadFailedChecks(desk.world)).toEqual([])
  })

  test('opens a loss on withdrawal, without an event of a reversal', async () => {
    const id = await creditTransaction(await sendTo(alice, bruno, '100.00'))
    await sendTo(alice, bruno, '199.00')
    expect(await loadBalance()).toBe('0.00')
    await alice.call(withdrawDispute, { params: { id } })
    const { events } = await loadDispute(id)
    expect(events.map(({ code }) => code)).toEqual(['opened', 'credited_provisionally', 'withdrawn'])
    expect(await loadLosses()).toMatchObject([{ dispute_id: id, amount: '100.50' }])
    expect(await loadFailedChecks(desk.world)).toEqual([])
  })

  test('is owed once when an objection is dismissed, and not at all when it is upheld', async () => {
    const id = await spendCredit()
    await decideAsOperator(desk, ana, id, 'dismiss')
    await alice.call(objectToDispute, { params: { id }, body: { text: 'I was asleep.' } })
    await desk.world.fund(alice, 5_000)
    await decideAsOperator(desk, ben, id, 'dismiss')
    expect([await loadBalance(), (await loadLosses())[0]?.amount]).toEqual(['50.00', '81.40'])

    const otherPerson = await desk.world.enroll('alice', 'United States')
    alice = otherPerson
    await payOnce(desk, alice, bruno)
    await desk.world.fund(alice, 20_000)
    const second = await spendCredit()
    await decideAsOperator(desk, ana, second, 'dismiss')
    await alice.call(objectToDispute, { params: { id: second }, body: { text: 'I was asleep.' } })
    expect((await decideAsOperator(desk, ben, second, 'uphold')).body).toMatchObject({ outcome: 'carried_out' })
    expect([await loadLosses(), await loadBalance(), await hasOpenLoss()]).toEqual([[], '19.10', false])
    expect(await loadFailedChecks(desk.world)).toEqual([])
  })

  test('is refunded whole when it was repaid and then upheld', async () => {
    const id = await spendCredit()
    await decideAsOperator(desk, ana, id, 'dismiss')
    await alice.call(objectToDispute, { params: { id }, body: { text: 'I was asleep.' } })
    await desk.world.fund(alice, 10_000)
    expect(await loadLosses()).toHaveLength(1)
    expect(await repayLoss(id, '81.40')).toEqual({ losses: [] })
    await decideAsOperator(desk, ben, id, 'uphold')
    expect(await loadBalance()).toBe('119.10')
    expect(await loadFailedChecks(desk.world)).toEqual([])
  })

  test('is recovered when the bank returns the payout', async () => {
    const { id: payoutId, transactionId } = await withdrawToBank(desk, alice, '80.00', 'harbour')
    await steerPayout(desk.world, payoutId, 'pay')
    await expect
      .poll(async () => (await loadStoredPayout(desk.world, payoutId)).status, { timeout: 120_000 })
      .toBe('completed')
    const id = await creditTransaction(transactionId)
    const balanceBefore = await loadBalance()
    await sendTo(alice, bruno, '150.00')
    await decideAsOperator(desk, ana, id, 'dismiss')
    expect([balanceBefore, (await loadLosses()).length]).toEqual(['200.00', 1])
    const [openLoss] = await loadLosses()
    await steerPayout(desk.world, payoutId, 'return')
    await expect
      .poll(async () => (await loadStoredPayout(desk.world, payoutId)).status, { timeout: 120_000 })
      .toBe('returned')
    expect(openLoss?.dispute_id).toBe(id)
    expect([await loadLosses(), await hasOpenLoss()]).toEqual([[], false])
    expect(await loadFailedChecks(desk.world)).toEqual([])
  })
})

describe('an open loss', () => {
  test('postpones other credits until it is paid, while operators still decide', async () => {
    const [first, second, third] = [
      await sendTo(alice, bruno, '20.00'),
      await sendTo(alice, bruno, '30.00'),
      await sendTo(alice, bruno, '10.00'),
    ]
    const dismissedId = await creditTransaction(first)
    await sendTo(alice, bruno, (Number(await loadBalance()) - 1).toFixed(2))
    await decideAsOperator(desk, ana, dismissedId, 'dismiss')
    expect(await loadBalance()).toBe('0.00')
    const waitingId = await creditTransaction(second)
    const upheldId = await creditTransaction(third)
    // The loss postpones the credit of a frozen account too.
    await desk.world.database.pool.query('update app_user set frozen_at = now() where id = $1', [alice.id])
    await desk.world.app.product.disputes.runDue()
    await desk.world.database.pool.query('update app_user set frozen_at = null where id = $1', [alice.id])
    expect(await loadBalance()).toBe('0.00')
    expect(await loadDispute(waitingId)).toMatchObject({ state: 'open', credits: [] })
    await decideAsOperator(desk, ana, upheldId, 'uphold')
    expect(await loadDispute(upheldId)).toMatchObject({ state: 'upheld', credits: [{ kind: 'final' }] })
    await desk.world.fund(alice, 10_000)
    await repayLoss(dismissedId, (await loadLosses())[0]?.amount ?? '')
    await desk.world.app.product.disputes.runDue()
    expect(await loadDispute(waitingId)).toMatchObject({ state: 'open', credits: [{ kind: 'provisional' }] })
    expect(await loadFailedChecks(desk.world)).toEqual([])
  })

  test('exists for each of two concurrently lost disputes, and both are paid', async () => {
    const sendIds = [await sendTo(alice, bruno, '40.00'), await sendTo(alice, bruno, '40.00')]
    const ids = [await creditTransaction(sendIds[0]!), await creditTransaction(sendIds[1]!)]
    await sendTo(alice, bruno, '190.00')
    const decisions = await Promise.all([
      decideAsOperator(desk, ana, ids[0]!, 'dismiss'),
      decideAsOperator(desk, ben, ids[1]!, 'dismiss'),
    ])
    expect(decisions.map(({ body }) => body)).toMatchObject([{ outcome: 'carried_out' }, { outcome: 'carried_out' }])
    const losses = await loadLosses()
    expect(new Set(losses.map(({ dispute_id: id }) => id))).toEqual(new Set(ids))
    await desk.world.fund(alice, 10_000)
    for (const { dispute_id: id, amount } of losses) {
      expect(await hasOpenLoss()).toBe(true)
      await repayLoss(id!, amount)
    }
    expect(await hasOpenLoss()).toBe(false)
    expect(await loadFailedChecks(desk.world)).toEqual([])
  })

  test('postpones a credit that falls due during the decision', async () => {
    const sendIds = [await sendTo(alice, bruno, '40.00'), await sendTo(alice, bruno, '40.00')]
    const dismissedId = await creditTransaction(sendIds[0]!)
    const { id: dueDisputeId } = await dispute(alice, sendIds[1]!)
    await sendTo(alice, bruno, (Number(await loadBalance()) - 1).toFixed(2))
    await expireDeadlines(desk, dueDisputeId, ['credit_by'])
    await decideConcurrently(dismissedId, 'dismiss', () => desk.world.app.product.disputes.runDue())
    expect([(await loadDispute(dueDisputeId)).credits, (await loadLosses()).length]).toEqual([[], 1])
    expect(await loadFailedChecks(desk.world)).toEqual([])
  })

  test('cannot be paid once a concurrent objection is upheld', async () => {
    const id = await spendCredit()
    await decideAsOperator(desk, ana, id, 'dismiss')
    await alice.call(objectToDispute, { params: { id }, body: { text: 'I was asleep.' } })
    await desk.world.fund(alice, 20_000)
    const [, payOutcome] = await decideConcurrently(id, 'uphold', () => repayLoss(id, '81.40'))
    expect(payOutcome).toEqual({ losses: [] })
    // The refund credits the reversed 19.10 again.
    expect([await loadBalance(), await hasOpenLoss()]).toEqual(['219.10', false])
    expect(await loadFailedChecks(desk.world)).toEqual([])
  })

  test('is paid once by concurrent requests, before or after a decision', async () => {
    const id = await spendCredit()
    await decideAsOperator(desk, ana, id, 'dismiss')
    await alice.call(objectToDispute, { params: { id }, body: { text: 'I was asleep.' } })
    await desk.world.fund(alice, 20_000)
    const lossPayments = Array.from({ length: 5 }, () => repayLoss(id, '81.40'))
    const [decision, ...answers] = await Promise.all([decideAsOperator(desk, ben, id, 'uphold'), ...lossPayments])
    expect(decision.body).toMatchObject({ outcome: 'carried_out' })
    expect(answers).toEqual(answers.map(() => expect.objectContaining({ losses: [] })))
    expect([await loadBalance(), await hasOpenLoss()]).toEqual(['219.10', false])
    expect(await loadFailedChecks(desk.world)).toEqual([])
  })
})
