import { randomUUID } from 'node:crypto'
import { payoutStatus, withdraw } from '@tern/contract/banking'
import { depositByCard } from '@tern/contract/payments'
import { money } from '@tern/money/money'
import type { PayoutState } from '@tern/providers/payout/port'
import { stripePayoutKeysKeptMs } from '@tern/providers/payout/stripe'
import { createMoneyRegistry } from '../../../platform/providers/money-registry.ts'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { agePayout } from '../../../../../../tools/aging.ts'
import { startTestApp, type TestPerson } from '@tern/testkit/app'
import { openTestApp } from '@tern/testkit/open-test-app'
import { createPaymentsWithErrors, deliver, linkAccount, findSandbox } from '@tern/testkit/payments'
import { payCheckout } from '@tern/testkit/people'
import { createPayments } from '../payments.ts'
import { findStuckPayouts } from './stuck-payouts.ts'
import {
  loadFailedChecks,
  loadMails,
  nextMail,
  payoutEvent,
  steerPayout,
  loadStoredPayout,
  reportPayout,
} from '@tern/testkit/banking'

let alice: TestPerson

const world = await openTestApp()
beforeEach(async () => {
  alice = await world.enroll('alice', 'United States')
  await world.fund(alice, 10_000)
})
afterEach(async () => {
  expect(await loadFailedChecks(world)).toEqual([])
  // Excludes payouts that the test left pending from later polling.
  await world.database.pool.query(`update payout set last_polled_at = 'infinity' where status = 'pending'`)
})

/** Withdraws 40 of the 100 dollars to a bank account; returns the payout's id. */
async function startPayout(bank = 'harbour'): Promise<string> {
  const bankAccountId = await linkAccount(world, alice, { bank })
  const { payout_id: id } = await alice.call(withdraw, {
    body: { amount: '40.00', currency: 'USD', bankAccountId },
    idempotencyKey: randomUUID(),
  })
  return id
}

const submitPayoutNow = (id: string) => world.app.product.payments.submitPayout(id)
const shortlyLater = () => new Date(world.app.product.now().getTime() + 1000)

/** Payout as its owner sees it: status, reason, available balance, held amount, and transactions. */
async function loadStanding(id: string) {
  const { status, reason } = await alice.call(payoutStatus, { params: { id } })
  const { assets } = await alice.wallet()
  const dollars = assets.find(({ currency }) => currency === 'USD')
  const transactions = await alice.transactions()
  const rows = transactions.filter(({ payment_id: paymentId }) => paymentId === id)
  const list = rows.map((row) => `${row.transaction_type} ${row.status} ${row.amount}`).toSorted()
  return { status, reason, available: dollars?.available, held: dollars?.held, list }
}

const pendingState = {
  status: 'pending',
  reason: null,
  available: '60.00',
  held: '40.00',
  list: ['WITHDRAW PENDING 40.00'],
}
const completedState = {
  status: 'completed',
  reason: null,
  available: '60.00',
  held: '0.00',
  list: ['WITHDRAW COMPLETED 40.00'],
}
const failedState = {
  status: 'failed',
  reason: 'The account is closed.',
  available: '100.00',
  held: '0.00',
  list: ['WITHDRAW FAILED 40.00'],
}
const returnedState = {
  status: 'returned',
  reason: 'The account is closed.',
  available: '100.00',
  held: '0.00',
  list: ['DEPOSIT COMPLETED 40.00', 'WITHDRAW COMPLETED 40.00'],
}

const waitForStanding = (id: string, expected: object) =>
  vi.waitFor(async () => expect(await loadStanding(id)).toMatchObject(expected), { timeout: 120_000, interval: 50 })

const loadLines = async (id: string) =>
  (
    await world.database.pool.query(
      'select kind, amount_minor from settlement_line where reference = $1 order by occurred_at, kind',
      [id],
    )
  ).rows

const loadCases = async (id: string) =>
  (
    await world.database.pool.query('select kind, detail, params from reconciliation_exception where reference = $1', [
      id,
    ])
  ).rows

