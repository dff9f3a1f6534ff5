import { randomUUID } from 'node:crypto'
import { payoutStatus, withdraw } from '@tern/contract/banking'
import { deposit, depositByCard, paymentStatus } from '@tern/contract/payments'
import { cardAccount, walletAccount } from '@tern/ledger/chart'
import { money } from '@tern/money/money'
import type { ReportLine } from '@tern/providers/report/port'
import { beforeEach, describe, expect, test } from 'vitest'
import { type TestPerson } from '@tern/testkit/app'
import { loadFailedChecks } from '@tern/testkit/banking'
import { openTestApp } from '@tern/testkit/open-test-app'
import { createTestBooks, type TestBooks } from '@tern/testkit/books/books'
import { linkAccount, findSandbox, steer } from '@tern/testkit/payments'
import { payCheckout } from '@tern/testkit/people'
import { onlyRow } from '../../../platform/database/db.ts'
import { newId } from '../../../platform/ids.ts'
import type { Window } from './periods.ts'
import { openCase, resolveException } from '../records/reconciliation-exceptions.ts'
import { findWallet } from '../../wallets/wallets.ts'

let books: TestBooks
let alice: TestPerson
/** Lines that stay in the provider's books after the test that wrote them. */
const reportLines: ReportLine[] = []

// Provider events are lost: the product notices payments only by polling or reconciliation.
const world = await openTestApp({ events: 'lost' })
beforeEach(async () => {
  alice = await world.enroll('alice', 'United States')
  books = createTestBooks(world)
  books.lines.push(...reportLines)
})

const minuteMs = 60_000
const product = () => world.app.product
const now = () => product().now()

/** Reconciles the sandbox, by default in the default window; `compare` includes the newest movements. */
const reconcile = async (window?: Partial<Window>) => onlyRow(await books.payments.reconcile(window))
const compare = () => reconcile({ until: new Date(now().getTime() + minuteMs) })

/** Pays a card deposit at the sandbox, whose event is lost; returns the payment's id. */
async function payAtSandbox(minor: number): Promise<string> {
  const { payment_id: id, redirectUrl } = await alice.call(depositByCard, {
    body: { amount: minor, currency: 'usd' },
    idempotencyKey: randomUUID(),
  })
  await payCheckout(redirectUrl!)
  return id
}

/** Deposits money that is in both books; returns the ids of the payment and of its movement. */
async function createSettledPayment(minor = 10_000): Promise<{ paymentId: string; lineId: string }> {
  const paymentId = await payAtSandbox(minor)
  await product().payments.check(paymentId)
  const { rows } = await world.database.pool.query<{ id: string }>(
    'select id from settlement_line where reference = $1',
    [paymentId],
  )
  return { paymentId, lineId: rows[0]!.id }
}

/** Orders a withdrawal; it reaches the provider when it is submitted. */
async function orderPayout(amount: string): Promise<string> {
  const bankAccountId = await linkAccount(world, alice)
  const { payout_id: id } = await alice.call(withdraw, {
    body: { amount, currency: 'USD', bankAccountId },
    idempotencyKey: randomUUID(),
  })
  return id
}

/** Makes the sandbox pay or return a payout, even if the product does not know its id there. */
async function steerPayout(payoutId: string, action: string): Promise<void> {
  const headers = { authorization: `Bearer ${world.sandboxSecret}` }
  const { rows } = await world.database.pool.query<{ token: string; amount_minor: bigint }>(
    'select token, amount_minor from payout join bank_account on bank_account.id = bank_account_id where payout.id = $1',
    [payoutId],
  )
  // Repeating the order returns its id.
  const providerPayout = await findSandbox(world).payout.pay({
    payoutId,
    amount: money('USD', rows[0]!.amount_minor),
    accountToken: rows[0]!.token,
    description: 'Withdrawal from Tern',
    idempotencyKey: payoutId,
  })
  if (providerPayout.status !== 'accepted') throw new Error(providerPayout.reason)
  const path = `/api/control/payouts/${providerPayout.providerPayoutId}/${action}`
  const answer = await fetch(`${world.sandboxUrl}${path}`, { method: 'POST', headers })
  if (!answer.ok) throw new Error(await answer.text())
}

const loadState = async (id: string) => (await alice.call(payoutStatus, { params: { id } })).status
const loadStatus = async (id: string) => (await alice.call(paymentStatus, { params: { id } })).status
const loadBalance = async () => (await alice.wallet()).fiat_balance

