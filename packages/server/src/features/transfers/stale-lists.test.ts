import { randomUUID } from 'node:crypto'
import { withdraw } from '@tern/contract/banking'
import { createQuote, exchangeMoney } from '@tern/contract/exchange'
import { notifications } from '@tern/contract/notifications/notifications'
import { deposit, directPayment } from '@tern/contract/payments'
import { guestPayment } from '@tern/contract/requests/guest-payments'
import { cancelTransfer, sendMoney, transferStatus } from '@tern/contract/transfers'
import { afterAll, beforeEach, expect, test, vi } from 'vitest'
import { send } from '@tern/testkit/compliance/cases'
import { linkBankAccountWithHolder } from '@tern/testkit/compliance/holders'
import { importRequired } from '@tern/testkit/compliance/lists'
import type { TestPerson } from '@tern/testkit/app'
import { openTestApp } from '@tern/testkit/open-test-app'
import { loadFailedChecks, loadMails, settleCall, loadStoredPayout } from '@tern/testkit/banking'
import { requestMoney, startGuestPayment, steer, waitForPayment } from '@tern/testkit/payments'
import { payCheckout } from '@tern/testkit/people'
import { runTask } from '@tern/testkit/processes/tasks'
import { audit } from '../../commands/audit/audit.ts'

let alice: TestPerson
let bruno: TestPerson

const world = await openTestApp({ unconfirmedPayments: 'any', environment: { SCREENING_LISTS: 'required' } })
afterAll(async () => expect(await loadFailedChecks(world)).toEqual([]))
beforeEach(async () => {
  await importRequired(world)
  await world.app.product.compliance.screenDue()
  await outdateLists()
  alice = await world.enroll('alice', 'United States')
  bruno = await world.enroll('bruno', 'United States')
  await world.fund(alice, 50_000)
})

let offsetMs = 0
const realNow = performance.now.bind(performance)
vi.spyOn(performance, 'now').mockImplementation(() => realNow() + offsetMs)

/** Makes the lists stale, and advances `performance.now` so that their cached state is read again. */
async function outdateLists(): Promise<void> {
  await world.database.pool.query(`update screening_list set checked_at = now() - interval '3 days'`)
  offsetMs += 31_000
}

const loadStatus = (person: TestPerson, id: string) => person.call(transferStatus, { params: { id } })
const loadFiatBalance = async (person: TestPerson) => (await person.wallet()).fiat_balance
const loadNotices = async (person: TestPerson) => {
  const { needs_action: neededActions, notifications: otherNotices } = await person.call(notifications, { query: {} })
  return [...neededActions, ...otherNotices].filter(({ code }) => code === 'check_holds').map(({ params }) => params)
}
/** Runs the task that the worker runs every minute. */
const followCases = () => runTask(world.app.product, 'follow_cases')
const expectedHold = { state: 'held', hold: { reason: 'compliance', check: null, at_deadline: 'escalate' } }

test('a send waits while lists are stale, its sender sees the reason, and it resumes after the import', async () => {
  const { transaction_id: id, status } = await send(alice, bruno)
  expect(status).toBe('PENDING')
  expect(await loadStatus(alice, id)).toMatchObject(expectedHold)
  expect(await settleCall(alice.call(cancelTransfer, { params: { id } }))).toMatchObject({ code: 'not_cancelable' })
  await followCases()
  await followCases()
  expect(await loadStatus(alice, id)).toMatchObject(expectedHold)
  expect(await loadFiatBalance(bruno)).toBe('0.00')
  expect(await loadNotices(alice), 'once').toMatchObject([{ waits_for: 'lists', amount: '20.10' }])
  expect(await loadMails(world, alice, /waiting for a list update/)).toHaveLength(1)

  await importRequired(world)
  await followCases()
  expect((await loadStatus(alice, id)).state).toBe('settled')
  expect(await loadFiatBalance(bruno)).toBe('20.00')
})

test('a list that names the sender or the recipient turns the wait into a case', async () => {
  const sends = [await send(alice, bruno), await send(alice, bruno)]
  await importRequired(world, ['Tester, bruno', 'KARVE, Zed'])
  await followCases()
  for (const { transaction_id: id } of sends) {
    expect(await loadStatus(alice, id)).toMatchObject({ state: 'held', hold: { reason: 'compliance' } })
    expect((await loadStatus(alice, id)).hold?.check).toMatchObject({ state: 'open' })
  }
  expect(await loadFiatBalance(bruno)).toBe('0.00')
})

