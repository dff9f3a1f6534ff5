import { randomUUID } from 'node:crypto'
import { paymentMethods } from '@tern/contract/banking'
import { createQuote } from '@tern/contract/exchange'
import { cancelPayment, depositByCard, paymentStatus } from '@tern/contract/payments'
import { cancelGuestPayment, guestPayment } from '@tern/contract/requests/guest-payments'
import { walletOfUser } from '@tern/contract/wallets'
import { startTestApp, type TestPerson } from '@tern/testkit/app'
import { loadFailedChecks, settleCall } from '@tern/testkit/banking'
import { loadStoredPayment, requestMoney, startGuestPayment } from '@tern/testkit/payments'
import { adyenWebhookKey, problem } from '@tern/testkit/providers/adyen'
import {
  adyenMerchant,
  createPspReference,
  type NotificationItem,
  startAdyenCheckout,
  writeNotification,
} from '@tern/testkit/providers/adyen-checkout'
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest'
import { agePayments } from '../../../../../../tools/aging.ts'
import { createMoneyRegistry } from '../../../platform/providers/money-registry.ts'
import { createRegistry } from '../../../platform/providers/provider-registry.ts'
import { createExchange, createRates } from '../../exchange/exchange.ts'
import { createPayments } from '../payments.ts'

// Adyen takes cards; the sandbox links bank accounts and pays out.
const adyen = await startAdyenCheckout()
const world = await startTestApp({
  environment: {
    ADYEN_CHECKOUT_KEY: 'AQE_checkout_key',
    ADYEN_MERCHANT_ACCOUNT: adyenMerchant,
    ADYEN_CHECKOUT_WEBHOOK_KEY: adyenWebhookKey,
    ADYEN_CHECKOUT_URL: adyen.url,
    MONEY_PROVIDERS: 'adyen-cards method=card currency=USD,EUR; sandbox',
  },
})
const { pool } = world.database
const { payments } = world.app.product
const log = { warn() {}, error() {} }
afterAll(async () => {
  await world.close()
  await adyen.close()
})

const route = 'POST /v71/paymentLinks'
let mia: TestPerson
beforeEach(async () => {
  mia = await world.enroll('mia', 'United States')
})
afterEach(async () => {
  adyen.off(route)
  expect(await loadFailedChecks(world)).toEqual([])
})

const shortlyLater = () => new Date(world.app.product.now().getTime() + 60_000)
const loadStatus = async (id: string) => (await mia.call(paymentStatus, { params: { id } })).status
const loadBalance = async (person = mia) =>
  (await person.call(walletOfUser, { params: { userId: String(person.id) } })).fiat_balance

async function post(body: string, name = 'adyen-cards'): Promise<number> {
  const headers = { 'content-type': 'application/json' }
  return (await world.raw('POST', `/webhooks/${name}`, { body, headers })).status
}
const deliver = (...items: NotificationItem[]): Promise<number> => post(writeNotification(items))

/** Begins a deposit of 100 dollars; returns its id and its page at Adyen. */
async function deposit(overrides: object = {}) {
  const { payment_id: id, redirectUrl } = await mia.call(depositByCard, {
    body: { amount: 10_000, currency: 'usd', ...overrides },
    idempotencyKey: randomUUID(),
  })
  return { id, page: redirectUrl!.split('/').at(-1)! }
}

/** Deposits 100 dollars, paid and reported; returns ids and the item of the authorization. */
async function settledDeposit() {
  const { id, page } = await deposit()
  const authorization = adyen.pay(page)
  expect(await deliver(authorization)).toBe(204)
  expect(await loadStatus(id)).toBe('completed')
  return { id, page, authorization }
}

const change = (
  { authorization }: { authorization: NotificationItem & { readonly pspReference: string } },
  eventCode: string,
  overrides: Partial<NotificationItem> = {},
): NotificationItem => ({
  eventCode,
  merchantReference: authorization.merchantReference,
  amount: authorization.amount,
  originalReference: authorization.pspReference,
  pspReference: createPspReference(),
  ...overrides,
})