describe('a payout at the sandbox’s banks', () => {
  test('is ordered once, arrives, and leaves the wallet for good', async () => {
    const id = await startPayout()
    await Promise.all([submitPayoutNow(id), submitPayoutNow(id), submitPayoutNow(id)])
    expect(await loadStanding(id)).toEqual(pendingState)
    await steerPayout(world, id, 'pay')
    await waitForStanding(id, completedState)
    expect(await loadLines(id)).toEqual([{ kind: 'payout', amount_minor: -4000n }])
    expect(await loadMails(world, alice, "Your withdrawal didn't go through")).toEqual([])
  })

  test('that fails returns the money, with a mail that gives the reason', async () => {
    const id = await startPayout('reef')
    await submitPayoutNow(id)
    await steerPayout(world, id, 'fail')
    await waitForStanding(id, { ...failedState, reason: 'The bank declined it.' })
    expect(await loadLines(id)).toEqual([])
    const mail = await nextMail(world, alice, "Your withdrawal didn't go through")
    expect(mail).toMatch(/\$40\.00 .*Reef Bank, ending in \d{4}.*The bank declined it\./)
  })

  test('that is returned later comes back as a movement of its own, with a mail', async () => {
    const id = await startPayout('drift')
    await submitPayoutNow(id)
    await steerPayout(world, id, 'pay')
    await waitForStanding(id, completedState)
    await steerPayout(world, id, 'return')
    await waitForStanding(id, { ...returnedState, reason: "The bank couldn't credit the account." })
    expect(await loadLines(id)).toEqual([
      { kind: 'payout', amount_minor: -4000n },
      { kind: 'payout_return', amount_minor: 4000n },
    ])
    const mail = await nextMail(world, alice, 'Your withdrawal was returned')
    expect(mail).toMatch(/\$40\.00 .*Drift Bank, ending in \d{4}/)
    const transactions = await alice.transactions()
    const rows = transactions.filter(({ payment_id: paymentId }) => paymentId === id)
    expect(rows.map(({ transaction_type: type, outside }) => [type, outside])).toEqual([
      ['DEPOSIT', { kind: 'payout', id }],
      ['WITHDRAW', { kind: 'payout', id }],
    ])
  })

  test('settles by polling if no event comes', async () => {
    const appWithoutEvents = await startTestApp({ events: 'lost' })
    try {
      const dora = await appWithoutEvents.enroll('dora', 'United States')
      const { payments, pool } = appWithoutEvents.app.product
      // The deposit's event is lost as well, so it is polled too.
      const { redirectUrl } = await dora.call(depositByCard, { body: { amount: 10_000, currency: 'usd' } })
      await payCheckout(redirectUrl!)
      const oneSecondLater = () => new Date(appWithoutEvents.app.product.now().getTime() + 1000)
      await payments.checkPending(oneSecondLater())
      const bankAccountId = await linkAccount(appWithoutEvents, dora)
      const body = { amount: '40.00', currency: 'USD' as const, bankAccountId }
      const { payout_id: id } = await dora.call(withdraw, { body, idempotencyKey: randomUUID() })
      const loadStatus = async () => (await dora.call(payoutStatus, { params: { id } })).status
      await payments.checkPending(oneSecondLater())
      expect((await loadStoredPayout(appWithoutEvents, id)).provider_payout_id, 'ordered without its job').toEqual(
        expect.any(String),
      )
      await payments.checkPending(oneSecondLater())
      expect(await loadStatus()).toBe('pending')
      await steerPayout(appWithoutEvents, id, 'pay')
      await payments.checkPending(new Date(0))
      expect(await loadStatus()).toBe('pending')
      await payments.checkPendingPayouts(oneSecondLater())
      expect(await loadStatus()).toBe('completed')
      expect((await pool.query(`select from payout where status = 'pending'`)).rowCount).toBe(0)
      expect(await loadFailedChecks(appWithoutEvents)).toEqual([])
    } finally {
      await appWithoutEvents.close()
    }
  })
})