async function loadCases(subject: string) {
  const { rows } = await world.database.pool.query<{ kind: string; closed: boolean; resolution: string | null }>(
    `select kind, closed_at is not null as closed, resolution from reconciliation_exception where subject = $1 order by opened_at, id`,
    [subject],
  )
  return rows
}

describe('differences between the books', () => {
  test('agreeing ones open no case, and the run reports its counts', async () => {
    await createSettledPayment(12_345)
    const report = await compare()
    expect(report).toMatchObject({ takenIn: 0, unresolved: 0, casesOpened: 0, open: [] })
    expect(report.unknown).toBeUndefined()
    const usd = report.sums.find(({ currency, kind }) => currency === 'USD' && kind === 'capture')
    expect(usd?.here).toBe(usd?.there)
    expect(usd?.here).toBeGreaterThanOrEqual(12_345n)
    const next = await reconcile()
    expect(report.window.until.getTime() - next.window.from.getTime()).toBeGreaterThan(3 * 86_400_000)
    expect(now().getTime() - next.window.until.getTime()).toBeGreaterThanOrEqual(15 * minuteMs)
  })

  test('an extra line at the provider is one case, closed once the line is gone', async () => {
    const line = await books.write({ kind: 'capture', amount: money('USD', 700n), reference: null }, false)
    const knownException = { kind: 'missing_internal', subject: line.id, amount: money('USD', 700n) }
    expect(await compare()).toMatchObject({ casesOpened: 1, open: [knownException] })
    expect(await compare()).toMatchObject({ casesOpened: 0, casesClosed: 0, open: [knownException] })
    books.lines.length = 0
    expect(await compare()).toMatchObject({ casesOpened: 0, casesClosed: 1, open: [] })
    expect(await loadCases(line.id)).toMatchObject([{ closed: true, resolution: 'books_agree' }])
  })

  test('a line that is gone at one provider leaves open a case of another provider about the same id', async () => {
    const amount = money('USD', 700n)
    const { id: subject } = await books.write({ kind: 'capture', amount, reference: null }, false)
    await compare()
    const otherCase = { kind: 'missing_internal', provider: 'other', subject, amount, happenedAt: now() } as const
    await openCase(world.database.pool, { ...otherCase, detail: { code: 'earlier_finding' } }, now())
    books.lines.length = 0
    const { open } = await compare()
    expect(open).toMatchObject([{ provider: 'other', subject }])
    expect(await resolveException(world.database.pool, open[0]!.id, 'A test of another provider.', now())).toBe(true)
  })

  test('a missing line at the provider is one case, closed once the line is there', async () => {
    const { lineId } = await createSettledPayment()
    books.editLines = (lines) => lines.filter(({ id }) => id !== lineId)
    expect(await compare()).toMatchObject({ casesOpened: 1, open: [{ kind: 'missing_external', subject: lineId }] })
    expect(await compare()).toMatchObject({ casesOpened: 0, casesClosed: 0 })
    books.editLines = (lines) => lines
    expect(await compare()).toMatchObject({ casesClosed: 1, open: [] })
  })

  test.each([
    ['amount', { amount: money('USD', 9_999n) }],
    ['currency', { amount: money('EUR', 10_000n) }],
    ['kind', { kind: 'debit' as const }],
  ])('a different %s is one case, closed once it is corrected', async (_case, change) => {
    const { lineId } = await createSettledPayment()
    books.editLines = (lines) => lines.map((line) => (line.id === lineId ? { ...line, ...change } : line))
    expect(await compare()).toMatchObject({ casesOpened: 1, open: [{ kind: 'amount_differs', subject: lineId }] })
    expect(await compare()).toMatchObject({ casesOpened: 0, casesClosed: 0 })
    books.editLines = (lines) => lines
    expect(await compare()).toMatchObject({ casesClosed: 1, open: [] })
  })

  test('a resolved case does not open again, unless its facts change', async () => {
    const line = await books.write({ kind: 'capture', amount: money('USD', 800n), reference: null }, false)
    const [openException] = (await compare()).open
    expect(await resolveException(world.database.pool, openException!.id, 'A test of the provider’s own.', now())).toBe(
      true,
    )
    expect(await resolveException(world.database.pool, openException!.id, 'Once more.', now())).toBe(false)
    expect(await compare()).toMatchObject({ casesOpened: 0, open: [] })
    books.lines[0] = { ...line, amount: money('USD', 801n) }
    expect(await compare()).toMatchObject({ casesOpened: 1 })
    books.lines.length = 0
    expect(await compare()).toMatchObject({ open: [] })
  })
})

