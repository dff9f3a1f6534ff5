import { randomUUID } from 'node:crypto'
import { paymentMethods } from '@tern/contract/banking'
import { depositByCard, paymentStatus } from '@tern/contract/payments'
import { walletOfUser } from '@tern/contract/wallets'
import { Stripe } from 'stripe'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { startTestApp, type TestApp, type TestPerson } from '../../../../../tools/test-app.ts'
import {
  intent,
  session,
  startStripeDouble,
  type StripeDouble,
  stripeError,
  testSecret,
} from '../../../../../tools/test-stripe.ts'
import { audit } from '../../audit.ts'

let double: StripeDouble
let world: TestApp
let mia: TestPerson
let sessionId: string
let paymentIntent: string

beforeAll(async () => {
  double = await startStripeDouble()
  world = await startTestApp({
    environment: {
      STRIPE_SECRET_KEY: 'sk_test_double',
      STRIPE_WEBHOOK_SECRET: testSecret,
      STRIPE_API_URL: double.url,
    },
  })
}, 60_000)
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

/** Begins a deposit of 100 dollars, and gives the payment's id. */
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
  const body = JSON.stringify({ id, object: 'event', type, created: 1_772_355_600, data: { object } })
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

async function expectSoundBooks(): Promise<void> {
  const { checks } = await audit(world.app.product.pool)
  expect(checks.filter(({ ok }) => !ok)).toEqual([])
}

test('a payment at Stripe is credited when its signed event comes, and once however often it comes', async () => {
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
  await expectSoundBooks()
})

test('nothing follows from an event that Stripe did not sign, or that comes to the sandbox', async () => {
  const paymentId = await begin()
  const event = ['checkout.session.completed', paid(paymentId)] as const
  expect(await deliver(...event, { secret: 'whsec_of_somebody_else' })).toBeGreaterThanOrEqual(400)
  expect(await deliver(...event, { name: 'sandbox' })).toBe(404)
  expect(await statusOf(paymentId)).toBe('pending')
})

test('what an event leaves open is asked for; without an answer Stripe sends it again', async () => {
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
  await expectSoundBooks()
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
  await expectSoundBooks()
})