test('a deposit is made on a page of Adyen, and credited once by its signed event, however often that comes', async () => {
  const { id, page } = await deposit()
  expect(JSON.parse(adyen.calls.at(-1)!.text)).toMatchObject({
    amount: { currency: 'USD', value: 10_000 },
    merchantAccount: adyenMerchant,
    reference: id,
    expiresAt: expect.any(String),
  })
  const authorization = adyen.pay(page)
  await payments.checkPendingPayments(shortlyLater())
  expect([await loadStatus(id), await loadBalance()]).toEqual(['pending', '0.00'])

  const statuses = await Promise.all([
    deliver(authorization),
    deliver(authorization, authorization),
    deliver({ ...authorization, eventDate: '2026-01-01T00:00:00Z' }),
  ])
  expect(statuses).toEqual([204, 204, 204])
  expect(await deliver(authorization, change({ authorization }, 'CAPTURE'))).toBe(204)
  await payments.checkPendingPayments(shortlyLater())
  expect([await loadStatus(id), await loadBalance()]).toEqual(['completed', '100.00'])
  expect(await loadStoredPayment(world, id)).toMatchObject({ capture_id: authorization.pspReference })
})

test('neither the return from the page nor an event that is not ours pays', async () => {
  const { id, page } = await deposit()
  const authorization = adyen.pay(page)
  expect((await fetch(`${world.url}/deposit?payment_success=true&payment_id=${id}`)).status).toBeLessThan(500)
  expect(await post(writeNotification([authorization], { key: '11'.repeat(32) }))).toBe(400)
  expect(await post(writeNotification([authorization], { live: 'true' }))).toBe(400)
  expect(await post('{"live":"false"')).toBe(400)
  expect(await post(writeNotification([authorization]), 'sandbox')).toBe(400)
  expect(await post(writeNotification([authorization]), 'adyen')).toBe(404)
  expect(await deliver({ ...authorization, merchantAccountCode: 'OtherMerchant' })).toBe(204)
  expect(await deliver({ ...authorization, success: 'false' })).toBe(204)
  expect([await loadStatus(id), await loadBalance()]).toEqual(['pending', '0.00'])
})

test.each([
  ['another amount', { amount: { value: 9999, currency: 'USD' } }],
  ['another currency', { amount: { value: 10_000, currency: 'EUR' } }],
])('%s than ordered is left to an operator, and never credited', async (_name, overrides) => {
  const { id, page } = await deposit()
  expect(await deliver(adyen.pay(page, overrides))).toBe(204)
  expect(await loadBalance()).toBe('0.00')
  expect(await loadStoredPayment(world, id)).toMatchObject({ status: 'needs_review' })
})

test('a deposit whose event finds no rates is settled by polling, once there are some', async () => {
  const quote = await mia.call(createQuote, {
    body: { source_currency: 'EUR', target_currency: 'USD', amount: '92.00', side: 'source' },
  })
  const { id, page } = await deposit({ amount: 9200, currency: 'eur', quote_id: quote.quote_id })
  await agePayments(pool, mia.id, 6)
  const { product } = world.app
  const rates = createRates({ ...product, sources: createRegistry([]), log })
  const exchange = createExchange({ ...product, rates, secret: Buffer.from(world.secret, 'base64url') })
  const providers = product.providers.money
  const withoutRates = createPayments({ ...product, exchange, providers, publicUrl: world.url, log })
  const rawBody = Buffer.from(writeNotification([adyen.pay(page)]))
  for (const provider of ['adyen-cards', 'adyen-cards'])
    await withoutRates.receiveEvent({ provider, rawBody, headers: {} })
  expect([await loadStatus(id), await loadBalance()]).toEqual(['pending', '0.00'])
  await payments.checkPendingPayments(shortlyLater())
  expect(await loadStatus(id)).toBe('completed')
  expect(await loadBalance()).not.toBe('0.00')
})

test('a second payment of one page is left to an operator', async () => {
  const settled = await settledDeposit()
  expect(await deliver({ ...settled.authorization, pspReference: createPspReference() })).toBe(204)
  expect(await loadBalance()).toBe('100.00')
  const { rows } = await pool.query('select detail from reconciliation_exception where reference = $1', [settled.id])
  expect(rows).toEqual([{ detail: 'captured_again' }])
})

