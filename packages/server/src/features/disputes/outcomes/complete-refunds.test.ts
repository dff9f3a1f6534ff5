import { randomUUID } from 'node:crypto'
import { createQuote, exchangeMoney } from '@tern/contract/exchange'
import { readDispute, withdrawDispute } from '@tern/contract/disputes/disputes'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { findBrokenRules } from '@tern/testkit/books/find-broken-rules'
import { decideAsOperator, dispute, expireDeadlines, payOnce, sendTo, withdrawToBank } from '@tern/testkit/disputes'
import type { TestPerson } from '@tern/testkit/app'
import { loadFailedChecks, settleCall, steerPayout, loadStoredPayout } from '@tern/testkit/banking'
import { startTestDesk } from '@tern/testkit/desk'
import { auditRules as disputeRules } from '../audit-rules.ts'

let alice: TestPerson

const desk = await startTestDesk({ unconfirmedPayments: 'any' })
const query = async <R>(sql: string, ...values: unknown[]) =>
  (await desk.world.database.pool.query(sql, values)).rows as R[]
// Withdrawals of money from cards cost 2.5 %.
await query('update withdrawal_cost_policy set basis_points = 250')
const ana = await desk.createOperator('payments')
const ben = await desk.createOperator('payments')
const bruno = await desk.world.enroll('bruno', 'United States')
afterAll(async () => {
  expect(await loadFailedChecks(desk.world)).toEqual([])
  await desk.world.close()
})
beforeEach(async () => {
  alice = await desk.world.enroll('alice', 'United States')
  await desk.world.fund(alice, 20_000)
})

const loadDispute = (id: string) => alice.call(readDispute, { params: { id } })
const loadBalance = async (person = alice) => (await person.wallet()).fiat_balance
const uphold = async (id: string, operator = ana) => (await decideAsOperator(desk, operator, id, 'uphold')).body
const loadStatus = async (payoutId: string) => (await loadStoredPayout(desk.world, payoutId)).status
const waitForPayoutStatus = (payoutId: string, status: string) =>
  expect.poll(() => loadStatus(payoutId), { timeout: 120_000 }).toBe(status)

/** Returns a function that returns the changes of our losses and fee income, in cents, since its last call. */
function watchSystemAccounts() {
  const loadBalances = async () =>
    query<{ name: string; balance: bigint }>(
      `select kind as name, sum(balance) as balance from ledger.account where kind in ('loss', 'fee') and currency = 'USD' group by 1`,
    )
  let balancesBefore: Record<string, bigint> = {}
  return async () => {
    const balancesNow = Object.fromEntries((await loadBalances()).map((row) => [row.name, row.balance]))
    const change = (name: string) => (balancesNow[name] ?? 0n) - (balancesBefore[name] ?? 0n)
    const changes = { loss: change('loss'), fee: change('fee') }
    balancesBefore = balancesNow
    return changes
  }
}

/** Withdraws 80 dollars of money from a card to a bank; the fee is 2 dollars. */
async function createPayout(person = alice) {
  const { id: payoutId, transactionId } = await withdrawToBank(desk, person, '80.00', 'harbour')
  await steerPayout(desk.world, payoutId, 'pay')
  await waitForPayoutStatus(payoutId, 'completed')
  return { payoutId, transactionId }
}

/** Opens a dispute and posts its provisional credit at once. */
async function creditImmediately(transactionId: string, person = alice): Promise<string> {
  const { id } = await dispute(person, transactionId)
  await expireDeadlines(desk, id, ['credit_by'])
  await desk.world.app.product.disputes.runDue()
  return id
}

const loadPostings = (transactionId: string) =>
  query<{ kind: string; minor: bigint; fee: bigint }>(
    `select p.kind, p.amount_minor as minor, p.fee_minor as fee from dispute_posting p join dispute d on d.id = p.dispute_id
      where d.transaction_id = $1 order by d.opened_at, p.at, p.kind`,
    transactionId,
  )