test('right after a period without lists, only people screened since are paid', async () => {
  await importRequired(world, ['Tester, bruno', 'KARVE, Zed'])
  // Lists are fresh, but people have not been screened yet.
  const { transaction_id: id } = await send(alice, bruno)
  expect(await loadStatus(alice, id)).toMatchObject(expectedHold)
  await followCases()
  expect((await loadStatus(alice, id)).hold?.check).toMatchObject({ state: 'open' })
  expect(await loadFiatBalance(bruno)).toBe('0.00')
  const cleo = await world.enroll('cleo', 'United States')
  await world.app.product.compliance.screenDue()
  expect(await send(alice, cleo)).toMatchObject({ status: 'COMPLETED' })
})

test('an undoable send waits for lists that went stale meanwhile', async () => {
  await importRequired(world)
  await world.app.product.compliance.screenDue()
  const { transaction_id: id } = await alice.call(sendMoney, {
    body: { source_currency: 'USD', recipient_id: bruno.id, amount: '20.00', undo_seconds: 5 },
    idempotencyKey: randomUUID(),
  })
  expect((await loadStatus(alice, id)).hold?.reason).toBe('undo')
  await outdateLists()
  await expect
    .poll(async () => {
      await world.app.product.heldTransfers.endDue()
      return (await loadStatus(alice, id)).hold?.reason
    })
    .toBe('compliance')
  expect(await loadFiatBalance(bruno)).toBe('0.00')
  await importRequired(world)
  await followCases()
  expect((await loadStatus(alice, id)).state).toBe('settled')
})

test('a withdrawal is not ordered at the bank before the lists are fresh', async () => {
  const bankAccountId = await linkBankAccountWithHolder(world, alice, 'alice Tester')
  const body = { amount: '30.00', currency: 'USD', userId: alice.id, bankAccountId } as const
  const { payout_id: payoutId, transaction_id: id } = await alice.call(withdraw, { body, idempotencyKey: randomUUID() })
  expect(await loadStatus(alice, id)).toMatchObject(expectedHold)
  expect(await loadStoredPayout(world, payoutId)).toMatchObject({ status: 'held', provider_payout_id: null })
  await followCases()
  expect(await loadStoredPayout(world, payoutId)).toMatchObject({ status: 'held' })
  await importRequired(world)
  await followCases()
  await world.app.product.payments.submitPayout(payoutId)
  expect((await loadStoredPayout(world, payoutId)).provider_payout_id).not.toBeNull()
})

test('a withdrawal accepted before the lists went stale is not ordered', async () => {
  await importRequired(world)
  await world.app.product.compliance.screenDue()
  const bankAccountId = await linkBankAccountWithHolder(world, alice, 'alice Tester')
  const body = { amount: '30.00', currency: 'USD', userId: alice.id, bankAccountId } as const
  const { payout_id: payoutId, transaction_id: id } = await alice.call(withdraw, { body, idempotencyKey: randomUUID() })
  await outdateLists()
  await world.app.product.payments.submitPayout(payoutId)
  expect(await loadStoredPayout(world, payoutId)).toMatchObject({ status: 'held', provider_payout_id: null })
  expect(await loadStatus(alice, id)).toMatchObject(expectedHold)
})

test('while lists are stale, card money reaches only its payer and bank money reaches no one', async () => {
  const body = {
    amount: 4000,
    currency: 'usd',
    recipientId: String(bruno.id),
    paymentSource: 'card',
  } as const
  const payment = await alice.call(directPayment, { body, idempotencyKey: randomUUID() })
  await payCheckout(payment.redirectUrl!)
  await waitForPayment(alice, payment.payment_id, 'completed')
  expect(await loadStatus(alice, payment.transaction_id)).toMatchObject(expectedHold)
  const account = await linkBankAccountWithHolder(world, alice, 'alice Tester')
  const bankDeposit = await alice.call(deposit, {
    body: { amount: '40.00', currency: 'USD', method: 'bank', bankAccountId: account },
    idempotencyKey: randomUUID(),
  })
  await steer(world, bankDeposit.payment_id, 'settle')
  await waitForPayment(alice, bankDeposit.payment_id, 'completed')
  expect(await loadStatus(alice, bankDeposit.transaction_id!)).toMatchObject(expectedHold)
  const balanceBefore = await loadFiatBalance(alice)
  await importRequired(world)
  await followCases()
  expect([await loadFiatBalance(bruno), (await loadStatus(alice, bankDeposit.transaction_id!)).state]).toEqual([
    '40.00',
    'settled',
  ])
  expect(await loadFiatBalance(alice)).not.toBe(balanceBefore)
})

