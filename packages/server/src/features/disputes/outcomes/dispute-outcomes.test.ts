import { randomUUID } from 'node:crypto'
import { createQuote, exchangeMoney } from '@tern/contract/exchange'
import { readDispute, withdrawDispute } from '@tern/contract/disputes/disputes'
import { deposit, directPayment } from '@tern/contract/payments'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { TestPerson } from '@tern/testkit/app'
import { loadFailedChecks, settleCall, steerPayout, loadStoredPayout } from '@tern/testkit/banking'
import { startTestDesk, type TestDesk, type TestOperator } from '@tern/testkit/desk'
import { linkAccount, steer, loadStoredPayment, waitForPayment } from '@tern/testkit/payments'
import { payCheckout } from '@tern/testkit/people'
import { decideAsOperator, dispute, expireDeadlines, payOnce, sendTo, withdrawToBank } from '@tern/testkit/disputes'
import { transact } from '../../../platform/database/db.ts'
import { lockDispute } from '../records/dispute-rows.ts'

let desk: TestDesk
let ana: TestOperator
let ben: TestOperator
let alice: TestPerson
let bruno: TestPerson

beforeAll(async () => {
  desk = await startTestDesk({ unconfirmedPayments: 'any' })
  ana = await desk.createOperator('payments')
  ben = await desk.createOperator('payments')
})
afterAll(async () => {
  expect(await loadFailedChecks(desk.world)).toEqual([])
  await desk.world.close()
})
beforeEach(async () => {
  alice = await desk.world.enroll('alice', 'United States')
  bruno = await desk.world.enroll('bruno', 'United States')
})

const loadDispute = (id: string) => alice.call(readDispute, { params: { id } })
const loadBalance = async (person = alice) => (await person.wallet()).fiat_balance
const loadLoss = async (): Promise<bigint> => {
  const { rows } = await desk.world.database.pool.query<{ lost: bigint }>(
    `select -coalesce(sum(balance), 0) as lost from ledger.account where name = 'loss:USD'`,
  )
  return rows[0]!.lost
}
const uphold = async (id: string, operator = ana) => (await decideAsOperator(desk, operator, id, 'uphold')).body

test('an unauthorized send is refunded with its fee from our losses, and its recipient keeps the money', async () => {
  await desk.world.fund(alice, 20_000)
  const lossBefore = await loadLoss()
  const sendId = await sendTo(alice, bruno, '100.00')
  const [senderBalance, recipientBalance] = [await loadBalance(), await loadBalance(bruno)]
  const { id } = await dispute(alice, sendId)
  expect(await uphold(id)).toEqual({ outcome: 'carried_out', verdict: 'uphold' })
  expect([senderBalance, await loadBalance(), await loadBalance(bruno)]).toEqual(['99.50', '200.00', recipientBalance])
  expect((await loadLoss()) - lossBefore).toBe(10_000n)
  const transactions = await alice.transactions()
  expect(transactions[0]).toMatchObject({
    transaction_type: 'DEPOSIT',
    amount: '100.50',
    description: 'Refund after your dispute',
  })
  expect(await loadDispute(id)).toMatchObject({
    credits: [{ kind: 'final', amount: '100.50', fee: '0.50', transaction_id: transactions[0]!.id }],
  })
  expect((await decideAsOperator(desk, ben, id, 'uphold')).status).toBe(404)
})

test('disputes above 1,000 dollars need two operators', async () => {
  await desk.world.fund(alice, 300_000)
  const sendId = await sendTo(alice, bruno, '1500.00')
  const balanceBefore = await loadBalance()
  const { id } = await dispute(alice, sendId)
  expect(await uphold(id, ana)).toEqual({ outcome: 'proposed', verdict: null })
  expect(await loadBalance()).toBe(balanceBefore)
  expect(await uphold(id, ana)).toMatchObject({ code: 'desk_decided_already' })
  expect(await uphold(id, ben)).toEqual({ outcome: 'carried_out', verdict: 'uphold' })
  expect(await loadBalance()).toBe('3000.00')
})

test('a wrong amount refunds the difference', async () => {
  await desk.world.fund(alice, 20_000)
  const sendId = await sendTo(alice, bruno, '100.00')
  const { id } = await dispute(alice, sendId, 'wrong_amount', { expected_side: 'paid', expected_amount: '90.00' })
  await uphold(id)
  expect(await loadBalance()).toBe('110.00')
})

