import { randomUUID } from 'node:crypto'
import {
  bankLinkStatus,
  finishBankLink,
  linkBankAccount,
  paymentMethods,
  payoutStatus,
  withdraw,
} from '@tern/contract/banking'
import { deposit, depositByCard, paymentStatus } from '@tern/contract/payments'
import { walletOfUser } from '@tern/contract/wallets'
import { Stripe } from 'stripe'
import { afterAll, beforeEach, expect, test, vi } from 'vitest'
import { startTestApp, type TestPerson } from '@tern/testkit/app'
import {
  buildStripeEvent,
  intent,
  session,
  startStripeDouble,
  stripeError,
  testSecret,
} from '@tern/testkit/providers/stripe'
import { confirm, readRequirement, loadFailedChecks, settleCall, loadStoredPayout } from '@tern/testkit/banking'

let mia: TestPerson
let sessionId: string
let paymentIntent: string

const stripeDouble = await startStripeDouble()
const world = await startTestApp({
  environment: {
    STRIPE_SECRET_KEY: 'sk_test_double',
    STRIPE_WEBHOOK_SECRET: testSecret,
    STRIPE_FINANCIAL_ACCOUNT: 'fa_1',
    STRIPE_API_URL: stripeDouble.url,
  },
})
afterAll(async () => {
  await world.close()
  await stripeDouble.close()
})
beforeEach(async () => {
  mia = await world.enroll('mia', 'United States')
  const suffix = randomUUID().replaceAll('-', '')
  sessionId = `cs_test_${suffix}`
  paymentIntent = `pi_${suffix}`
})

/** Begins a deposit of 100 dollars and returns the payment's id. */
async function startPayment(saveCard = false): Promise<string> {
  const url = 'https://checkout.stripe.com/c/pay'
  stripeDouble.on('POST /v1/checkout/sessions', { body: { id: sessionId, url } })
  const payment = await mia.call(depositByCard, {
    body: { amount: 10_000, currency: 'usd', saveCard },
    idempotencyKey: randomUUID(),
  })
  expect(payment.redirectUrl).toBe(url)
  return payment.payment_id
}

const { webhooks } = new Stripe('sk_test_double')

async function deliver(
  type: string,
  object: object,
  { id = `evt_${randomUUID()}`, secret = testSecret, name = 'stripe' } = {},
): Promise<number> {
  return post(buildStripeEvent({ id, type, object }), secret, name)
}

async function post(event: object, secret = testSecret, name = 'stripe'): Promise<number> {
  const body = JSON.stringify(event)
  const answer = await world.raw('POST', `/webhooks/${name}`, {
    body,
    headers: {
      'content-type': 'application/json',
      'stripe-signature': webhooks.generateTestHeaderString({ payload: body, secret }),
    },
  })
  return answer.status
}

const buildPaidSession = (paymentId: string, overrides: object = {}): object =>
  session({
    id: sessionId,
    metadata: { payment_id: paymentId, method: 'card' },
    payment_intent: paymentIntent,
    ...overrides,
  })

const loadStatus = async (id: string) => (await mia.call(paymentStatus, { params: { id } })).status
const loadBalance = async () => (await mia.call(walletOfUser, { params: { userId: String(mia.id) } })).fiat_balance

test.each([
  ['a key that is not accepted', 401, { code: 'api_key_expired' }],
  ['a key that may not do this', 403, {}],
  ['a call that we make wrongly', 400, { code: 'parameter_unknown' }],
])(
  '%s is our fault: the payer may repeat the payment, and an error is logged for operators',
  async (_name, status, error) => {
    const loadMetrics = async () => (await world.readAsOperator('/metrics')).text()
    const gauge = 'tern_provider_faults{kind="money",provider="stripe"}'
    const loadReadiness = async () => (await fetch(`${world.url}/readyz`)).json()
    stripeDouble.on('POST /v1/checkout/sessions', stripeError(status, error))
    const idempotencyKey = randomUUID()
    const requestDeposit = () =>
      settleCall(mia.call(depositByCard, { body: { amount: 10_000, currency: 'usd' }, idempotencyKey }))
    expect(await requestDeposit()).toMatchObject({ code: 'provider_unavailable', status: 503 })
    const { rows } = await world.database.pool.query('select status, reason from payment where user_id = $1', [mia.id])
    expect(rows).toEqual([{ status: 'pending', reason: null }])
    expect(await loadMetrics()).toContain(`${gauge} 1`)
    expect(await loadReadiness()).toMatchObject({ status: 'ready', warnings: ['provider_fault:money'] })
    const url = 'https://checkout.stripe.com/c/pay'
    stripeDouble.on('POST /v1/checkout/sessions', { body: { id: sessionId, url } })
    expect(await requestDeposit()).toMatchObject({ redirectUrl: url })
    expect(await loadMetrics()).toContain(`${gauge} 0`)
    expect(await loadReadiness()).toEqual({ status: 'ready', warnings: [] })
  },
)

