import { randomUUID } from 'node:crypto'
import { cancelGuestPayment, guestPayment, payAsGuest } from '@tern/contract/requests/guest-payments'
import { notifications } from '@tern/contract/notifications/notifications'
import { cancelPayment, paymentStatus } from '@tern/contract/payments'
import type { CallInput } from '@tern/contract/protocol/endpoint'
import { money } from '@tern/money/money'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { TestPerson } from '@tern/testkit/app'
import { openTestApp } from '@tern/testkit/open-test-app'
import { loadFailedChecks, nextMail } from '@tern/testkit/banking'
import { createTestBooks } from '@tern/testkit/books/books'
import {
  requestMoney,
  startGuestPayment,
  cancel,
  loadDetails,
  openLink,
  pay,
  createPaymentsWith,
  findSandbox,
  waitForReceipt,
} from '@tern/testkit/payments'
import { blockWriters } from '@tern/testkit/block-writers'
import { payCheckout } from '@tern/testkit/people'

let rosa: TestPerson

const world = await openTestApp()
const books = createTestBooks(world)
const sam = await world.enroll('sam', 'United States')
beforeEach(async () => {
  rosa = await world.enroll('rosa', 'Germany')
  await world.database.pool.query('delete from rate_limit')
  // Resets the limits of cards used by earlier tests.
  await world.database.pool.query(`update guest_payment set created_at = created_at - interval '31 days'`)
})
afterEach(async () => expect(await loadFailedChecks(world)).toEqual([]))

type Body = CallInput<typeof payAsGuest>['body']
let guestCount = 0
const generateEmail = () => `guest${(guestCount += 1)}@example.com`

const startPayment = (data: string, body: Partial<Body> = {}, key?: string) => startGuestPayment(sam, data, body, key)
const loadReceipt = (receipt: string) => sam.call(guestPayment, { params: { receipt } })
const catchProblem = async (call: Promise<unknown>) =>
  call.then(
    (answer) => answer,
    (error: unknown) => (error as { problem: unknown }).problem,
  )
/** Pays on the hosted page, and waits for the outcome. */
async function payAndWait(
  { receipt, redirect_url: url }: { receipt: string; redirect_url: string | null },
  card?: string,
) {
  await payCheckout(url!, card)
  return waitForFinalReceipt(receipt)
}
const waitForFinalReceipt = (receipt: string) => waitForReceipt(sam, receipt)
const loadBalance = async (person: TestPerson) => (await person.wallet()).fiat_balance
/** State of the payment's session in the sandbox. */
async function loadSession(receipt: string) {
  const paymentId = decodePaymentId(receipt)
  const { rows } = await world.database.pool.query<{ session_id: string }>(
    'select session_id from payment where id = $1',
    [paymentId],
  )
  return findSandbox(world).collect.card.lookup(rows[0]!.session_id)
}
/** Payment id in a receipt: its first 16 bytes. */
function decodePaymentId(receipt: string): string {
  const hex = Buffer.from(receipt, 'base64url').toString('hex')
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20, 32)].join('-')
}

