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
import { intent, session, startStripeDouble, stripeError, testSecret } from '@tern/testkit/providers/stripe'
import { confirm, readRequirement, failedChecks, settleCall, storedPayout } from '@tern/testkit/banking'

let mia: TestPerson
let sessionId: string
let paymentIntent: string

const double = await startStripeDouble()
const world = await startTestApp({
  environment: {
    STRIPE_SECRET_KEY: 'sk_test_double',
    STRIPE_WEBHOOK_SECRET: testSecret,
    STRIPE_FINANCIAL_ACCOUNT: 'fa_1',
    STRIPE_API_URL: double.url,
  },
})
afterAll(async () => {
  await world.close()
  await double.close()
})
beforeEach(async () => {
  mia = await world.enroll('mia', 'United States')
  const mark = randomUUID().replaceAll('-', '')
  sessionId = `cs_test_${mark}`
  paymentIntent = `pi_${mark}`
})

/** Begins a deposit of 100 dollars and returns the payment's id. */
async function begin(saveCard = false): Promise<string> {
  const url = 'https://checkout.stripe.com/c/pay'
  double.on('POST /v1/checkout/sessions', { body: { id: sessionId, url } })
  const begun = await mia.call(depositByCard, {
    body: { amount: 10_000, currency: 'usd', saveCard },
    idempotencyKey: randomUUID(),
  })
  expect(begun.redirectUrl).toBe(url)
  return begun.payment_id
}

const { webhooks } = new Stripe('sk_test_double')