test('a payment at Stripe is credited once by its signed event, however often that comes', async () => {
  const paymentId = await startPayment()
  const id = `evt_${randomUUID()}`
  const statuses = await Promise.all([
    deliver('checkout.session.completed', buildPaidSession(paymentId), { id }),
    deliver('checkout.session.completed', buildPaidSession(paymentId), { id }),
    deliver('checkout.session.async_payment_succeeded', buildPaidSession(paymentId)),
  ])
  expect(statuses).toEqual([204, 204, 204])
  expect(await loadStatus(paymentId)).toBe('completed')
  expect(await loadBalance()).toBe('100.00')
  expect(await loadFailedChecks(world)).toEqual([])
})

test('an event that Stripe did not sign, or that reaches the sandbox, has no effect', async () => {
  const paymentId = await startPayment()
  const event = ['checkout.session.completed', buildPaidSession(paymentId)] as const
  expect(await deliver(...event, { secret: 'whsec_of_somebody_else' })).toBeGreaterThanOrEqual(400)
  expect(await deliver(...event, { name: 'sandbox' })).toBe(400)
  expect(await loadStatus(paymentId)).toBe('pending')
})

test('details missing from an event are fetched; without an answer Stripe sends it again', async () => {
  const paymentId = await startPayment(true)
  const card = { brand: 'visa', fingerprint: `fp_${sessionId}`, last4: '4242', exp_month: 4, exp_year: 2031 }
  const cardIntent = intent({
    id: paymentIntent,
    customer: 'cus_1',
    setup_future_usage: 'off_session',
    payment_method: { id: 'pm_1', card },
  })
  const metadata = { payment_id: paymentId, method: 'card', save_card: 'yes' }
  const lookup = `GET /v1/checkout/sessions/${sessionId}`
  const event = [
    'checkout.session.completed',
    buildPaidSession(paymentId, { metadata }),
    { id: `evt_${randomUUID()}` },
  ] as const

  stripeDouble.on(lookup, stripeError(503, { type: 'api_error' }))
  expect(await deliver(...event)).toBe(500)
  expect(await loadStatus(paymentId)).toBe('pending')

  stripeDouble.on(lookup, { body: buildPaidSession(paymentId, { metadata, payment_intent: cardIntent }) })
  expect(await deliver(...event)).toBe(204)
  expect(await loadStatus(paymentId)).toBe('completed')
  const { cards } = await mia.call(paymentMethods, {})
  expect(cards).toMatchObject([{ brand: 'Visa', last4: '4242', is_default: true }])
  expect(await loadFailedChecks(world)).toEqual([])
})

test('a refund at Stripe takes the money back, once', async () => {
  const paymentId = await startPayment()
  await deliver('checkout.session.completed', buildPaidSession(paymentId))
  const refund = { id: `re_${paymentIntent}`, object: 'refund', amount: 2500, currency: 'usd', created: 1_772_355_600 }
  const intentPayload = intent({ id: paymentIntent, metadata: { payment_id: paymentId, method: 'card' } })
  stripeDouble.on(`GET /v1/refunds/${refund.id}`, {
    body: { ...refund, balance_transaction: 'txn_1', payment_intent: intentPayload, status: 'succeeded' },
  })
  expect(await deliver('refund.created', refund)).toBe(204)
  expect(await deliver('refund.updated', refund)).toBe(204)
  expect(await loadBalance()).toBe('75.00')
  expect(await loadFailedChecks(world)).toEqual([])
})