describe('a guest', () => {
  test('pays a request by card in their own currency; the requester gets exactly the requested amount', async () => {
    const { data, id } = await requestMoney(rosa, { description: 'Poster print' })
    const email = generateEmail()
    const payment = await startPayment(data, { email })
    expect(payment).toMatchObject({ state: 'open', redirect_url: expect.stringContaining('/checkout/') })
    expect(await openLink(sam, data)).toMatchObject({ state: 'open' })
    const paymentOutcome = await payAndWait(payment)
    expect(paymentOutcome).toMatchObject({
      ...{ state: 'paid', amount: '20.00', currency: 'EUR', paid_currency: 'USD', description: 'Poster print' },
      ...{ name: 'Gina Guest', requester: { username: rosa.username }, reason: null, redirect_url: null, data },
      ...{ reference: expect.stringMatching(/^TRN(-[0-9A-Z]{4}){3}$/), paid_at: expect.any(String) },
    })
    expect(await loadBalance(rosa)).toBe('20.00')
    const request = await loadDetails(rosa, id)
    expect(request).toMatchObject({ state: 'paid', paid_amount: '20.00' })
    expect(request.payments).toMatchObject([
      { amount: '20.00', paid_amount: paymentOutcome.total, payer: null, guest_name: 'Gina Guest', state: 'settled' },
    ])
    const transactions = await rosa.transactions()
    expect(transactions).toMatchObject([
      {
        transaction_type: 'DEPOSIT',
        target_amount: '20.00',
        description: 'Request paid by Gina Guest',
        payment_source: 'card',
      },
    ])
    const notices = (await rosa.call(notifications, {})).notifications
    expect(notices[0]).toMatchObject({ code: 'request_paid', params: { person: { id: null, name: 'Gina Guest' } } })
    const mail = await nextMail(world, { email }, /^Your receipt: /)
    expect(mail).toContain(`receipt=${payment.receipt}`)
  })

  test('pays a fee within one currency too, and a chargeback takes back amount and fee', async () => {
    const { data } = await requestMoney(rosa)
    const payment = await startPayment(data, { currency: 'EUR' })
    expect(await payAndWait(payment)).toMatchObject({ state: 'paid', total: '20.10', fee: '0.10' })
    expect(await loadBalance(rosa)).toBe('20.00')
    await books.write({ kind: 'chargeback', amount: money('EUR', 1005n), reference: decodePaymentId(payment.receipt) })
    await expect.poll(() => loadBalance(rosa)).toBe('10.00')
    await books.write({ kind: 'refund', amount: money('EUR', 1005n), reference: decodePaymentId(payment.receipt) })
    await expect.poll(() => loadBalance(rosa)).toBe('0.00')
    expect(await loadReceipt(payment.receipt)).toMatchObject({ state: 'refunded' })
  })

  test('may pay a part if parts are allowed', async () => {
    const { data, id } = await requestMoney(rosa, { amount: '30.00', allows_parts: true })
    const part = { amount: '12.00', currency: 'EUR', expected_total: '12.06' } as const
    expect(await payAndWait(await startPayment(data, part))).toMatchObject({ state: 'paid', amount: '12.00' })
    expect(await loadDetails(rosa, id)).toMatchObject({ state: 'part_paid', paid_amount: '12.00' })
  })

  test('whose bank declines pays nothing, and may try another card', async () => {
    const { data, id } = await requestMoney(rosa)
    const declinedPayment = await startPayment(data)
    await payCheckout(declinedPayment.redirect_url!, '4000000000000002').catch(() => undefined)
    expect(await sam.call(cancelGuestPayment, { params: { receipt: declinedPayment.receipt } })).toMatchObject({
      state: 'failed',
    })
    expect(await loadDetails(rosa, id)).toMatchObject({ state: 'open', payments: [] })
    expect(await payAndWait(await startPayment(data))).toMatchObject({ state: 'paid' })
  })

  test('gets the same answer for the same key, and a refusal if the price has changed', async () => {
    const { data } = await requestMoney(rosa)
    const [key, email] = [randomUUID(), generateEmail()]
    const first = await startPayment(data, { email }, key)
    expect(await startPayment(data, { email }, key)).toEqual(first)
    expect(await catchProblem(startPayment(data, { email, name: 'Other' }, key))).toMatchObject({
      code: 'idempotency_key_reused',
    })
    expect(await catchProblem(startPayment(data, { expected_total: '1.00' }))).toMatchObject({
      code: 'price_changed',
      price: { target_amount: '20.00' },
    })
  })

  test.each<[string, Partial<Body>, object]>([
    ['no name', { name: ' ' }, { errors: [{ field: 'name', code: 'name_required' }] }],
    ['a name in another script', { name: '山田 太郎' }, { errors: [{ field: 'name', code: 'name_not_latin' }] }],
    ['a name of two scripts', { name: 'Nikos Παπαδόπουλος' }, { errors: [{ field: 'name', code: 'name_not_latin' }] }],
    ['digits for a name', { name: 'Gina 2' }, { errors: [{ field: 'name', code: 'name_characters' }] }],
    ['a dash for a name', { name: '-' }, { errors: [{ field: 'name', code: 'name_characters' }] }],
    ['no email', { email: 'nobody' }, { errors: [{ field: 'email', code: 'invalid_email' }] }],
    ['a part where all is asked for', { amount: '5.00' }, { code: 'parts_not_allowed' }],
    ['more than is left', { amount: '20.01' }, { reason: 'more_than_is_left' }],
    ['a currency that no card pays in', { currency: 'JPY' }, { code: 'currency_not_supported' }],
  ])('is refused with %s', async (_, body, problem) => {
    const { data, id } = await requestMoney(rosa)
    expect(await catchProblem(startPayment(data, body))).toMatchObject(problem)
    expect(await loadDetails(rosa, id)).toMatchObject({ state: 'open', payments: [] })
  })

  test('cannot pay a request that is for another user, or has ended', async () => {
    const { data } = await requestMoney(rosa, { payer_id: sam.id })
    expect(await catchProblem(startPayment(data))).toMatchObject({ code: 'request_not_for_you' })
    const openRequest = await requestMoney(rosa)
    await cancel(rosa, openRequest.id)
    const body = { name: 'Gina', email: generateEmail(), currency: 'USD', expected_total: '1.00' } as const
    const order = { params: { data: openRequest.data }, body, idempotencyKey: randomUUID() }
    expect(await catchProblem(sam.call(payAsGuest, order))).toMatchObject({
      code: 'request_closed',
      reason: 'request_cancelled',
    })
  })

  test('sees their payment only with its receipt; the requester can neither read nor cancel it', async () => {
    const { data } = await requestMoney(rosa)
    const { receipt } = await startPayment(data)
    const changedReceipt = `${receipt.slice(0, -2)}${receipt.at(-2) === 'A' ? 'B' : 'A'}${receipt.at(-1)!}`
    for (const invalidReceipt of [changedReceipt, data, 'x', `${receipt}A`]) {
      expect(await catchProblem(loadReceipt(invalidReceipt))).toMatchObject({ code: 'not_found' })
    }
    const id = decodePaymentId(receipt)
    expect(await catchProblem(rosa.call(paymentStatus, { params: { id } }))).toMatchObject({ code: 'not_found' })
    expect(await catchProblem(rosa.call(cancelPayment, { params: { id } }))).toMatchObject({ code: 'not_found' })
  })
})