describe('the order of a payout', () => {
  test('without an answer stays pending, and is repeated under the same key until one comes', async () => {
    const keys: string[] = []
    const { payout } = findSandbox(world)
    let lossCount = 2
    const { payments } = createPaymentsWithErrors(world, {
      payout: {
        async pay(request) {
          keys.push(request.idempotencyKey)
          const answer = await payout.pay(request)
          lossCount -= 1
          return lossCount >= 0 ? { status: 'unknown', reason: 'no answer' } : answer
        },
      },
    })
    const id = await startPayout()
    await payments.submitPayout(id)
    expect(await loadStanding(id)).toEqual(pendingState)
    await payments.checkPendingPayouts(shortlyLater())
    expect((await loadStoredPayout(world, id)).provider_payout_id).toBeNull()
    await payments.checkPendingPayouts(shortlyLater())
    await payments.submitPayout(id)
    expect(keys).toEqual([id, id, id])
    await steerPayout(world, id, 'pay')
    await waitForStanding(id, completedState)
  })

  test('that the provider refuses or breaks off releases the money', async () => {
    const refusingPayments = createPaymentsWithErrors(world, {
      payout: { pay: () => Promise.resolve({ status: 'refused', reason: 'account_closed' }) },
    })
    const id = await startPayout()
    await Promise.all([refusingPayments.payments.submitPayout(id), refusingPayments.payments.submitPayout(id)])
    expect(await loadStanding(id)).toEqual(failedState)
    await nextMail(world, alice, "Your withdrawal didn't go through")

    const failingPayments = createPaymentsWithErrors(world, {
      payout: { pay: () => Promise.reject(new Error('an answer nobody can read')) },
    })
    const [secondId, thirdId] = [await startPayout('shoal'), await startPayout('drift')]
    await failingPayments.payments.checkPendingPayouts(shortlyLater())
    expect(failingPayments.errors).toMatchObject([{ id: secondId }, { id: thirdId }])
    await world.app.product.payments.checkPendingPayouts(shortlyLater())
    for (const payoutId of [secondId, thirdId]) {
      await steerPayout(world, payoutId, 'fail')
      await waitForStanding(payoutId, { status: 'failed' })
    }
    expect(await loadStanding(secondId)).toMatchObject({ available: '100.00', held: '0.00' })
  })

  test('whose payout ended before the answer came changes nothing', async () => {
    const { payout } = findSandbox(world)
    const id = await startPayout()
    const { payments } = createPaymentsWithErrors(world, {
      payout: {
        async pay(request) {
          const answer = await payout.pay(request)
          await reportPayout(world, id, 'paid')
          return answer
        },
      },
    })
    await payments.submitPayout(id)
    expect(await loadStanding(id)).toEqual(completedState)
    await payments.submitPayout(id)
    await payments.checkPendingPayouts(shortlyLater())
    expect(await loadStanding(id)).toEqual(completedState)
  })

  test('whose answer was lost is repeated for the same account even if it was linked again: it pays once', async () => {
    const { payout } = findSandbox(world)
    const { payments } = createPaymentsWithErrors(world, {
      payout: {
        async pay(request) {
          await payout.pay(request)
          return { status: 'unknown', reason: 'no answer' }
        },
      },
    })
    const id = await startPayout()
    await payments.submitPayout(id)
    await linkAccount(world, alice)
    await submitPayoutNow(id)
    expect(await loadStanding(id)).toEqual(pendingState)
    await steerPayout(world, id, 'pay')
    await waitForStanding(id, completedState)
    expect(await loadCases(id)).toEqual([])
  })

  test('uses the account’s token at the time of the withdrawal, and stores it', async () => {
    const tokens: string[] = []
    const { payments } = createPaymentsWithErrors(world, {
      payout: {
        pay({ accountToken }) {
          tokens.push(accountToken)
          return Promise.resolve({ status: 'unknown', reason: 'no answer' })
        },
      },
    })
    const loadSubmittedToken = async (id: string) =>
      (await world.database.pool.query('select submitted_token from payout where id = $1', [id])).rows[0]
        ?.submitted_token
    const id = await startPayout()
    const first = await loadSubmittedToken(id)
    await linkAccount(world, alice)
    await payments.submitPayout(id)
    expect(tokens).toEqual([first])
    // Old rows have no token; the first repeat stores one.
    await world.database.pool.query('update payout set submitted_token = null where id = $1', [id])
    await payments.submitPayout(id)
    await linkAccount(world, alice)
    await payments.submitPayout(id)
    expect(tokens[1]).not.toBe(first)
    expect(tokens).toEqual([first, tokens[1], tokens[1]])
  })

  test('with a key that the provider knows for another order is no refusal: a payout does exist', async () => {
    const { payout } = findSandbox(world)
    const id = await startPayout()
    await submitPayoutNow(id)
    const order = { payoutId: id, accountToken: 'ba_of_somebody', description: 'Another', idempotencyKey: id }
    expect(await payout.pay({ ...order, amount: money('USD', 4000n) })).toMatchObject({ status: 'unknown' })
  })

  test('is not repeated once the provider may have forgotten its key: a case opens', async () => {
    let payCount = 0
    const pay = () => {
      payCount += 1
      return Promise.resolve({ status: 'unknown', reason: 'no answer' } as const)
    }
    const { product } = world.app
    const sandbox = findSandbox(world)
    const createPaymentsNamed = (name = 'sandbox', keysKeptMs = sandbox.payout.keysKeptMs) =>
      createPayments({
        ...product,
        providers: createMoneyRegistry([{ ...sandbox, name, payout: { ...sandbox.payout, keysKeptMs, pay } }]),
        publicUrl: world.url,
        log: { warn() {}, error() {} },
      })
    const id = await startPayout()
    await createPaymentsNamed().checkPendingPayouts(shortlyLater())
    await agePayout(world.database.pool, id, 26 * 24)
    await createPaymentsNamed().checkPendingPayouts(shortlyLater())
    expect(payCount, 'the sandbox forgets nothing').toBe(2)
    await world.database.pool.query(`update payout set provider = 'stripe' where id = $1`, [id])
    await createPaymentsNamed('stripe', stripePayoutKeysKeptMs).checkPendingPayouts(shortlyLater())
    await createPaymentsNamed('stripe', stripePayoutKeysKeptMs).checkPendingPayouts(shortlyLater())
    expect(payCount).toBe(2)
    expect(await loadCases(id)).toMatchObject([{ kind: 'unmatched' }])
    expect(await loadStanding(id)).toEqual(pendingState)
  })
})