test.each([
  ['no answer', 'silence'],
  ['a fault', problem(500, '905')],
  ['a key that is not accepted', problem(401, '000')],
] as const)('after %s the payer repeats the deposit, which opens one page', async (_name, answer) => {
  adyen.on(route, answer)
  const idempotencyKey = randomUUID()
  const begin = () => mia.call(depositByCard, { body: { amount: 10_000, currency: 'usd' }, idempotencyKey })
  const before = adyen.links.size
  expect(await settleCall(begin())).toMatchObject({ code: 'provider_unavailable' })
  adyen.off(route)
  const [first, second] = [await begin(), await begin()]
  expect(second.redirectUrl).toBe(first.redirectUrl)
  expect(adyen.links.size).toBe(before + 1)
})

test('a deposit that Adyen refuses fails', async () => {
  adyen.on(route, problem(422, '130'))
  const call = mia.call(depositByCard, { body: { amount: 10_000, currency: 'usd' }, idempotencyKey: randomUUID() })
  expect(await settleCall(call)).toMatchObject({ code: 'payment_refused' })
})

test('an open page is cancelled by its payer, and expires', async () => {
  const [canceled, expired] = [await deposit(), await deposit()]
  expect(await mia.call(cancelPayment, { params: { id: canceled.id } })).toMatchObject({ status: 'failed' })
  expect(adyen.links.get(canceled.page)!.status).toBe('expired')
  adyen.links.get(expired.page)!.status = 'expired'
  await payments.checkPendingPayments(shortlyLater())
  expect(await loadStatus(expired.id)).toBe('failed')
  // Money that arrives nevertheless is the payer's.
  expect(await deliver(adyen.pay(expired.page))).toBe(204)
  expect([await loadStatus(expired.id), await loadBalance()]).toEqual(['completed', '100.00'])
})

describe('a refund', () => {
  test('in parts takes each part once, and a failed one is given back', async () => {
    const settled = await settledDeposit()
    const [first, second] = [3000, 7000].map((value) =>
      change(settled, 'REFUND', { amount: { value, currency: 'USD' } }),
    )
    expect([await deliver(first!), await deliver(first!)]).toEqual([204, 204])
    expect([await loadStatus(settled.id), await loadBalance()]).toEqual(['completed', '70.00'])
    expect(await deliver(second!)).toBe(204)
    expect([await loadStatus(settled.id), await loadBalance()]).toEqual(['reversed', '0.00'])
    const failure = { ...second!, eventCode: 'REFUND_FAILED' }
    expect(await deliver(failure, { ...failure, eventCode: 'REFUNDED_REVERSED' })).toBe(204)
    expect([await loadStatus(settled.id), await loadBalance()]).toEqual(['completed', '70.00'])
  })

  test('under a reference of the operator belongs to the payment that it names', async () => {
    const settled = await settledDeposit()
    expect(await deliver(change(settled, 'REFUND', { merchantReference: 'goodwill 17' }))).toBe(204)
    expect([await loadStatus(settled.id), await loadBalance()]).toEqual(['reversed', '0.00'])
  })

  test('that is reported before the payment waits for it', async () => {
    const { id, page } = await deposit()
    const authorization = adyen.pay(page)
    const refund = change({ authorization }, 'REFUND', { amount: { value: 3000, currency: 'USD' } })
    expect(await deliver(refund)).toBe(503)
    expect(await deliver(refund, authorization)).toBe(503)
    expect([await loadStatus(id), await loadBalance()]).toEqual(['completed', '100.00'])
    expect(await deliver(refund, authorization)).toBe(204)
    expect(await loadBalance()).toBe('70.00')
  })

  test.each(['CAPTURE_FAILED', 'CANCELLATION'])('%s: money that never comes is taken once', async (code) => {
    const settled = await settledDeposit()
    expect(await deliver(change(settled, code), change(settled, code))).toBe(204)
    expect([await loadStatus(settled.id), await loadBalance()]).toEqual(['reversed', '0.00'])
  })
})