test('a send whose card pays after the lists went stale is held', async () => {
  await importRequired(world)
  await world.app.product.compliance.screenDue()
  const body = { amount: 4000, currency: 'usd', recipientId: String(bruno.id), paymentSource: 'card' } as const
  const payment = await alice.call(directPayment, { body, idempotencyKey: randomUUID() })
  await outdateLists()
  await payCheckout(payment.redirectUrl!)
  await waitForPayment(alice, payment.payment_id, 'completed')
  expect(await loadStatus(alice, payment.transaction_id)).toMatchObject(expectedHold)
  await importRequired(world)
  await followCases()
  expect([(await loadStatus(alice, payment.transaction_id)).state, await loadFiatBalance(bruno)]).toEqual([
    'settled',
    '40.00',
  ])
})

/** Sends from a joint bank account of alice, and waits until the money has arrived. */
async function sendFromBank(): Promise<string> {
  const bankAccountId = await linkBankAccountWithHolder(world, alice, 'alice Tester & Ottoline Fernsby')
  const body = {
    amount: 4000,
    currency: 'usd',
    recipientId: String(bruno.id),
    paymentSource: 'bank',
    bankAccountId,
  } as const
  const { payment_id: paymentId, transaction_id: id } = await alice.call(directPayment, {
    body,
    idempotencyKey: randomUUID(),
  })
  await steer(world, paymentId, 'settle')
  await waitForPayment(alice, paymentId, 'completed')
  return id
}

test('a send from a bank account settles once the lists are fresh, unless they name an account holder', async () => {
  const id = await sendFromBank()
  expect(await loadStatus(alice, id)).toMatchObject(expectedHold)
  await importRequired(world)
  await followCases()
  expect([(await loadStatus(alice, id)).state, await loadFiatBalance(bruno)]).toEqual(['settled', '40.00'])
  await outdateLists()
  const secondSendId = await sendFromBank()
  await importRequired(world, ['Fernsby, Ottoline', 'KARVE, Zed'])
  await followCases()
  expect((await loadStatus(alice, secondSendId)).hold?.check).toMatchObject({ state: 'open' })
  expect(await loadFiatBalance(bruno)).toBe('40.00')
})

test('a guest’s card is not charged before the lists are fresh, and the requester is notified', async () => {
  const { data, id: requestId } = await requestMoney(bruno)
  const email = 'guest@example.com'
  const { receipt, redirect_url: url } = await startGuestPayment(bruno, data, { name: 'Mia Guest', email })
  await payCheckout(url!)
  const { rows } = await world.database.pool.query<{ payment_id: string }>(
    'select payment_id from guest_payment where request_id = $1',
    [requestId],
  )
  const { payment_id: paymentId } = rows[0]!
  const loadReceiptState = async () => (await bruno.call(guestPayment, { params: { receipt } })).state
  await world.app.product.payments.check(paymentId)
  expect(await loadReceiptState()).toBe('held')
  expect(await loadNotices(bruno)).toMatchObject([{ waits_for: 'lists', by_guest: true }])
  expect(await loadFiatBalance(bruno)).toBe('0.00')
  await importRequired(world)
  await expect
    .poll(async () => {
      await world.app.product.payments.check(paymentId)
      return loadReceiptState()
    })
    .toBe('paid')
})

test('an exchange, which has no payee, does not wait for lists', async () => {
  const { quote_id: quote } = await alice.call(createQuote, {
    body: { source_currency: 'USD', target_currency: 'BTC', amount: '10.00', side: 'source' },
  })
  const exchange = await alice.call(exchangeMoney, { body: { quote_id: quote }, idempotencyKey: randomUUID() })
  expect(exchange.transaction.status).toBe('COMPLETED')
})

test('the expected time of a waiting payment is extended once it has passed', async () => {
  const { transaction_id: id } = await send(alice, bruno)
  await world.database.pool.query(
    `update transfer set held_until = now() - interval '1 hour' where id = $1 and state = 'held'`,
    [id],
  )
  await followCases()
  const { hold } = await loadStatus(alice, id)
  expect(Date.parse(hold!.until)).toBeGreaterThan(Date.now() + 3_600_000)
})

test('the audit accepts holds for stale lists, but no hold without a case while they are fresh', async () => {
  const rule = 'what is held knows for what, and until when'
  const loadAuditCheck = async () => (await audit(world.database.pool)).checks.find(({ name }) => name === rule)
  const { transaction_id: id } = await send(alice, bruno)
  expect(await loadAuditCheck()).toMatchObject({ ok: true })
  await importRequired(world)
  await world.database.pool.query(`update screening_list set checked_at = now() - interval '40 hours'`)
  expect(await loadAuditCheck()).toMatchObject({
    ok: false,
    detail: expect.stringContaining(`${id} is held by compliance without a case`) as string,
  })
  await followCases()
  expect(await loadAuditCheck()).toMatchObject({ ok: true })
})