test('a payout is overdue once its expected day has ended in the country of its bank', async () => {
  const { pool } = world.database
  const id = await startPayout()
  await submitPayoutNow(id)
  await pool.query(`update payout set expected_on = '2026-03-05' where id = $1`, [id])
  const countStuck = async (at: string) => (await findStuckPayouts({ now: () => new Date(at) }, pool, id)).length
  expect(await countStuck('2026-03-06T04:59Z'), 'before midnight in New York').toBe(0)
  expect(await countStuck('2026-03-06T05:00Z')).toBe(1)
  const moveAccount = (country: string) =>
    pool.query('update bank_account set country = $2 where id = (select bank_account_id from payout where id = $1)', [
      id,
      country,
    ])
  await moveAccount('JP')
  expect(await countStuck('2026-03-05T14:59Z'), 'before midnight in Tokyo').toBe(0)
  expect(await countStuck('2026-03-05T15:00Z')).toBe(1)
  // A country without a known time zone counts by UTC.
  await moveAccount('NZ')
  expect(await countStuck('2026-03-05T23:59Z')).toBe(0)
  expect(await countStuck('2026-03-06T00:00Z')).toBe(1)
  await moveAccount('US')
})

describe('a reported payout state', () => {
  test.each([
    ['paid', completedState],
    ['failed', failedState],
    ['returned', returnedState],
  ] as const)('%s, a hundred times concurrently, is applied once', async (status, expected) => {
    const id = await startPayout()
    const body = await payoutEvent(world, id, status)
    const otherBodies = await Promise.all(Array.from({ length: 20 }, () => payoutEvent(world, id, status)))
    const bodies = [...Array.from({ length: 80 }, () => body), ...otherBodies]
    const answers = await Promise.all(bodies.map((body) => deliver(world, body)))
    expect(answers.map((answer) => answer.status)).toEqual(Array(100).fill(204))
    expect(await loadStanding(id)).toEqual(expected)
    expect(await loadCases(id)).toEqual([])
  })

  test('paid and returned, a hundred times in any order, ends as returned', async () => {
    const id = await startPayout()
    const bodies = await Promise.all(
      Array.from({ length: 100 }, (_, index) => payoutEvent(world, id, index % 3 === 0 ? 'returned' : 'paid')),
    )
    await Promise.all(bodies.map((body) => deliver(world, body)))
    expect(await loadStanding(id)).toEqual(returnedState)
    expect(await loadLines(id)).toHaveLength(2)
    expect(await loadCases(id)).toEqual([])
    await nextMail(world, alice, 'Your withdrawal was returned')
  })

  test.each([
    ['paid', 'failed', completedState, { there: 'failed', here: 'completed' }],
    ['failed', 'paid', failedState, { there: 'settled', here: 'failed' }],
    ['failed', 'returned', failedState, { there: 'returned', here: 'failed' }],
  ] as const)('%s and then %s opens a case without a movement', async (first, second, finalState, params) => {
    const id = await startPayout()
    await reportPayout(world, id, first)
    for (let attempt = 0; attempt < 3; attempt += 1) await reportPayout(world, id, second)
    expect(await loadStanding(id)).toEqual(finalState)
    expect(await loadCases(id)).toEqual([{ kind: 'unmatched', detail: 'payout_contradicted', params }])
  })

  test.each([
    ['usage of the day', 'select from limit_usage where user_id = $1 for no key update'],
    ['count of payments without a proof', 'select from risk_profile where user_id = $1 for no key update'],
  ])('returned before paid does not deadlock with a send that holds the %s', async (_case, lock) => {
    const id = await startPayout()
    const { pool } = world.database
    const sender = await pool.connect()
    try {
      await sender.query(`begin; set local deadlock_timeout = '10ms'`)
      await sender.query(lock, [alice.id])
      const returnReport = reportPayout(world, id, 'returned')
      const blockedSql = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
      await expect.poll(async () => (await pool.query(blockedSql)).rowCount, { timeout: 120_000 }).toBeGreaterThan(0)
      await sender.query(
        `select ledger.lock_accounts(array(select a.id from ledger.account a join wallet w on a.name like '%:' || w.id || ':USD'
          where w.user_id = $1))`,
        [alice.id],
      )
      await sender.query('commit')
      expect((await returnReport).status).toBe(204)
    } finally {
      sender.release(true)
    }
    expect(await loadStanding(id)).toEqual(returnedState)
  })

  test('returned and then failed changes nothing', async () => {
    const id = await startPayout()
    for (const status of ['returned', 'failed', 'paid'] as const) await reportPayout(world, id, status)
    expect(await loadStanding(id)).toEqual(returnedState)
    expect(await loadCases(id)).toEqual([])
  })

  test('paid twice, by another movement, opens a case', async () => {
    const id = await startPayout()
    await reportPayout(world, id, 'paid')
    await reportPayout(world, id, 'paid', { paid_id: 'paid_again' })
    await reportPayout(world, id, 'returned', { paid_id: 'paid_again' })
    expect(await loadStanding(id)).toEqual(completedState)
    expect(await loadCases(id)).toHaveLength(1)
  })

  test.each([{ amount_minor: '4001' }, { currency: 'EUR' }])(
    'with %j instead of the order keeps the money held until it is resolved',
    async (otherFields) => {
      const id = await startPayout()
      for (const status of ['paid', 'paid', 'returned'] as const) await reportPayout(world, id, status, otherFields)
      expect(await loadStanding(id)).toEqual(pendingState)
      expect((await loadStoredPayout(world, id)).status).toBe('needs_review')
      expect(await loadCases(id)).toMatchObject([
        { kind: 'unmatched', detail: 'payout_differs', params: { paid: expect.any(String), ordered: '40.00 USD' } },
      ])
      expect(await loadLines(id)).toEqual([])
    },
  )

  test.each([
    ['failed', failedState],
    ['paid', completedState],
    ['returned', returnedState],
  ] as const)('%s as ordered resolves a payout under review', async (status, expected) => {
    const id = await startPayout()
    await reportPayout(world, id, 'paid', { amount_minor: '4001' })
    for (let attempt = 0; attempt < 3; attempt += 1) await reportPayout(world, id, status)
    expect(await loadStanding(id)).toEqual(expected)
    expect(await loadCases(id)).toHaveLength(1)
  })

  test.each([{ amount_minor: '3900' }, { currency: 'EUR' }])(
    'returned with %j instead of the amount paid opens a case',
    async (otherFields) => {
      const id = await startPayout()
      await reportPayout(world, id, 'paid')
      for (let attempt = 0; attempt < 3; attempt += 1) await reportPayout(world, id, 'returned', otherFields)
      expect(await loadStanding(id)).toEqual(completedState)
      expect(await loadLines(id)).toHaveLength(1)
      expect(await loadCases(id)).toMatchObject([
        { kind: 'unmatched', detail: 'return_differs', params: { returned: expect.any(String), paid: '40.00 USD' } },
      ])
      await reportPayout(world, id, 'failed')
      expect(await loadStanding(id)).toEqual(completedState)
      await reportPayout(world, id, 'returned')
      expect(await loadStanding(id)).toEqual(returnedState)
    },
  )

  test('by a movement recorded for another payout moves nothing, and opens a case', async () => {
    const otherId = await startPayout()
    await reportPayout(world, otherId, 'returned', { paid_id: `one_${otherId}`, return_id: `back_${otherId}` })
    const id = await startPayout()
    for (let attempt = 0; attempt < 2; attempt += 1)
      await reportPayout(world, id, 'paid', { paid_id: `one_${otherId}` })
    expect(await loadStanding(id)).toEqual(pendingState)
    expect((await loadStoredPayout(world, id)).status).toBe('needs_review')
    expect(await loadCases(id)).toMatchObject([{ kind: 'unmatched' }])
    await reportPayout(world, id, 'paid')
    for (let attempt = 0; attempt < 2; attempt += 1)
      await reportPayout(world, id, 'returned', { return_id: `back_${otherId}` })
    expect(await loadStanding(id)).toEqual(completedState)
    expect(await loadLines(id)).toHaveLength(1)
    expect(await loadCases(id)).toHaveLength(2)
  })

  test.each([
    ['Something about req_123 and acct_secret', "The bank didn't accept the payment."],
    ['toString', "The bank didn't accept the payment."],
    ['payout_method_closed', 'The account is closed.'],
    ['declined', 'The bank declined it.'],
    ['The bank declined it.', "The bank didn't accept the payment."],
  ])('with the reason %j is explained in our own words', async (reason, explanation) => {
    const id = await startPayout()
    await reportPayout(world, id, 'failed', { reason })
    expect(await loadStanding(id)).toMatchObject({ status: 'failed', reason: explanation })
    expect(await nextMail(world, alice, "Your withdrawal didn't go through")).toContain(explanation)
    expect((await loadStoredPayout(world, id)).reason).toMatch(/^[a-z_]+$/)
  })

  test('for an unknown payout is ignored', async () => {
    const { payments } = world.app.product
    const id = await startPayout()
    const state = { status: 'settled', payoutId: randomUUID(), amount: money('USD', 4000n), paidId: 'x' } as const
    const body = await payoutEvent(world, id, 'paid', { reference: state.payoutId })
    expect((await deliver(world, body)).status).toBe(204)
    const unknownEvent = await payoutEvent(world, id, 'paid', { reference: 'no id of ours' })
    expect((await deliver(world, unknownEvent)).status).toBe(204)
    const otherEvent = await payoutEvent(world, id, 'paid')
    await world.database.pool.query(`update payout set provider = 'stripe' where id = $1`, [id])
    await deliver(world, otherEvent)
    await world.database.pool.query(`update payout set provider = 'sandbox' where id = $1`, [id])
    expect(await loadStanding(id)).toEqual(pendingState)

    const answers: PayoutState[] = [
      { status: 'unknown', reason: 'no answer' },
      { status: 'open', payoutId: id },
    ]
    const unclearPayments = createPaymentsWithErrors(world, {
      payout: { lookup: () => Promise.resolve(answers.shift()!) },
    })
    await payments.submitPayout(id)
    await unclearPayments.payments.checkPendingPayouts(shortlyLater())
    await unclearPayments.payments.checkPendingPayouts(shortlyLater())
    expect(answers).toEqual([])
    expect(await loadStanding(id)).toEqual(pendingState)
  })

  test('that fails halfway leaves nothing, and is applied when it comes again', async () => {
    const { product } = world.app
    const id = await startPayout()
    const amount = money('USD', 4000n)
    const state = {
      status: 'returned',
      payoutId: id,
      amount,
      paidId: `p${id}`,
      returnId: `r${id}`,
      reason: 'x y',
    } as const
    let movements = 0
    const sandbox = findSandbox(world)
    const payments = createPayments({
      ...product,
      providers: createMoneyRegistry([
        { ...sandbox, payout: { ...sandbox.payout, lookup: () => Promise.resolve(state) } },
      ]),
      mover: {
        ...product.mover,
        moveWithin(tx, request) {
          movements += 1
          // The posting of the return fails once, after that of the arrival.
          return movements === 2 ? Promise.reject(new Error('a crash')) : product.mover.moveWithin(tx, request)
        },
      },
      publicUrl: world.url,
      log: { warn() {}, error() {} },
    })
    await submitPayoutNow(id)
    await payments.checkPendingPayouts(shortlyLater())
    expect(movements).toBe(2)
    expect(await loadStanding(id)).toEqual(pendingState)
    expect(await loadLines(id)).toEqual([])
    await payments.checkPendingPayouts(shortlyLater())
    expect(await loadStanding(id)).toEqual({ ...returnedState, reason: "The bank didn't accept the payment." })
  })
})