describe('a chargeback', () => {
  const loadWarning = async (paymentId: string) =>
    (
      await pool.query('select kind, reason, is_open, respond_by from issuer_warning where payment_id = $1', [
        paymentId,
      ])
    ).rows
  const additionalData = {
    chargebackReasonCode: '10.4',
    disputeStatus: 'Undefended',
    defensePeriodEndsAt: '2026-12-20T12:00:00Z',
  }

  test('is announced, taken, won back and lost, in any order', async () => {
    const settled = await settledDeposit()
    const dispute = createPspReference()
    const report = (code: string) => change(settled, code, { pspReference: dispute, additionalData })
    expect(await deliver(report('NOTIFICATION_OF_CHARGEBACK'))).toBe(204)
    const respondBy = new Date(additionalData.defensePeriodEndsAt)
    expect(await loadWarning(settled.id)).toEqual([
      { kind: 'dispute', reason: 'fraudulent', is_open: true, respond_by: respondBy },
    ])
    expect(await loadBalance()).toBe('100.00')
    expect([await deliver(report('CHARGEBACK')), await deliver(report('CHARGEBACK'))]).toEqual([204, 204])
    expect([await loadStatus(settled.id), await loadBalance()]).toEqual(['reversed', '0.00'])
    expect(await deliver(report('CHARGEBACK_REVERSED'))).toBe(204)
    expect([await loadStatus(settled.id), await loadBalance()]).toEqual(['completed', '100.00'])
    expect(await deliver(report('SECOND_CHARGEBACK'))).toBe(204)
    expect([await loadStatus(settled.id), await loadBalance()]).toEqual(['reversed', '0.00'])
    expect(await loadWarning(settled.id)).toMatchObject([{ is_open: false }])
  })

  test('that has ended is not reopened by a late event', async () => {
    const settled = await settledDeposit()
    const dispute = createPspReference()
    const report = (code: string) => change(settled, code, { pspReference: dispute, additionalData })
    expect(await deliver(report('CHARGEBACK_REVERSED'))).toBe(503)
    expect(await loadBalance()).toBe('100.00')
    expect(await deliver(report('CHARGEBACK'))).toBe(204)
    expect(await deliver(report('CHARGEBACK_REVERSED'))).toBe(204)
    expect(await deliver(report('NOTIFICATION_OF_CHARGEBACK'))).toBe(204)
    expect(await loadWarning(settled.id)).toMatchObject([{ is_open: false }])
    const { rows } = await pool.query(
      'select closed_at is null as is_open from reconciliation_exception where subject = $1',
      [dispute],
    )
    expect(rows.filter((row) => row.is_open)).toEqual([])
    expect(await loadBalance()).toBe('100.00')
  })

  test('a notification of fraud restricts the money, and moves none', async () => {
    const settled = await settledDeposit()
    expect(await deliver(change(settled, 'NOTIFICATION_OF_FRAUD'))).toBe(204)
    expect(await loadWarning(settled.id)).toMatchObject([{ kind: 'early_fraud_warning', is_open: true }])
    expect(await loadBalance()).toBe('100.00')
  })
})