describe('guest limits', () => {
  test('are 150 dollars a payment, and 300 in 30 days per email', async () => {
    const largeRequest = await requestMoney(rosa, { amount: '140.00' })
    expect(await catchProblem(startPayment(largeRequest.data, { currency: 'EUR' }))).toMatchObject({
      code: 'limit_exceeded',
      reason: 'guest_payment_limit',
    })
    const email = generateEmail()
    const [first, second, third] = await Promise.all([1, 2, 3].map(() => requestMoney(rosa, { amount: '120.00' })))
    const openPayment = await startPayment(first!.data, { email, currency: 'EUR' })
    await startPayment(second!.data, { email, currency: 'EUR' })
    const refusedPayment = await catchProblem(startPayment(third!.data, { email, currency: 'EUR' }))
    expect(refusedPayment).toMatchObject({ code: 'limit_exceeded', reason: 'guest_month_limit' })
    // A cancelled payment no longer counts.
    await sam.call(cancelGuestPayment, { params: { receipt: openPayment.receipt } })
    expect(await startPayment(third!.data, { email, currency: 'EUR' })).toMatchObject({ state: 'open' })
  })

  test('hold for concurrent payments by one email', async () => {
    const email = generateEmail()
    const requests = await Promise.all([1, 2, 3].map(() => requestMoney(rosa, { amount: '120.00' })))
    const writerBlock = await blockWriters(world.database, 'guest_payment')
    const paymentOutcomes = Promise.all(
      requests.map(({ data }) => catchProblem(startPayment(data, { email, currency: 'EUR' }))),
    )
    await writerBlock.waitForWaiters(3)
    await writerBlock.release()
    const outcomes = (await paymentOutcomes) as { state: string; reason?: string }[]
    expect(outcomes.map(({ state, reason }) => reason ?? state).toSorted()).toEqual([
      'guest_month_limit',
      'open',
      'open',
    ])
  })

  test('hold for one card that pays three requests concurrently', async () => {
    const requests = await Promise.all([1, 2, 3].map(() => requestMoney(rosa, { amount: '120.00' })))
    const payments = await Promise.all(requests.map(({ data }) => startPayment(data, { currency: 'EUR' })))
    const writerBlock = await blockWriters(world.database, 'guest_payment')
    const guestOutcomes = Promise.all(payments.map((guest) => payAndWait(guest)))
    await writerBlock.waitForWaiters(3)
    await writerBlock.release()
    expect((await guestOutcomes).map(({ state }) => state).toSorted()).toEqual(['failed', 'paid', 'paid'])
    expect(await loadBalance(rosa)).toBe('240.00')
  })

  test('allow twenty open checkouts of one request, also concurrently', async () => {
    const { data } = await requestMoney(rosa)
    for (let guest = 0; guest < 18; guest += 1) await startPayment(data)
    const writerBlock = await blockWriters(world.database, 'guest_payment')
    const paymentOutcomes = Promise.all([1, 2, 3].map(() => catchProblem(startPayment(data))))
    await writerBlock.waitForWaiters(3)
    await writerBlock.release()
    const outcomes = (await paymentOutcomes) as { state: string; reason?: string }[]
    expect(outcomes.map(({ state, reason }) => reason ?? state).toSorted()).toEqual(['open', 'open', 'too_many_guests'])
  })

  test('are 300 in 30 days per card, for any emails; beyond it the card is not charged', async () => {
    const requests = await Promise.all([1, 2, 3].map(() => requestMoney(rosa, { amount: '120.00' })))
    for (const { data } of requests.slice(0, 2)) {
      expect(await payAndWait(await startPayment(data, { currency: 'EUR' }))).toMatchObject({ state: 'paid' })
    }
    const email = generateEmail()
    const third = await startPayment(requests[2]!.data, { currency: 'EUR', email })
    const refusedPayment = await payAndWait(third)
    expect(refusedPayment).toMatchObject({
      state: 'failed',
      reason: expect.stringContaining('Your card was not charged'),
    })
    expect(await loadDetails(rosa, requests[2]!.id)).toMatchObject({ state: 'open', payments: [] })
    expect(await loadSession(third.receipt)).toMatchObject({ status: 'declined' })
    expect(await nextMail(world, { email }, /was not charged$/)).toContain('Your card was not charged')
  })
})