async function deliver(
  type: string,
  object: object,
  { id = `evt_${randomUUID()}`, secret = testSecret, name = 'stripe' } = {},
): Promise<number> {
  return post({ id, object: 'event', type, created: 1_772_355_600, data: { object } }, secret, name)
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

const paid = (paymentId: string, over: object = {}): object =>
  session({
    id: sessionId,
    metadata: { payment_id: paymentId, method: 'card' },
    payment_intent: paymentIntent,
    ...over,
  })

const statusOf = async (id: string) => (await mia.call(paymentStatus, { params: { id } })).status
const balance = async () => (await mia.call(walletOfUser, { params: { userId: String(mia.id) } })).fiat_balance

test.each([
  ['a key that is not accepted', 401, { code: 'api_key_expired' }],
  ['a key that may not do this', 403, {}],
  ['a call that we make wrongly', 400, { code: 'parameter_unknown' }],
])(
  '%s is our fault: the payer may repeat the payment, and an error is logged for operators',
  async (_name, status, error) => {
    const metrics = async () => (await world.readAsOperator('/metrics')).text()
    const gauge = 'tern_provider_faults{kind="money",provider="stripe"}'
    const readiness = async () => (await fetch(`${world.url}/readyz`)).json()
    double.on('POST /v1/checkout/sessions', stripeError(status, error))
    const idempotencyKey = randomUUID()
    const ask = () => settleCall(mia.call(depositByCard, { body: { amount: 10_000, currency: 'usd' }, idempotencyKey }))
    expect(await ask()).toMatchObject({ code: 'provider_unavailable', status: 503 })
    const { rows } = await world.database.pool.query('select status, reason from payment where user_id = $1', [mia.id])
    expect(rows).toEqual([{ status: 'pending', reason: null }])
    expect(await metrics()).toContain(`${gauge} 1`)
    expect(await readiness()).toMatchObject({ status: 'ready', warnings: ['provider_fault:money'] })
    const url = 'https://checkout.stripe.com/c/pay'
    double.on('POST /v1/checkout/sessions', { body: { id: sessionId, url } })
    expect(await ask()).toMatchObject({ redirectUrl: url })
    expect(await metrics()).toContain(`${gauge} 0`)
    expect(await readiness()).toEqual({ status: 'ready', warnings: [] })
  },
)

test('a payment at Stripe is credited once by its signed event, however often that comes', async () => {
  const paymentId = await begin()
  const id = `evt_${randomUUID()}`
  const statuses = await Promise.all([
    deliver('checkout.session.completed', paid(paymentId), { id }),
    deliver('checkout.session.completed', paid(paymentId), { id }),
    deliver('checkout.session.async_payment_succeeded', paid(paymentId)),
  ])
  expect(statuses).toEqual([204, 204, 204])
  expect(await statusOf(paymentId)).toBe('completed')
  expect(await balance()).toBe('100.00')
  expect(await failedChecks(world)).toEqual([])
})

test('an event that Stripe did not sign, or that reaches the sandbox, has no effect', async () => {
  const paymentId = await begin()
  const event = ['checkout.session.completed', paid(paymentId)] as const
  expect(await deliver(...event, { secret: 'whsec_of_somebody_else' })).toBeGreaterThanOrEqual(400)
  expect(await deliver(...event, { name: 'sandbox' })).toBe(400)
  expect(await statusOf(paymentId)).toBe('pending')
})

test('details missing from an event are fetched; without an answer Stripe sends it again', async () => {
  const paymentId = await begin(true)
  const card = { brand: 'visa', fingerprint: `fp_${sessionId}`, last4: '4242', exp_month: 4, exp_year: 2031 }
  const withCard = intent({
    id: paymentIntent,
    customer: 'cus_1',
    setup_future_usage: 'off_session',
    payment_method: { id: 'pm_1', card },
  })
  const metadata = { payment_id: paymentId, method: 'card', save_card: 'yes' }
  const lookup = `GET /v1/checkout/sessions/${sessionId}`
  const event = ['checkout.session.completed', paid(paymentId, { metadata }), { id: `evt_${randomUUID()}` }] as const

  double.on(lookup, stripeError(503, { type: 'api_error' }))
  expect(await deliver(...event)).toBe(500)
  expect(await statusOf(paymentId)).toBe('pending')

  double.on(lookup, { body: paid(paymentId, { metadata, payment_intent: withCard }) })
  expect(await deliver(...event)).toBe(204)
  expect(await statusOf(paymentId)).toBe('completed')
  const { cards } = await mia.call(paymentMethods, {})
  expect(cards).toMatchObject([{ brand: 'Visa', last4: '4242', is_default: true }])
  expect(await failedChecks(world)).toEqual([])
})

test('a refund at Stripe takes the money back, once', async () => {
  const paymentId = await begin()
  await deliver('checkout.session.completed', paid(paymentId))
  const refund = { id: `re_${paymentIntent}`, object: 'refund', amount: 2500, currency: 'usd', created: 1_772_355_600 }
  const about = intent({ id: paymentIntent, metadata: { payment_id: paymentId, method: 'card' } })
  double.on(`GET /v1/refunds/${refund.id}`, {
    body: { ...refund, balance_transaction: 'txn_1', payment_intent: about, status: 'succeeded' },
  })
  expect(await deliver('refund.created', refund)).toBe(204)
  expect(await deliver('refund.updated', refund)).toBe(204)
  expect(await balance()).toBe('75.00')
  expect(await failedChecks(world)).toEqual([])
})

test('a bank account at Stripe is linked, debited and paid, and a returned payout is credited', async () => {
  const account = `acct_${paymentIntent}`
  double.on('POST /v2/core/accounts', { body: { id: account } })
  double.on('POST /v1/checkout/sessions', { body: { id: sessionId, url: 'https://checkout.stripe.com/c/setup' } })
  const require = readRequirement(await settleCall(mia.call(linkBankAccount, { body: {} })))
  await confirm(world, mia, require)
  const { link_id: linkId } = await mia.call(linkBankAccount, { body: {}, confirmation: require.id })
  const begun = double.calls.findLast(({ fields }) => fields['metadata[link_id]'] === linkId)
  const { success_url: successUrl, cancel_url: cancelUrl } = begun?.fields ?? {}
  expect(new URL(cancelUrl ?? '').searchParams.has('link_secret')).toBe(false)
  const secret = new URL(successUrl ?? '').searchParams.get('link_secret') ?? ''
  const bank = {
    bank_name: 'Harbour Bank',
    fingerprint: `fp_${account}`,
    last4: '6789',
    financial_connections_account: null,
  }
  double.on(`GET /v1/checkout/sessions/${sessionId}`, {
    body: {
      id: sessionId,
      mode: 'setup',
      status: 'complete',
      metadata: { link_id: linkId },
      customer_account: account,
      setup_intent: { id: 'seti_1', status: 'succeeded', payment_method: { id: 'pm_1', us_bank_account: bank } },
    },
  })
  const payable = { last4: '6789', country: 'US', bank_name: 'Harbour Bank', supported_currencies: ['usd'] }
  double.on('GET /v2/money_management/payout_methods', {
    body: {
      data: [{ id: 'usba_1', archived: false, bank_account: payable, usage_status: { payments: 'eligible' } }],
      next_page_url: null,
    },
  })
  const stranger = { params: { id: linkId }, body: { secret: 'A'.repeat(43) } }
  expect(await settleCall(mia.call(finishBankLink, stranger))).toMatchObject({ code: 'link_of_other_browser' })
  expect(await mia.call(bankLinkStatus, { params: { id: linkId } })).toMatchObject({ status: 'pending' })
  await mia.call(finishBankLink, { params: { id: linkId }, body: { secret } })
  const linked = await vi.waitFor(
    async () => {
      const state = await mia.call(bankLinkStatus, { params: { id: linkId } })
      expect(state).toMatchObject({ status: 'linked', bank_account: { bank_name: 'Harbour Bank', last4: '6789' } })
      return state
    },
    { timeout: 120_000, interval: 200 },
  )

  double.on('POST /v1/payment_intents', { body: intent({ id: paymentIntent, status: 'processing' }) })
  const { payment_id: paymentId } = await mia.call(deposit, {
    body: { amount: '50.00', currency: 'USD', method: 'bank' },
    idempotencyKey: randomUUID(),
  })
  const metadata = { payment_id: paymentId, method: 'bank' }
  const debited = intent({ id: paymentIntent, amount_received: 5000, metadata })
  expect(await deliver('payment_intent.succeeded', debited)).toBe(204)
  expect(await statusOf(paymentId)).toBe('completed')
  expect(await balance()).toBe('50.00')

  const outboundId = `obp_${paymentIntent}`
  double.on('POST /v2/money_management/outbound_payments', { body: { id: outboundId, status: 'processing' } })
  const { payout_id: payoutId } = await mia.call(withdraw, {
    body: { amount: '20.00', currency: 'USD', bankAccountId: linked.bank_account?.id ?? '' },
    idempotencyKey: randomUUID(),
  })
  await world.app.product.payments.checkPending(new Date(world.app.product.now().getTime() + 60_000))
  expect((await storedPayout(world, payoutId)).provider_payout_id).toBe(outboundId)
  for (const [status, ours, left] of [
    ['posted', 'completed', '30.00'],
    ['returned', 'returned', '50.00'],
  ] as const) {
    double.on(`GET /v2/money_management/outbound_payments/${outboundId}`, {
      body: { id: outboundId, status, amount: { value: 2000, currency: 'usd' }, metadata: { payout_id: payoutId } },
    })
    const event = { id: `evt_${randomUUID()}`, object: 'v2.core.event', related_object: { id: outboundId, url: '' } }
    expect(await post({ ...event, type: `v2.money_management.outbound_payment.${status}` })).toBe(204)
    expect((await mia.call(payoutStatus, { params: { id: payoutId } })).status).toBe(ours)
    expect(await balance()).toBe(left)
  }
  expect(await failedChecks(world)).toEqual([])
})