describe('a refund is complete', () => {
  test.each(['unauthorized', 'not_received'] as const)('for a withdrawal, %s: amount and fee', async (kind) => {
    const readChanges = watchSystemAccounts()
    const { transactionId } = await createPayout()
    expect(await loadBalance()).toBe('118.00')
    await readChanges()
    const openedDispute = await dispute(alice, transactionId, kind)
    expect(openedDispute.claimed).toEqual({ amount: '82.00', fee: '2.00', currency: 'USD' })
    await uphold(openedDispute.id)
    expect(await loadBalance()).toBe('200.00')
    expect(await readChanges()).toEqual({ loss: -8000n, fee: -200n })
    expect(await loadDispute(openedDispute.id)).toMatchObject({
      outcome: 'credited',
      credits: [{ kind: 'final', amount: '82.00', fee: '2.00' }],
    })
  })

  test('for a withdrawal of a wrong amount: the difference, and the same share of the fee', async () => {
    const { transactionId } = await createPayout()
    const openDispute = (side: 'paid' | 'arrived', amount: string) =>
      dispute(alice, transactionId, 'wrong_amount', { expected_side: side, expected_amount: amount })
    const arrivalDispute = await openDispute('arrived', '100.00')
    expect(arrivalDispute.claimed).toEqual({ amount: '20.50', fee: '0.50', currency: 'USD' })
    await alice.call(withdrawDispute, { params: { id: arrivalDispute.id } })
    const paidDispute = await openDispute('paid', '41.00')
    expect(paidDispute.claimed).toEqual({ amount: '41.00', fee: '1.00', currency: 'USD' })
    await uphold(paidDispute.id)
    expect(await loadBalance()).toBe('159.00')
  })

  test('for an unauthorized exchange: its fee, since the money is still its owner’s', async () => {
    const quoteBody = { source_currency: 'USD', target_currency: 'USDT', amount: '50.00', side: 'source' } as const
    const { quote_id: quoteId } = await alice.call(createQuote, { body: quoteBody })
    const exchange = await alice.call(exchangeMoney, { body: { quote_id: quoteId }, idempotencyKey: randomUUID() })
    const balanceBefore = await loadBalance()
    const { id, claimed } = await dispute(alice, exchange.transaction.id)
    expect(claimed).toEqual({ amount: '0.50', fee: '0.50', currency: 'USD' })
    await uphold(id)
    expect([balanceBefore, await loadBalance()]).toEqual(['149.50', '150.00'])
  })

  test('and its reversal returns to our losses first, then to our fee income', async () => {
    const readChanges = watchSystemAccounts()
    const { transactionId } = await createPayout()
    const payoutDisputeId = await creditImmediately(transactionId)
    await readChanges()
    await decideAsOperator(desk, ana, payoutDisputeId, 'dismiss')
    expect(await readChanges()).toEqual({ loss: 8000n, fee: 200n })
    expect(await loadBalance()).toBe('118.00')
    const sendId = await sendTo(alice, bruno, '50.00')
    const sendDisputeId = await creditImmediately(sendId)
    // The credit restored the balance to 118.00; this send and its fee of 0.34 leave 50.16 of the 50.25 credited.
    await sendTo(alice, bruno, '67.50')
    const remainingBalance = await loadBalance()
    await readChanges()
    await decideAsOperator(desk, ana, sendDisputeId, 'dismiss')
    expect(remainingBalance).toBe('50.16')
    expect(await readChanges()).toEqual({ loss: 5000n, fee: 16n })
    expect(await loadBalance()).toBe('0.00')
  })
})

