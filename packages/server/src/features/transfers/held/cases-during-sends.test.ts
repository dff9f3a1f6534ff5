import { randomUUID } from 'node:crypto'
import { withdraw } from '@tern/contract/banking'
import { submitKyc } from '@tern/contract/kyc/verification-form'
import { directPayment } from '@tern/contract/payments'
import { deletionState } from '@tern/contract/privacy/privacy'
import { cancelTransfer, settleTransfer, transferStatus } from '@tern/contract/transfers'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { agePayout } from '../../../../../../tools/aging.ts'
import { startTestApp, type TestPerson } from '@tern/testkit/app'
import { openTestApp } from '@tern/testkit/open-test-app'
import { confirmEmail, payCheckout } from '@tern/testkit/people'
import { loadFailedChecks, settleCall } from '@tern/testkit/banking'
import { decideByTwoOperators, importNames, openTestCase, send } from '@tern/testkit/compliance/cases'
import { createPaymentsWithErrors, linkAccount, findSandbox, waitForPayment } from '@tern/testkit/payments'
import { complianceHold, type TransferRule } from '../transfers.ts'
import { areStopped } from '../../compliance/compliance.ts'

let alice: TestPerson
let bruno: TestPerson
/** Runs between the check for cases and the movement. */
let openCaseMeanwhile: (() => Promise<unknown>) | undefined

const caseRule: TransferRule = async (_context, db, { transfer: { senderId, recipientId = senderId } }) => {
  if (await areStopped(db, [senderId, recipientId])) return complianceHold
  await openCaseMeanwhile?.()
  return undefined
}

const world = await openTestApp({ unconfirmedPayments: 'any', transferRules: [caseRule] })
const otherApp = await startTestApp({ database: world.database, environment: { TERN_SECRET: world.secret } })
afterAll(async () => {
  expect(await loadFailedChecks(world)).toEqual([])
  await otherApp.app.close()
})
beforeEach(async () => {
  openCaseMeanwhile = undefined
  alice = await world.enroll('alice', 'United States')
  bruno = await world.enroll('bruno', 'United States')
  await world.fund(alice, 50_000)
})

const openCaseFor = (person: TestPerson, kind: 'pattern' | 'name_match' = 'pattern') =>
  openTestCase(world, { userId: BigInt(person.id), kind, evidence: { rule: 'test' } })
const timeAfter = (ms: number) => new Date(world.app.product.now().getTime() + ms)
/** Withdraws 30 dollars for alice; returns the payout's id. */
async function startWithdrawal(): Promise<string> {
  const bankAccountId = await linkAccount(world, alice)
  const body = { amount: '30.00', currency: 'USD', userId: alice.id, bankAccountId } as const
  return (await alice.call(withdraw, { body, idempotencyKey: randomUUID() })).payout_id
}
const loadStatus = (id: string, person = alice) => person.call(transferStatus, { params: { id } })