test('the missing amount of an exchange is credited in its currency', async () => {
  await desk.world.fund(alice, 20_000)
  const quoteBody = { source_currency: 'USD', target_currency: 'USDT', amount: '50.00', side: 'source' } as const
  const { quote_id: quoteId } = await alice.call(createQuote, { body: quoteBody })
  const { transaction } = await alice.call(exchangeMoney, { body: { quote_id: quoteId }, idempotencyKey: randomUUID() })
  expect(await settleCall(dispute(alice, transaction.id, 'not_received'))).toMatchObject({
    code: 'dispute_not_possible',
  })
  const expected = (Number(transaction.target_amount) + 1).toFixed(6)
  const { id } = await dispute(alice, transaction.id, 'wrong_amount', {
    expected_side: 'arrived',
    expected_amount: expected,
  })
  const balanceBefore = Number((await alice.wallet()).stablecoin_balance)
  await uphold(id)
  expect(Number((await alice.wallet()).stablecoin_balance) - balanceBefore).toBeCloseTo(1, 6)
})

test('a withdrawal that never arrived cannot be decided while pending, and is returned once', async () => {
  await desk.world.fund(alice, 20_000)
  const { id: payoutId, transactionId } = await withdrawToBank(desk, alice, '80.00', 'harbour')
  const { id } = await dispute(alice, transactionId, 'not_received')
  expect(await uphold(id)).toMatchObject({ code: 'desk_not_carried_out', cause: 'dispute_undecided' })
  await steerPayout(desk.world, payoutId, 'fail')
  await expect.poll(async () => (await loadStoredPayout(desk.world, payoutId)).status).toBe('failed')
  expect(await uphold(id)).toMatchObject({ outcome: 'carried_out' })
  expect(await loadDispute(id)).toMatchObject({ state: 'upheld', outcome: 'already_back', credits: [] })
  expect(await loadBalance()).toBe('200.00')
})

test('a return by the bank after a refund goes to our losses', async () => {
  await desk.world.fund(alice, 20_000)
  const lossBefore = await loadLoss()
  const { id: payoutId, transactionId } = await withdrawToBank(desk, alice, '80.00', 'harbour')
  await steerPayout(desk.world, payoutId, 'pay')
  await expect.poll(async () => (await loadStoredPayout(desk.world, payoutId)).status).toBe('completed')
  const { id } = await dispute(alice, transactionId, 'not_received')
  await uphold(id)
  expect([await loadBalance(), (await loadLoss()) - lossBefore]).toEqual(['200.00', 8000n])
  await steerPayout(desk.world, payoutId, 'return')
  await expect.poll(async () => (await loadStoredPayout(desk.world, payoutId)).status).toBe('returned')
  expect([await loadBalance(), (await loadLoss()) - lossBefore]).toEqual(['200.00', 0n])
})

test('concurrent return and decision: the money is returned once', async () => {
  for (let round = 0; round < 4; round += 1) {
    const carol = await desk.world.enroll('carol', 'United States')
    await desk.world.fund(carol, 10_000)
    const { id: payoutId, transactionId } = await withdrawToBank(desk, carol, '80.00', 'harbour')
    await steerPayout(desk.world, payoutId, 'pay')
    await expect.poll(async () => (await loadStoredPayout(desk.world, payoutId)).status).toBe('completed')
    const { id } = await dispute(carol, transactionId, 'not_received')
    await Promise.all([decideAsOperator(desk, ana, id, 'uphold'), steerPayout(desk.world, payoutId, 'return')])
    await expect.poll(async () => (await loadStoredPayout(desk.world, payoutId)).status).toBe('returned')
    expect(await loadBalance(carol)).toBe('100.00')
  }
})

test('a bank return during a decision is recorded without a deadlock', async () => {
  await desk.world.fund(alice, 20_000)
  const { transactionId } = await withdrawToBank(desk, alice, '80.00', 'harbour')
  const { id } = await dispute(alice, transactionId, 'not_received')
  const { pool } = desk.world.database
  await transact(pool, async (decisionTx) => {
    await lockDispute(decisionTx, id)
    const bank = await pool.connect()
    try {
      await bank.query(`begin; set local lock_timeout = '1s'`)
      const insertedPosting = await bank.query(
        `insert into dispute_posting (posting_id, dispute_id, kind, amount_minor, currency, at)
         values (gen_random_uuid(), $1, 'recovered', 8000, 'USD', now())`,
        [id],
      )
      expect(insertedPosting.rowCount).toBe(1)
    } finally {
      await bank.query('rollback')
      bank.release()
    }
  })
})

/** Sends an amount in minor units to `bruno` by card, and waits for settlement. */
async function sendByCard(minor: number): Promise<{ paymentId: string; transactionId: string }> {
  const { payment_id: paymentId, redirectUrl } = await alice.call(directPayment, {
    body: { amount: minor, currency: 'usd', recipientId: String(bruno.id), paymentSource: 'card' },
    idempotencyKey: randomUUID(),
  })
  await payCheckout(redirectUrl ?? '')
  await waitForPayment(alice, paymentId, 'completed')
  const { rows } = await desk.world.database.pool.query<{ transaction_id: string }>(
    'select transaction_id from payment where id = $1',
    [paymentId],
  )
  return { paymentId, transactionId: rows[0]!.transaction_id }
}