describe('a guest', () => {
  const loadState = async (receipt: string) => (await mia.call(guestPayment, { params: { receipt } })).state

  /** Begins a guest's payment of 20 dollars, and pays on its page. */
  async function authorize() {
    await pool.query('delete from rate_limit')
    const { data } = await requestMoney(mia)
    const { receipt, redirect_url: url } = await startGuestPayment(mia, data)
    const page = url!.split('/').at(-1)!
    const authorization = adyen.pay(page)
    return { receipt, page, authorization, modification: `/v71/payments/${authorization.pspReference}` }
  }
  const count = (called: string) => adyen.calls.filter((call) => call.route === called).length

  test('is charged when the request can be paid, and the requester is paid by the event of the capture', async () => {
    const { receipt, authorization, modification } = await authorize()
    expect(await deliver(authorization)).toBe(204)
    expect(count(`POST ${modification}/captures`)).toBe(1)
    expect([await loadState(receipt), await loadBalance()]).not.toContain('paid')
    expect(await deliver(authorization, change({ authorization }, 'CAPTURE'))).toBe(204)
    expect([await loadState(receipt), await loadBalance()]).toEqual(['paid', '20.00'])
  })

  test('whose capture was lost is captured by polling, under the same key', async () => {
    const { authorization, modification } = await authorize()
    adyen.on(`POST ${modification}/captures`, problem(500, '905'))
    expect(await deliver(authorization)).toBe(204)
    adyen.off(`POST ${modification}/captures`)
    await payments.checkPendingPayments(shortlyLater())
    const keys = adyen.calls
      .filter((call) => call.route === `POST ${modification}/captures`)
      .map(({ headers }) => headers['idempotency-key'])
    expect([keys.length, new Set(keys).size]).toEqual([2, 1])
    expect(await deliver(change({ authorization }, 'CAPTURE'))).toBe(204)
    expect(await loadBalance()).toBe('20.00')
  })

  test.each([
    ['a capture that fails', 'CAPTURE', { success: 'false' }],
    ['an authorization that expires', 'EXPIRE', {}],
    ['an authorization that is cancelled', 'CANCELLATION', {}],
  ] as const)('%s pays nothing', async (_name, code, overrides) => {
    const { receipt, authorization } = await authorize()
    expect(await deliver(authorization)).toBe(204)
    expect(await deliver(change({ authorization }, code, overrides))).toBe(204)
    expect([await loadState(receipt), await loadBalance()]).toEqual(['failed', '0.00'])
  })

  test('who cancels while paying is not charged: the authorization is cancelled', async () => {
    const { receipt, page, authorization, modification } = await authorize()
    adyen.links.get(page)!.status = 'active'
    expect(await mia.call(cancelGuestPayment, { params: { receipt } })).toMatchObject({ state: 'failed' })
    expect(await deliver(authorization)).toBe(204)
    expect(count(`POST ${modification}/cancels`)).toBe(1)
    expect(await deliver(change({ authorization }, 'CANCELLATION'))).toBe(204)
    expect([await loadState(receipt), await loadBalance()]).toEqual(['failed', '0.00'])
  })

  test('who pays one page twice is charged once; the other authorization is cancelled', async () => {
    const { receipt, authorization, modification } = await authorize()
    const second = { ...authorization, pspReference: createPspReference() }
    expect(await deliver(authorization, second)).toBe(204)
    expect(count(`POST /v71/payments/${second.pspReference}/cancels`)).toBe(1)
    expect(await deliver(change({ authorization: second }, 'CANCELLATION'))).toBe(204)
    expect(count(`POST ${modification}/captures`)).toBe(1)
    expect(await deliver(change({ authorization }, 'CAPTURE'))).toBe(204)
    expect([await loadState(receipt), await loadBalance()]).toEqual(['paid', '20.00'])
  })
})

test('a card to be saved is entered at a provider that saves cards, if a rule allows one', async () => {
  const loadPayment = async (body: object) => {
    const { payment_id: id } = await mia.call(depositByCard, {
      body: { amount: 10_000, currency: 'usd', ...body },
      idempotencyKey: randomUUID(),
    })
    return (await pool.query('select provider, save_card from payment where id = $1', [id])).rows[0]
  }
  expect(await loadPayment({ saveCard: true })).toEqual({ provider: 'sandbox', save_card: true })
  expect(await loadPayment({ saveCard: false })).toEqual({ provider: 'adyen-cards', save_card: false })
  expect(await mia.call(paymentMethods, {})).toMatchObject({ cards: [], saves_cards: true })
})

test('saving a card is not offered if no rule allows a provider that saves cards', async () => {
  const { product } = world.app
  const rules = [{ provider: 'adyen-cards', method: ['card'] }]
  const providers = createMoneyRegistry(product.providers.money.all, { rules })
  const adyenOnly = createPayments({ ...product, providers, publicUrl: world.url, log })
  expect(await adyenOnly.savesCards(BigInt(mia.id))).toBe(false)
  expect(await payments.savesCards(BigInt(mia.id))).toBe(true)
})