describe('a case opened between decision and movement', () => {
  test.each([
    ['sender', () => alice],
    ['recipient', () => bruno],
  ])('about the %s holds a send from the wallet', async (_case, findSubject) => {
    openCaseMeanwhile = () => openCaseFor(findSubject())
    const { transaction_id: id, status } = await send(alice, bruno)
    expect(status).toBe('PENDING')
    expect(await loadStatus(id)).toMatchObject({
      state: 'held',
      hold: { reason: 'compliance', check: { state: 'open' } },
    })
  })

  test('lets the other sends of a batch pass', async () => {
    const people = await Promise.all(['c1', 'c2', 'c3', 'c4'].map((name) => world.enroll(name, 'United States')))
    for (const person of people) await world.fund(person, 10_000)
    const senders = [alice, ...people]
    let undecidedCount = senders.length
    const caseOpened = Promise.withResolvers<unknown>()
    openCaseMeanwhile = () => {
      undecidedCount -= 1
      if (undecidedCount === 0) caseOpened.resolve(openCaseFor(alice))
      return caseOpened.promise
    }
    const sendResults = await Promise.all(senders.map((person) => send(person, bruno)))
    expect(sendResults.map(({ status }) => status).toSorted()).toEqual([
      ...Array<string>(4).fill('COMPLETED'),
      'PENDING',
    ])
  })

  test('holds a withdrawal', async () => {
    openCaseMeanwhile = () => openCaseFor(alice)
    const id = await startWithdrawal()
    const { rows } = await world.database.pool.query('select status from payout where id = $1', [id])
    expect(rows).toEqual([{ status: 'held' }])
  })

  test('holds a send whose wallet part is reserved while the card pays the rest', async () => {
    openCaseMeanwhile = () => openCaseFor(alice)
    const body = {
      amount: 60_000,
      currency: 'usd',
      recipientId: String(bruno.id),
      paymentSource: 'wallet_partial',
    } as const
    const payment = await alice.call(directPayment, { body, idempotencyKey: randomUUID() })
    await payCheckout(payment.redirectUrl!)
    await waitForPayment(alice, payment.payment_id, 'completed')
    expect(await loadStatus(payment.transaction_id)).toMatchObject({ state: 'held', hold: { reason: 'compliance' } })
    expect((await bruno.wallet()).fiat_balance).toBe('0.00')
  })

  test('or before the order to the bank holds a withdrawal, which is ordered once cleared', async () => {
    const id = await startWithdrawal()
    await openCaseFor(alice)
    const { payments, heldTransfers } = world.app.product
    await payments.submitPayout(id)
    expect(await loadStatus(id)).toMatchObject({
      state: 'held',
      hold: { reason: 'compliance', check: { state: 'open' } },
    })
    await clearUserCases(alice)
    await heldTransfers.followCases()
    expect(await loadStatus(id)).toMatchObject({ state: 'processing' })
    const secondCaseId = await openCaseFor(alice)
    await payments.submitPayout(id)
    expect(await loadStatus(id), 'held a second time').toMatchObject({
      state: 'held',
      hold: { check: { id: secondCaseId } },
    })
    await clearUserCases(alice)
    await heldTransfers.followCases()
    await payments.submitPayout(id)
    await openCaseFor(alice)
    await payments.submitPayout(id)
    expect(await loadStatus(id), 'its bank has it').toMatchObject({ state: 'processing' })
  })

  test('holds a withdrawal whose order was lost, when it is resubmitted', async () => {
    const id = await startWithdrawal()
    const caseId = await openCaseFor(alice)
    await world.app.product.payments.checkPendingPayouts(timeAfter(1000))
    expect(await loadStatus(id)).toMatchObject({ state: 'held', hold: { check: { id: caseId } } })
    const { rows } = await world.database.pool.query('select provider_payout_id from payout where id = $1', [id])
    expect(rows, 'its bank was not asked').toEqual([{ provider_payout_id: null }])
  })

  test('does not hold a withdrawal that its bank may have, though its answer was lost and clocks differ', async () => {
    const id = await startWithdrawal()
    const { pay } = findSandbox(world).payout
    const unansweredPayout = {
      async pay(order: Parameters<typeof pay>[0]) {
        await pay(order)
        return { status: 'unknown', reason: 'no answer' } as const
      },
    }
    const { payments: delayedPayments } = createPaymentsWithErrors(world, { payout: unansweredPayout }, () =>
      timeAfter(-5000),
    )
    await delayedPayments.submitPayout(id)
    await openCaseFor(alice)
    const { payments } = world.app.product
    await payments.submitPayout(id)
    expect(await loadStatus(id)).toMatchObject({ state: 'processing' })
    const { rows } = await world.database.pool.query('select provider_payout_id from payout where id = $1', [id])
    expect(rows, 'asked once more, under its key').toEqual([{ provider_payout_id: expect.any(String) }])
  })

  test('and cleared hours later does not report a withdrawal as unanswered', async () => {
    const { pool } = world.database
    const bankAccountId = await linkAccount(world, alice)
    const body = { amount: '30.00', currency: 'USD', userId: alice.id, bankAccountId } as const
    const { payout_id: id } = await alice.call(withdraw, { body, idempotencyKey: randomUUID() })
    const { payments, heldTransfers } = world.app.product
    await openCaseFor(alice)
    await payments.submitPayout(id)
    await agePayout(pool, id, 2)
    await clearUserCases(alice)
    await heldTransfers.followCases()
    expect(await payments.stuckPayouts(world.database.pool, id)).toEqual([])
    await pool.query(`update payout set updated_at = updated_at - interval '61 minutes' where id = $1`, [id])
    expect(await payments.stuckPayouts(world.database.pool, id)).toMatchObject([{ id, status: 'pending' }])
  })

  test('in any process lets nothing pass from then on', async () => {
    const sends = Array.from({ length: 12 }, (_, n) => n)
    const caseOpening = openCaseFor(alice)
    const sendResults = await Promise.all(
      sends.map(async (n) => {
        if (n >= 6) await caseOpening
        if (n % 2 === 0) return { n, status: (await send(alice, bruno, '1.00')).status }
        // Sends like a schedule of the other process.
        const { transfers } = otherApp.app.product
        const sender = { userId: BigInt(alice.id), verified: true }
        const request = { source_currency: 'USD', recipient_id: bruno.id, amount: '1.00' } as const
        const purpose = { check: async () => {}, record: async () => {} }
        const order = { request, idempotencyKey: randomUUID(), isConfirmed: true, purpose }
        return { n, status: (await transfers.sendScheduled({ sender, ...order })).status }
      }),
    )
    expect(sendResults.filter(({ n, status }) => n >= 6 && status !== 'PENDING')).toEqual([])
  })
})