test('a send by card that was charged back is not refunded again', async () => {
  const { paymentId, transactionId } = await sendByCard(4000)
  await steer(desk.world, paymentId, 'dispute')
  await waitForPayment(alice, paymentId, 'reversed')
  const { id } = await dispute(alice, transactionId)
  await uphold(id)
  expect(await loadDispute(id)).toMatchObject({ state: 'upheld', outcome: 'already_back', credits: [] })
  expect(await loadBalance()).toBe('0.00')
})

test('a chargeback after or during the refund takes the refund', async () => {
  for (const isConcurrent of [false, true]) {
    alice = await desk.world.enroll('alice', 'United States')
    const { paymentId, transactionId } = await sendByCard(4000)
    const { id } = await dispute(alice, transactionId)
    const disputeAtProvider = () => steer(desk.world, paymentId, 'dispute')
    if (isConcurrent) await Promise.all([uphold(id), disputeAtProvider()])
    else {
      await uphold(id)
      expect(await loadBalance()).not.toBe('0.00')
      await disputeAtProvider()
    }
    await waitForPayment(alice, paymentId, 'reversed')
    // The chargeback returned the money to the card, so the refund is reversed.
    expect(await loadBalance()).toBe('0.00')
  }
})

test('a missing deposit is not refunded by us: the provider is polled, and it arrives once', async () => {
  const bankAccountId = await linkAccount(desk.world, alice, { bank: 'harbour' })
  const depositBody = { amount: '50.00', currency: 'USD', method: 'bank', bankAccountId } as const
  const { payment_id: paymentId } = await alice.call(deposit, { body: depositBody, idempotencyKey: randomUUID() })
  const { rows } = await desk.world.database.pool.query<{ id: string }>(
    'select id from transaction where payment_id = $1',
    [paymentId],
  )
  const { id } = await dispute(alice, rows[0]!.id, 'not_received')
  expect(await uphold(id)).toMatchObject({ code: 'desk_not_carried_out' })
  await expireDeadlines(desk, id, ['credit_by'])
  await desk.world.app.product.disputes.runDue()
  expect([await loadBalance(), (await loadDispute(id)).credits]).toEqual(['0.00', []])
  await steer(desk.world, paymentId, 'settle')
  await waitForPayment(alice, paymentId, 'completed')
  await uphold(id)
  expect(await loadDispute(id)).toMatchObject({ state: 'upheld', outcome: 'arrived', credits: [] })
  expect(await loadBalance()).toBe('50.00')
  expect((await loadStoredPayment(desk.world, paymentId)).status).toBe('completed')
})

test('a credit spent before its dispute was withdrawn is not posted again by the next one', async () => {
  await payOnce(desk, alice, bruno)
  await desk.world.fund(alice, 20_000)
  const sendId = await sendTo(alice, bruno, '100.00')
  const { runDue } = desk.world.app.product.disputes
  const creditDispute = async () => {
    const { id } = await dispute(alice, sendId)
    await expireDeadlines(desk, id, ['credit_by'])
    await runDue()
    return id
  }
  const first = await creditDispute()
  expect(await loadBalance()).toBe('200.00')
  await sendTo(alice, bruno, '150.00')
  const balanceKept = await loadBalance()
  expect(Number(balanceKept)).toBeLessThan(100)
  await alice.call(withdrawDispute, { params: { id: first } })
  expect(await loadBalance(), 'what of the credit was left is taken back').toBe('0.00')
  const second = await creditDispute()
  expect(await loadBalance(), 'what is missing stops a credit').toBe('0.00')
  await uphold(second)
  expect(await loadBalance()).toBe(balanceKept)
  expect(await loadDispute(second)).toMatchObject({ state: 'upheld', outcome: 'credited' })
})

test('concurrent operators, processes and clock: the money is refunded once', async () => {
  for (let round = 0; round < 5; round += 1) {
    const carol = await desk.world.enroll('carol', 'United States')
    await desk.world.fund(carol, 20_000)
    const { id } = await dispute(carol, await sendTo(carol, bruno, '100.00'))
    await expireDeadlines(desk, id, ['credit_by'])
    const { runDue } = desk.world.app.product.disputes
    await Promise.all([
      ...[runDue(), runDue()],
      ...[ana, ben, ana, ben].map((operator) => decideAsOperator(desk, operator, id, 'uphold')),
    ])
    expect(await loadBalance(carol)).toBe('200.00')
  }
})