describe('the compared window', () => {
  const daysFromNow = (days: number) => new Date(now().getTime() + days * 86_400_000)
  const loadNextStart = async () => (await reconcile()).window.from

  test('a run over later days leaves no gap behind it, and one into the future none ahead', async () => {
    await createSettledPayment()
    await world.database.pool.query('delete from reconciliation_run')
    const { rows } = await world.database.pool.query<{ id: string; created_at: Date }>(
      'select id, created_at from payment where user_id = $1',
      [alice.id],
    )
    const startDate = daysFromNow(-100)
    await world.database.pool.query('update payment set created_at = $2 where id = $1', [rows[0]!.id, startDate])
    await reconcile({ from: daysFromNow(-10), until: daysFromNow(50) })
    const report = await reconcile()
    expect(report.window.from <= startDate).toBe(true)
    // Everything has been compared, so the next window only overlaps the last three days.
    const next = await loadNextStart()
    expect([next > daysFromNow(-4), next < daysFromNow(-3)]).toEqual([true, true])
    await world.database.pool.query('update payment set created_at = $2 where id = $1', [
      rows[0]!.id,
      rows[0]!.created_at,
    ])
  })

  test('does not repeat days of runs that have been deleted', async () => {
    const { paymentId } = await createSettledPayment()
    const { pool } = world.database
    await pool.query('delete from reconciliation_run')
    await pool.query('update payment set created_at = $2 where id = $1', [paymentId, daysFromNow(-1000)])
    // The oldest runs that are kept.
    for (const [fromDays, untilDays] of [
      [-735, -729],
      [-730, -1],
    ] as const) {
      await pool.query(
        `insert into reconciliation_run values (gen_random_uuid(), $1, $2, $3, $3, 0, 0, 0, 0, 0, true)`,
        ['sandbox', daysFromNow(fromDays), daysFromNow(untilDays)],
      )
    }
    expect(await loadNextStart()).toEqual(expect.toSatisfy((from: Date) => from > daysFromNow(-5)))
  })
})