test('a bank account at Stripe is linked, debited and paid, and a returned payout is credited', async () => {
  const account = `acct_${paymentIntent}`
  stripeDouble.on('POST /v2/core/accounts', { body: { id: account } })
  stripeDouble.on('POST /v1/checkout/sessions', { body: { id: sessionId, url: 'https://checkout.stripe.com/c/setup' } })
  const requirement = readRequirement(await settleCall(mia.call(linkBankAccount, { body: {} })))
  await confirm(world, mia, requirement)
  const { link_id: linkId } = await mia.call(linkBankAccount, { body: {}, confirmation: requirement.id })
  const setupCall = stripeDouble.calls.findLast(({ fields }) => fields['metadata[link_id]'] === linkId)
  const { success_url: successUrl, cancel_url: cancelUrl } = setupCall?.fields ?? {}
  expect(new URL(cancelUrl ?? '').searchParams.has('link_secret')).toBe(false)
  const secret = new URL(successUrl ?? '').searchParams.get('link_secret') ?? ''
  const bank = {
    bank_name: 'Harbour Bank',
    fingerprint: `fp_${account}`,
    last4: '6789',
    financial_connections_account: null,
  }
  stripeDouble.on(`GET /v1/checkout/sessions/${sessionId}`, {
    body: {
      id: sessionId,
      mode: 'setup',
      status: 'complete',
      metadata: { link_id: linkId },
      customer_account: account,
      setup_intent: { id: 'seti_1', status: 'succeeded', payment_method: { id: 'pm_1', us_bank_account: bank } },
    },
  })
  const payableAccount = { last4: '6789', country: 'US', bank_name: 'Harbour Bank', supported_currencies: ['usd'] }
  stripeDouble.on('GET /v2/money_management/payout_methods', {
    body: {
      data: [{ id: 'usba_1', archived: false, bank_account: payableAccount, usage_status: { payments: 'eligible' } }],
      next_page_url: null,
    },
  })
  const wrongSecretRequest = { params: { id: linkId }, body: { secret: 'A'.repeat(43) } }
  expect(await settleCall(mia.call(finishBankLink, wrongSecretRequest))).toMatchObject({
    code: 'link_of_other_browser',
  })
  expect(await mia.call(bankLinkStatus, { params: { id: linkId } })).toMatchObject({ status: 'pending' })
  await mia.call(finishBankLink, { params: { id: linkId }, body: { secret } })
  const linkedState = await vi.waitFor(
    async () => {
      const state = await mia.call(bankLinkStatus, { params: { id: linkId } })
      expect(state).toMatchObject({ status: 'linked', bank_account: { bank_name: 'Harbour Bank', last4: '6789' } })
      return state
    },
    { timeout: 120_000, interval: 200 },
  )

  stripeDouble.on('POST /v1/payment_intents', { body: intent({ id: paymentIntent, status: 'processing' }) })
  const { payment_id: paymentId } = await mia.call(deposit, {
    body: { amount: '50.00', currency: 'USD', method: 'bank' },
    idempotencyKey: randomUUID(),
  })
  const metadata = { payment_id: paymentId, method: 'bank' }
  const debitIntent = intent({ id: paymentIntent, amount_received: 5000, metadata })
  expect(await deliver('payment_intent.succeeded', debitIntent)).toBe(204)
  expect(await loadStatus(paymentId)).toBe('completed')
  expect(await loadBalance()).toBe('50.00')

  const outboundId = `obp_${paymentIntent}`
  stripeDouble.on('POST /v2/money_management/outbound_payments', { body: { id: outboundId, status: 'processing' } })
  const { payout_id: payoutId } = await mia.call(withdraw, {
    body: { amount: '20.00', currency: 'USD', bankAccountId: linkedState.bank_account?.id ?? '' },
    idempotencyKey: randomUUID(),
  })
  await world.app.product.payments.checkPending(new Date(world.app.product.now().getTime() + 60_000))
  expect((await loadStoredPayout(world, payoutId)).provider_payout_id).toBe(outboundId)
  for (const [status, expectedStatus, expectedBalance] of [
    ['posted', 'completed', '30.00'],
    ['returned', 'returned', '50.00'],
  ] as const) {
    stripeDouble.on(`GET /v2/money_management/outbound_payments/${outboundId}`, {
      body: {
        id: outboundId,
        status,
        amount: { value: 2000, currency: 'usd' },
        from: { debited: { value: 2000, currency: 'usd' }, financial_account: 'fa_1' },
        metadata: { payout_id: payoutId },
      },
    })
    const event = { id: `evt_${randomUUID()}`, object: 'v2.core.event', related_object: { id: outboundId, url: '' } }
    expect(await post({ ...event, type: `v2.money_management.outbound_payment.${status}` })).toBe(204)
    expect((await mia.call(payoutStatus, { params: { id: payoutId } })).status).toBe(expectedStatus)
    expect(await loadBalance()).toBe(expectedBalance)
  }
  expect(await loadFailedChecks(world)).toEqual([])
})