describe('a transfer held for another reason', () => {
  const buildBodyWithUndo = (seconds: number) => ({
    ...{ source_currency: 'USD', recipient_id: bruno.id, amount: '20.00', undo_seconds: seconds },
  })

  test('waits for the case when it is due, and cannot be cancelled or settled then', async () => {
    const { transaction_id: id } = (
      await world.raw('POST', '/payment/transfer', {
        ...{ token: alice.token, body: buildBodyWithUndo(60), headers: { 'idempotency-key': randomUUID() } },
      })
    ).body
    expect(await loadStatus(id)).toMatchObject({ hold: { reason: 'undo', check: null } })
    await openCaseFor(alice)
    expect(await settleCall(alice.call(settleTransfer, { params: { id } }))).toMatchObject({
      code: 'transfer_not_held',
    })
    expect(await loadStatus(id)).toMatchObject({
      state: 'held',
      hold: { reason: 'compliance', check: { state: 'open' } },
    })
    expect(await settleCall(alice.call(cancelTransfer, { params: { id } }))).toMatchObject({ code: 'not_cancelable' })
    await world.app.product.heldTransfers.endDue()
    expect(await loadStatus(id)).toMatchObject({ state: 'held' })
  })
})

describe('a listed person', () => {
  test('is not verified before the case is cleared', async () => {
    await importNames(world, ['Balthazar Listed'])
    const person = await world.enroll('balthazar', null)
    await confirmEmail(person.id, world.database.pool)
    await person.call(submitKyc, {
      params: { id: String(person.id) },
      body: {
        ...{ email: person.email, firstName: 'Balthazar', lastName: 'Listed', dateOfBirth: '1990-02-03' },
        ...{ country: 'Germany', nationality: 'Germany', idNumber: '65929970489', documentType: 'passport' },
        ...{ documentNumber: 'P7654321', currencyPreference: 'EUR', streetAddress: '1 Weg', city: 'Berlin' },
        ...{ state: 'Berlin', postalCode: '10115' },
      },
    })
    const { product } = world.app
    const { kyc, now } = product
    const loadStatus = async () => (await kyc.status(BigInt(person.id))).status
    await expect.poll(loadStatus).toBe('in_review')
    const nextMillisecond = new Date(now().getTime() + 1)
    await kyc.resumePending(nextMillisecond)
    expect(await kyc.status(BigInt(person.id))).toMatchObject({ status: 'in_review', reasons: [] })
    const form = (await kyc.reviews.list(world.database.pool)).find(({ userId }) => userId === BigInt(person.id))
    expect(
      await settleCall(
        kyc.reviews.decide({ id: form!.id, verdict: 'verify' }).catch((error: { code: string }) => error),
      ),
    ).toMatchObject({
      code: 'desk_not_carried_out',
    })
    await clearUserCases(person)
    await kyc.resumePending(new Date(now().getTime() + 1))
    expect(await kyc.status(BigInt(person.id))).toMatchObject({ status: 'verified' })
  })
})

/** Clears the user's cases as two operators. */
async function clearUserCases({ id }: TestPerson): Promise<void> {
  const { rows } = await world.database.pool.query<{ id: string }>(
    `select id from compliance_case where user_id = $1 and state = 'open'`,
    [id],
  )
  for (const row of rows) await decideByTwoOperators(world, row.id, 'clear')
}

test.each([
  ['confirm', ['check_open']],
  ['clear', []],
] as const)('an account is not deleted while a case is open or confirmed: %s', async (verdict, remainingObstacles) => {
  const person = await world.enroll('leaving', 'United States')
  const caseId = await openCaseFor(person)
  const loadObstacles = async () => (await person.call(deletionState, {})).obstacles.map(({ code }) => code)
  expect(await loadObstacles()).toEqual(['check_open'])
  await decideByTwoOperators(world, caseId, verdict)
  expect(await loadObstacles()).toEqual(remainingObstacles)
})