describe('lost events', () => {
  test('a capture is booked', async () => {
    const paymentId = await payAtSandbox(10_000)
    expect(await compare()).toMatchObject({ takenIn: 1, casesOpened: 0, open: [] })
    expect([await loadBalance(), await loadStatus(paymentId)]).toEqual(['100.00', 'completed'])
    expect(await loadFailedChecks(world)).toEqual([])
  })

  test('a movement booked weeks late is found in the provider’s books', async () => {
    const { paymentId, lineId } = await createSettledPayment()
    const daysBefore = (days: number) => new Date(now().getTime() - days * 86_400_000)
    books.editLines = (lines) =>
      lines.map((line) => (line.id === lineId ? { ...line, occurredAt: daysBefore(20) } : line))
    await world.database.pool.query('update payment set created_at = $2 where id = $1', [paymentId, daysBefore(21)])
    const report = await compare()
    expect(report.window.from > daysBefore(20)).toBe(true)
    expect(report).toMatchObject({ casesOpened: 0, open: [] })
  })

  test('a payment, its dispute and the win are booked together, in their order', async () => {
    const paymentId = await payAtSandbox(10_000)
    await steer(world, paymentId, 'dispute')
    await steer(world, paymentId, 'win_dispute')
    // Providers report in any order.
    books.editLines = (lines) => lines.toReversed()
    expect(await compare()).toMatchObject({ takenIn: 3, casesOpened: 0, open: [] })
    expect(await loadBalance()).toBe('100.00')
    expect(await compare()).toMatchObject({ takenIn: 0, open: [] })
    expect(await loadFailedChecks(world)).toEqual([])
  })

  test('a refund is booked', async () => {
    const { paymentId } = await createSettledPayment()
    await steer(world, paymentId, 'refund')
    expect(await compare()).toMatchObject({ takenIn: 1, open: [] })
    expect([await loadBalance(), await loadStatus(paymentId)]).toEqual(['0.00', 'reversed'])
    expect(await loadFailedChecks(world)).toEqual([])
  })

  test('a bank debit and its return are booked', async () => {
    const bankAccountId = await linkAccount(world, alice)
    const { payment_id: paymentId } = await alice.call(deposit, {
      body: { amount: '40.00', currency: 'USD', method: 'bank', bankAccountId },
      idempotencyKey: randomUUID(),
    })
    await steer(world, paymentId, 'settle')
    expect(await compare()).toMatchObject({ takenIn: 1, open: [] })
    expect(await loadBalance()).toBe('40.00')
    await steer(world, paymentId, 'return')
    expect(await compare()).toMatchObject({ takenIn: 1, open: [] })
    expect([await loadBalance(), await loadStatus(paymentId)]).toEqual(['0.00', 'reversed'])
    expect(await loadFailedChecks(world)).toEqual([])
  })

  test('a payout’s arrival and its return are booked', async () => {
    await createSettledPayment()
    const payoutId = await orderPayout('40.00')
    await books.payments.submitPayout(payoutId)
    await steerPayout(payoutId, 'pay')
    expect(await compare()).toMatchObject({ takenIn: 1, open: [] })
    expect([await loadBalance(), await loadState(payoutId)]).toEqual(['60.00', 'completed'])
    await steerPayout(payoutId, 'return')
    expect(await compare()).toMatchObject({ takenIn: 1, open: [] })
    expect([await loadBalance(), await loadState(payoutId)]).toEqual(['100.00', 'returned'])
    const instantPayoutId = await orderPayout('30.00')
    await books.payments.submitPayout(instantPayoutId)
    for (const action of ['pay', 'return']) await steerPayout(instantPayoutId, action)
    expect(await compare()).toMatchObject({ takenIn: 2, open: [] })
    expect([await loadBalance(), await loadState(instantPayoutId)]).toEqual(['100.00', 'returned'])
    expect(await loadFailedChecks(world)).toEqual([])
  })

  test('a payout whose order was lost in transit is booked, and not ordered twice', async () => {
    await createSettledPayment()
    const payoutId = await orderPayout('40.00')
    const { payout } = findSandbox(world)
    const lostAnswerBooks = createTestBooks(world, {
      provider: {
        payout: {
          ...payout,
          async pay(request) {
            await payout.pay(request)
            return { status: 'unknown', reason: 'the answer was lost' }
          },
        },
      },
    })
    await lostAnswerBooks.payments.submitPayout(payoutId)
    const query = `select provider_payout_id as id from payout where id = $1`
    expect((await world.database.pool.query(query, [payoutId])).rows).toEqual([{ id: null }])
    await steerPayout(payoutId, 'pay')
    expect(await compare()).toMatchObject({ takenIn: 1, unresolved: 0, open: [] })
    expect([await loadBalance(), await loadState(payoutId)]).toEqual(['60.00', 'completed'])
    expect(await loadFailedChecks(world)).toEqual([])
  })

  test.each(['pending', 'failed'])(
    'a capture without an answer to its order is booked while it is %s',
    async (status) => {
      const paymentId = await payAtSandbox(2500)
      const forgetSessionSql = 'update payment set session_id = null, redirect_url = null, status = $2 where id = $1'
      await world.database.pool.query(forgetSessionSql, [paymentId, status])
      // Reverses the usage, as a cancellation does.
      const reverseUsageSql = `select reverse_limit_usage(user_id, counted_on, 'card', pulled_usd_minor) from payment where id = $1`
      if (status === 'failed') await world.database.pool.query(reverseUsageSql, [paymentId])
      expect(await compare()).toMatchObject({ takenIn: 1, unresolved: 0, casesOpened: 0, open: [] })
      expect([await loadBalance(), await loadStatus(paymentId)]).toEqual(['25.00', 'completed'])
      expect(await compare()).toMatchObject({ takenIn: 0, open: [] })
      expect(await loadFailedChecks(world)).toEqual([])
    },
  )

  test('a payout that can neither be resubmitted nor polled is booked', async () => {
    await createSettledPayment()
    const payoutId = await orderPayout('40.00')
    await steerPayout(payoutId, 'pay')
    const realProvider = findSandbox(world)
    const lostAnswerProvider = {
      payout: { ...realProvider.payout, pay: () => Promise.resolve({ status: 'unknown', reason: 'lost' } as const) },
    }
    books = createTestBooks(world, { provider: lostAnswerProvider })
    books.lines.push(...reportLines)
    expect(await compare()).toMatchObject({ takenIn: 1, unresolved: 0, casesOpened: 0, open: [] })
    expect([await loadBalance(), await loadState(payoutId)]).toEqual(['60.00', 'completed'])
    await steerPayout(payoutId, 'return')
    expect(await compare()).toMatchObject({ takenIn: 1, unresolved: 0, open: [] })
    expect([await loadBalance(), await loadState(payoutId)]).toEqual(['100.00', 'returned'])
    expect(await loadFailedChecks(world)).toEqual([])
  })

  test('an unmatched movement opens one case, not two', async () => {
    const { paymentId } = await createSettledPayment()
    const line = await books.write({ kind: 'refund', amount: money('EUR', 10_000n), reference: paymentId })
    expect(await compare()).toMatchObject({ casesOpened: 0, open: [{ kind: 'unmatched', subject: line.id }] })
    // The provider corrects its books.
    reportLines.push({ ...line, amount: money('USD', 10_000n) })
    books.lines.splice(0, 1, ...reportLines)
    expect(await compare()).toMatchObject({ takenIn: 1, casesClosed: 1, open: [] })
    expect(await loadBalance()).toBe('0.00')
    expect(await loadFailedChecks(world)).toEqual([])
  })
})