describe('refunds and bank returns together', () => {
  /** Closes the loss as an operator: an open loss blocks the account and further credits. */
  async function writeOffMissingCredit(disputeId: string) {
    const exceptionSql = `select id from reconciliation_exception where reference = $1 and closed_at is null`
    for (const { id } of await query<{ id: string }>(exceptionSql, disputeId)) {
      expect(await desk.world.app.product.payments.exceptions.close(id, 'Not worth asking for.')).toBe(true)
    }
  }

  /** Disputes one withdrawal twice: 27.00 of the first credit of 82.00 were spent, so the second credits 55.00. */
  async function openTwoDisputes(person = alice) {
    await payOnce(desk, person, bruno)
    const { payoutId, transactionId } = await createPayout(person)
    const first = await creditImmediately(transactionId, person)
    expect(await loadBalance(person)).toBe('200.00')
    await sendTo(person, bruno, '144.28')
    expect(await loadBalance(person)).toBe('55.00')
    await person.call(withdrawDispute, { params: { id: first } })
    expect(await loadBalance(person)).toBe('0.00')
    await writeOffMissingCredit(first)
    return { payoutId, transactionId, first, second: await creditImmediately(transactionId, person) }
  }

  test('a return recovers the credit of every dispute, and dismissal reverses none twice', async () => {
    const readChanges = watchSystemAccounts()
    const { payoutId, transactionId, second } = await openTwoDisputes()
    expect(await loadBalance()).toBe('55.00')
    await readChanges()
    await steerPayout(desk.world, payoutId, 'return')
    await waitForPayoutStatus(payoutId, 'returned')
    expect(await loadPostings(transactionId)).toEqual([
      { kind: 'provisional', minor: 8200n, fee: 200n },
      { kind: 'taken_back', minor: 5500n, fee: 0n },
      { kind: 'recovered', minor: 2700n, fee: 200n },
      { kind: 'provisional', minor: 5500n, fee: 0n },
      { kind: 'recovered', minor: 5500n, fee: 0n },
    ])
    expect(await readChanges()).toEqual({ loss: 8000n, fee: 0n })
    expect(await loadBalance(), 'she had all of it').toBe('55.00')
    await decideAsOperator(desk, ana, second, 'dismiss')
    expect([await readChanges(), await loadBalance()]).toEqual([{ loss: 0n, fee: 0n }, '55.00'])
    expect(await loadDispute(second)).toMatchObject({
      credits: [{ kind: 'provisional', amount: '55.00', fee: '0.00' }],
    })
  })

  test('a bank return after a provisional credit is not refunded again by the decision', async () => {
    const { payoutId, transactionId } = await createPayout()
    const id = await creditImmediately(transactionId)
    await steerPayout(desk.world, payoutId, 'return')
    await waitForPayoutStatus(payoutId, 'returned')
    await uphold(id)
    expect(await loadBalance()).toBe('200.00')
    expect(await loadDispute(id)).toMatchObject({ state: 'upheld', outcome: 'already_back' })
  })

  test('a return after a partial refund credits the rest to the wallet', async () => {
    const { payoutId, transactionId } = await createPayout()
    const partialClaim = { expected_side: 'arrived', expected_amount: '100.00' } as const
    await uphold((await dispute(alice, transactionId, 'wrong_amount', partialClaim)).id)
    expect(await loadBalance()).toBe('138.50')
    await steerPayout(desk.world, payoutId, 'return')
    await waitForPayoutStatus(payoutId, 'returned')
    expect(await loadBalance()).toBe('200.00')
  })

  test('concurrent operators, clock, owner and bank: the money is returned once', async () => {
    const { runDue } = desk.world.app.product.disputes
    for (let round = 0; round < 4; round += 1) {
      const carol = await desk.world.enroll('carol', 'United States')
      await desk.world.fund(carol, 20_000)
      const { payoutId, transactionId } = await createPayout(carol)
      const { id } = await dispute(carol, transactionId)
      await expireDeadlines(desk, id, ['credit_by'])
      await Promise.all([
        ...[
          decideAsOperator(desk, ana, id, 'uphold'),
          decideAsOperator(desk, ben, id, round % 2 === 0 ? 'uphold' : 'dismiss'),
        ],
        ...[runDue(), steerPayout(desk.world, payoutId, 'return')],
        ...(round > 1 ? [settleCall(carol.call(withdrawDispute, { params: { id } }))] : []),
      ])
      await waitForPayoutStatus(payoutId, 'returned')
      await runDue()
      expect(await loadBalance(carol), `round ${round}`).toBe('200.00')
    }
  })

  test('the database refuses a credit beyond the paid amount', async () => {
    const { transactionId } = await createPayout()
    const { id } = await dispute(alice, transactionId)
    await uphold(id)
    const insertPosting = (kind: string, minor: number, fee: number) =>
      query(
        `insert into dispute_posting (posting_id, dispute_id, kind, transaction_id, amount_minor, fee_minor, currency, at)
         values (gen_random_uuid(), $1, $2, case when $2 <> 'recovered' then gen_random_uuid() end, $3, $4, 'USD', now())`,
        ...[id, kind, minor, fee],
      )
    await expect(insertPosting('provisional', 1, 0)).rejects.toThrow('would be given back 8201 of 8200')
    await expect(insertPosting('recovered', 8201, 200)).rejects.toThrow('and 8201 of it recovered')
    await expect(insertPosting('taken_back', 8200, 201)).rejects.toThrow('would be given back')
    await expect(insertPosting('provisional', 1, 2)).rejects.toThrow('dispute_posting_fee')
  })

  test('the database refuses to return a refunded amount to the wallet, and to refund a returned one', async () => {
    const { payoutId, transactionId } = await createPayout()
    const { id } = await dispute(alice, transactionId)
    await steerPayout(desk.world, payoutId, 'return')
    await waitForPayoutStatus(payoutId, 'returned')
    const creditSql = `insert into dispute_posting (posting_id, dispute_id, kind, transaction_id, amount_minor, currency, at)
      values (gen_random_uuid(), '${id}', 'final', gen_random_uuid(), 1, 'USD', now())`
    await expect(query(creditSql)).rejects.toThrow('would be given back 8201 of 8200')
    const reinsertReturnSql = `create temp table line on commit drop as select * from settlement_line where reference = '${payoutId}' and kind = 'payout_return';
      set local session_replication_role = replica;
      ${creditSql}; delete from settlement_line where id in (select id from line);
      set local session_replication_role = origin;
      insert into settlement_line select * from line`
    await expect(query(`begin; ${reinsertReturnSql}; commit`)).rejects.toThrow('would be given back 8201 of 8200')
    await query('rollback')
  })

  test.each<readonly [what: string, damage: string, rule: string, found: string]>([
    [
      'a second recovery of one return',
      `update dispute_posting set amount_minor = amount_minor + 1 where kind = 'recovered' and amount_minor = 5500`,
      'what disputes recovered was returned by the bank, once',
      'of it recovered as 8001',
    ],
    [
      'a recovery that no bank returned',
      `update settlement_line set kind = 'payout' where kind = 'payout_return'`,
      'what disputes recovered was returned by the bank, once',
      'that no bank returned',
    ],
    [
      'a fee that came back more often than it was paid',
      `update dispute_posting set fee_minor = fee_minor + 1 where kind = 'final' and fee_minor = 200`,
      'a disputed transaction is given back once',
      'of that 201 of 200 as fee',
    ],
    [
      'a return that nothing was recovered of',
      `delete from dispute_posting where kind = 'recovered'; update ledger.entry e set amount = amount + 8200
         from settlement_line l, ledger.account a where l.kind = 'payout_return' and e.posting_id = l.posting_id and a.id = e.account_id
          and a.kind = 'wallet'`,
      'a disputed transaction is given back once',
      'was given back',
    ],
  ])('the audit finds %s', async (_, damageSql, rule, expectedText) => {
    const { payoutId } = await openTwoDisputes()
    await steerPayout(desk.world, payoutId, 'return')
    await waitForPayoutStatus(payoutId, 'returned')
    const brokenRules = await findBrokenRules(
      desk.world.database.url,
      disputeRules,
      `set local session_replication_role = replica; ${damageSql}`,
    )
    expect(brokenRules[rule]).toContain(expectedText)
  })
})