describe('only one payer’s card is charged', () => {
  test('of ten guests and a member who pay concurrently', async () => {
    await world.fund(sam, 10_000)
    const { data, id } = await requestMoney(rosa)
    const payments = await Promise.all(Array.from({ length: 10 }, () => startPayment(data)))
    const member = catchProblem(pay(sam, data))
    await Promise.all(payments.map(({ redirect_url: url }) => payCheckout(url!)))
    const receipts = await Promise.all(payments.map(({ receipt }) => waitForFinalReceipt(receipt)))
    const paidCount = receipts.filter(({ state }) => state === 'paid').length
    const memberPayment = (await member) as { status?: string }
    expect(paidCount + (memberPayment.status === 'COMPLETED' ? 1 : 0)).toBe(1)
    expect(await loadBalance(rosa)).toBe('20.00')
    const request = await loadDetails(rosa, id)
    expect(request).toMatchObject({ state: 'paid', paid_amount: '20.00' })
    expect(request.payments).toHaveLength(1)
    const sessions = await Promise.all(payments.map(({ receipt }) => loadSession(receipt)))
    expect(sessions.filter(({ status }) => status === 'settled')).toHaveLength(paidCount)
    const losers = receipts.filter(({ state }) => state === 'failed')
    expect(losers.every(({ reason }) => reason?.includes('not charged'))).toBe(true)
  })

  test('and none if the request is cancelled while the card is entered', async () => {
    const { data, id } = await requestMoney(rosa)
    const payment = await startPayment(data)
    await cancel(rosa, id)
    expect(await payAndWait(payment)).toMatchObject({ state: 'failed', reason: expect.stringContaining('not charged') })
    expect(await loadSession(payment.receipt)).toMatchObject({ status: 'declined' })
    expect(await loadBalance(rosa)).toBe('0.00')
  })

  test('an unanswered capture keeps the request for the guest, and is retried', async () => {
    const { data, id } = await requestMoney(rosa)
    const payment = await startPayment(data)
    const silentPayments = createPaymentsWith(world, {
      card: { capture: () => Promise.resolve({ status: 'unknown', reason: 'silence' }) },
    })
    await dropEvents(async () => {
      await payCheckout(payment.redirect_url!)
      await silentPayments.check(decodePaymentId(payment.receipt))
      expect(await loadDetails(rosa, id)).toMatchObject({ state: 'processing', payments: [{ state: 'processing' }] })
      expect(await catchProblem(cancel(rosa, id))).toMatchObject({
        code: 'request_closed',
        reason: 'request_processing',
      })
      expect(await catchProblem(pay(sam, data))).toMatchObject({ code: 'request_closed' })
    })
    await world.app.product.payments.check(decodePaymentId(payment.receipt))
    expect(await waitForFinalReceipt(payment.receipt)).toMatchObject({ state: 'paid' })
    expect(await loadBalance(rosa)).toBe('20.00')
  })

  test('an authorization that lapses frees the request', async () => {
    const { data, id } = await requestMoney(rosa)
    const payment = await startPayment(data)
    const paymentId = decodePaymentId(payment.receipt)
    const expiredCapture = { status: 'declined', paymentId, reason: 'expired' } as const
    const expiringPayments = createPaymentsWith(world, { card: { capture: () => Promise.resolve(expiredCapture) } })
    await dropEvents(async () => {
      await payCheckout(payment.redirect_url!)
      await expiringPayments.check(paymentId)
    })
    expect(await loadReceipt(payment.receipt)).toMatchObject({ state: 'failed' })
    expect(await loadDetails(rosa, id)).toMatchObject({ state: 'open', remaining_amount: '20.00', payments: [] })
  })

  test('an unrequested charge opens a case if no request can take it', async () => {
    const { data, id } = await requestMoney(rosa)
    const payment = await startPayment(data)
    await cancel(rosa, id)
    const paymentId = decodePaymentId(payment.receipt)
    const settledState = {
      status: 'settled',
      paymentId,
      amount: money('USD', await loadMinor(paymentId)),
      captureId: 'cap_by_hand',
    } as const
    const { check } = createPaymentsWith(world, { card: { lookup: () => Promise.resolve(settledState) } })
    await check(paymentId)
    expect(await loadReceipt(payment.receipt)).toMatchObject({ state: 'processing' })
    expect(await loadBalance(rosa)).toBe('0.00')
    const { rows } = await world.database.pool.query(
      'select detail from reconciliation_exception where reference = $1 and closed_at is null',
      [paymentId],
    )
    expect(rows).toEqual([{ detail: 'capture_not_awaited' }])
  })
})

const loadMinor = async (paymentId: string) => {
  const { rows } = await world.database.pool.query<{ amount_minor: bigint }>(
    'select amount_minor from payment where id = $1',
    [paymentId],
  )
  return rows[0]!.amount_minor
}

/** Suppresses the sandbox's events while `callback` runs. */
async function dropEvents(callback: () => Promise<void>): Promise<void> {
  const setEventLoss = (percent: number) =>
    fetch(`${world.sandboxUrl}/api/control/webhooks`, {
      method: 'PUT',
      headers: { authorization: `Bearer ${world.sandboxSecret}`, 'content-type': 'application/json' },
      body: JSON.stringify({ drop_percent: percent }),
    })
  await setEventLoss(100)
  await callback()
  await setEventLoss(0)
}