describe('a provider that does not answer', () => {
  test('about its books: no conclusion is drawn, and no case is closed', async () => {
    await books.write({ kind: 'capture', amount: money('USD', 900n), reference: null }, false)
    const { open } = await compare()
    books.isSilent = true
    const countRuns = () => world.database.pool.query('select from reconciliation_run').then(({ rowCount }) => rowCount)
    const runsBefore = await countRuns()
    expect(await compare()).toMatchObject({ unknown: 'no answer', casesOpened: 0, casesClosed: 0, open })
    expect(await countRuns()).toBe(runsBefore)
    books.isSilent = false
    books.lines.splice(0, books.lines.length, ...reportLines)
    expect(await compare()).toMatchObject({ open: [] })
  })

  test('about a payment: neither it nor later movements get a conclusion, and the window stays open', async () => {
    const paymentId = await payAtSandbox(10_000)
    await steer(world, paymentId, 'dispute')
    const realProvider = findSandbox(world)
    const card = {
      ...realProvider.collect.card,
      lookup: () => Promise.resolve({ status: 'unknown', reason: 'busy' } as const),
    }
    const silentProvider = { collect: { ...realProvider.collect, card } }
    const plainBooks = books
    books = createTestBooks(world, { provider: silentProvider })
    books.lines.push(...reportLines)
    expect(await compare()).toMatchObject({ unresolved: 2, takenIn: 0, casesOpened: 0, open: [] })
    const { rows } = await world.database.pool.query<{ unresolved: number }>(
      'select unresolved from reconciliation_run order by finished_at desc limit 1',
    )
    expect(rows).toEqual([{ unresolved: 2 }])
    books = plainBooks
    expect(await compare()).toMatchObject({ unresolved: 0, takenIn: 2, open: [] })
    expect(await loadFailedChecks(world)).toEqual([])
  })
})

// Runs last, since the audit reports its manual posting.
describe('the ledger', () => {
  test('a posting without a movement at the provider shows in its account’s balance', async () => {
    const wallet = (await findWallet(product().pool, BigInt(alice.id)))!
    const [from, to, at] = [
      await product().wallets.accountId(product().pool, cardAccount('USD')),
      await product().wallets.accountId(product().pool, walletAccount(wallet.id, 'USD')),
      now(),
    ]
    const postingId = newId(at)
    await product().mover.move({
      movement: {
        id: postingId,
        requestHash: Buffer.from('by hand'),
        kind: 'deposit',
        reference: newId(at),
        at,
        legs: [{ from, to, amount: 500n, code: 'deposit' }],
      },
      rows: [],
    })
    const openExceptions = [{ kind: 'ledger_differs', subject: 'card:USD', amount: money('USD', -500n) }]
    expect(await compare()).toMatchObject({ casesOpened: 1, open: openExceptions })
    expect(await compare()).toMatchObject({ casesOpened: 0, open: openExceptions })
    await product().mover.move({
      movement: {
        id: newId(at),
        requestHash: Buffer.from('back by hand'),
        kind: 'refund',
        reference: newId(at),
        at,
        legs: [{ from: to, to: from, amount: 500n, code: 'refund' }],
      },
      rows: [],
    })
    expect(await compare()).toMatchObject({ casesClosed: 1, open: [] })
  })
})
