import { setTimeout as delay } from 'node:timers/promises'
import { money } from '@tern/money/money'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import {
  shortTimeout,
  intent,
  paymentId,
  session,
  startStripeDouble,
  type StripeDouble,
  stripeError,
} from '@tern/testkit/providers/stripe'
import type { ChargeRequest, CheckoutRequest } from './port.ts'
import { withCallDeadline } from '../deadline.ts'
import { createStripeCardProvider } from './stripe-card.ts'

const checkout: CheckoutRequest = {
  paymentId,
  amount: money('USD', 10_000n),
  description: 'Money for your Tern wallet',
  returnUrl: 'https://tern.example/deposit?step=2',
  idempotencyKey: 'key-1',
  saveCard: false,
}
const { saveCard: _, ...order } = checkout
const charge: ChargeRequest = { ...order, cardToken: 'cus_1/pm_1' }
const sessionsRoute = 'POST /v1/checkout/sessions'
const intentsRoute = 'POST /v1/payment_intents'

/** Long enough for a call to reach the test double on a busy machine. */
const deadlineMs = 3000

let stripeDouble: StripeDouble
beforeEach(async () => {
  stripeDouble = await startStripeDouble()
})
afterEach(() => stripeDouble.close())

const connectCard = async (settings = {}) => createStripeCardProvider(await stripeDouble.connect(settings))
const openSession = {
  body: session({ status: 'open', payment_status: 'unpaid', url: 'https://checkout.stripe.com/c/1' }),
}

describe('a checkout', () => {
  test('is opened for exactly this payment, and by a repeated call only once', async () => {
    stripeDouble.on(sessionsRoute, openSession)
    expect(await (await connectCard()).createCheckout(checkout)).toEqual({
      status: 'created',
      sessionId: 'cs_test_1',
      url: 'https://checkout.stripe.com/c/1',
    })
    const { fields, headers } = stripeDouble.call(sessionsRoute)
    expect(fields).toEqual({
      mode: 'payment',
      'allowed_payment_method_types[0]': 'card',
      'line_items[0][quantity]': '1',
      'line_items[0][price_data][currency]': 'usd',
      'line_items[0][price_data][unit_amount]': '10000',
      'line_items[0][price_data][product_data][name]': checkout.description,
      'adaptive_pricing[enabled]': 'false',
      client_reference_id: paymentId,
      'metadata[payment_id]': paymentId,
      'metadata[method]': 'card',
      'payment_intent_data[description]': checkout.description,
      'payment_intent_data[metadata][payment_id]': paymentId,
      'payment_intent_data[metadata][method]': 'card',
      'payment_intent_data[metadata][checkout]': 'yes',
      success_url: `https://tern.example/deposit?step=2&payment_success=true&payment_id=${paymentId}`,
      cancel_url: `https://tern.example/deposit?step=2&payment_canceled=true&payment_id=${paymentId}`,
    })
    expect(headers).toMatchObject({
      'idempotency-key': 'key-1',
      'stripe-version': '2026-10-28.endive',
      authorization: 'Bearer sk_test_double',
    })
  })

  test('saves the card only on request', async () => {
    stripeDouble.on(sessionsRoute, openSession)
    await (await connectCard()).createCheckout({ ...checkout, saveCard: true })
    expect(stripeDouble.call(sessionsRoute).fields).toMatchObject({
      customer_creation: 'always',
      'metadata[save_card]': 'yes',
      'payment_intent_data[setup_future_usage]': 'off_session',
    })
  })

  test('ends after an hour, and is the same call when it is repeated', async () => {
    stripeDouble.on(sessionsRoute, openSession)
    const adapter = await connectCard()
    const createdAt = Date.now()
    const hex = createdAt.toString(16).padStart(12, '0')
    const datedCheckout = { ...checkout, paymentId: `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-000000000001` }
    await adapter.createCheckout(datedCheckout)
    vi.useFakeTimers({ toFake: ['Date'], now: createdAt + 600_000 })
    await adapter.createCheckout(datedCheckout)
    vi.useRealTimers()
    const [first, second] = stripeDouble.calls
    expect(first?.fields).toMatchObject({ expires_at: String(Math.floor(createdAt / 1000) + 3600) })
    expect(second?.fields).toEqual(first?.fields)
    // By default, Stripe's SDK sends the duration of the first call with the second.
    expect(second?.headers['x-stripe-client-telemetry']).toBeUndefined()
  })

  test('counts yen in whole units, as Stripe does', async () => {
    stripeDouble.on(sessionsRoute, openSession)
    await (await connectCard()).createCheckout({ ...checkout, amount: money('JPY', 1500n) })
    expect(stripeDouble.call(sessionsRoute).fields).toMatchObject({
      'line_items[0][price_data][currency]': 'jpy',
      'line_items[0][price_data][unit_amount]': '1500',
    })
  })

  test.each([
    ['no money', money('USD', 0n)],
    ['crypto', money('USDT', 1_000_000n)],
    ['more than a JSON number holds', money('USD', 2n ** 53n)],
  ])('of %s never reaches Stripe', async (_name, amount) => {
    expect(await (await connectCard()).createCheckout({ ...checkout, amount })).toMatchObject({ status: 'refused' })
    expect(stripeDouble.calls).toEqual([])
  })
})

describe('errors', () => {
  test.each([
    ['an unknown parameter', stripeError(400, { code: 'parameter_unknown' }), 'unknown', 1],
    ['a card that is none', stripeError(400, { code: 'resource_missing' }), 'refused', 1],
    ['too much money', stripeError(400, { code: 'amount_too_large', message: 'At most $999,999.99.' }), 'refused', 1],
    ['a key that was used otherwise', stripeError(400, { type: 'idempotency_error' }), 'unknown', 1],
    ['a key in use', stripeError(409, { code: 'idempotency_key_in_use' }), 'unknown', 3],
    ['too many calls', stripeError(429, { code: 'rate_limit' }), 'unknown', 1],
    ['a fault', stripeError(500, { type: 'api_error' }), 'unknown', 3],
    ['silence', 'silence', 'unknown', 3],
  ] as const)('%s: %s', async (_name, answer, status, attempts) => {
    stripeDouble.on(sessionsRoute, answer)
    const result = await (await connectCard(answer === 'silence' ? shortTimeout : {})).createCheckout(checkout)
    expect(result).toMatchObject({ status })
    expect(stripeDouble.calls.map(({ headers }) => headers['idempotency-key'])).toEqual(Array(attempts).fill('key-1'))
    expect(JSON.stringify(result)).not.toContain('pm_secret')
  })

  test('a refused amount is reported to the payer', async () => {
    stripeDouble.on(sessionsRoute, stripeError(400, { code: 'amount_too_small', message: 'At least $0.50.' }))
    expect(await (await connectCard()).createCheckout(checkout)).toEqual({
      status: 'refused',
      reason: 'At least $0.50.',
    })
  })

  test('a silent server leaves the outcome unknown', async () => {
    const adapter = await connectCard()
    await stripeDouble.close()
    expect(await adapter.createCheckout(checkout)).toMatchObject({ status: 'unknown' })
  })

  test.each([
    ['a key that is not accepted', 401, { code: 'api_key_expired' }],
    ['a key that may not do this', 403, {}],
    ['a key of the other mode', 400, { code: 'livemode_mismatch' }],
    ['a parameter that is none', 400, { code: 'parameter_unknown' }],
  ])('%s is a configuration fault, not a refusal', async (_name, status, error) => {
    stripeDouble.on(sessionsRoute, stripeError(status, error))
    stripeDouble.on('GET /v1/checkout/sessions/cs_test_1', stripeError(status, error))
    const adapter = await connectCard()
    const configurationFault = {
      status: 'unknown',
      fault: 'configuration',
      reason: expect.stringContaining('STRIPE_SECRET_KEY'),
    }
    expect(await adapter.createCheckout(checkout)).toEqual(configurationFault)
    expect(await adapter.lookup('cs_test_1')).toEqual(configurationFault)
    expect(stripeDouble.calls).toHaveLength(2)
  })

  test('a request past its deadline aborts its call and makes no further one', async () => {
    stripeDouble.on(sessionsRoute, 'silence')
    const adapter = await connectCard({ timeoutMs: 600_000 })
    const expiredResult = { status: 'unknown', reason: expect.stringContaining('no time left') }
    const deadline = performance.now() + deadlineMs
    expect(await withCallDeadline(deadline, () => adapter.createCheckout(checkout))).toMatchObject(expiredResult)
    expect(stripeDouble.calls).toHaveLength(1)
    expect(await withCallDeadline(performance.now(), () => adapter.createCheckout(checkout))).toMatchObject(
      expiredResult,
    )
    expect(stripeDouble.calls).toHaveLength(1)
  })

  test('all attempts of a call share the deadline of its request', async () => {
    stripeDouble.on(sessionsRoute, 'silence')
    const adapter = await connectCard({ timeoutMs: 2 * deadlineMs })
    await withCallDeadline(performance.now() + deadlineMs, () => adapter.createCheckout(checkout))
    // Waits for further attempts by the SDK, of which there must be none.
    await delay(3000)
    expect(stripeDouble.calls).toHaveLength(1)
  })
})

describe('a charge of a saved card', () => {
  test('is confirmed at once, without the payer', async () => {
    stripeDouble.on(intentsRoute, { body: intent() })
    expect(await (await connectCard()).charge(charge)).toEqual({ status: 'created', sessionId: 'pi_1', url: null })
    const { fields, headers } = stripeDouble.call(intentsRoute)
    expect(fields).toEqual({
      amount: '10000',
      currency: 'usd',
      customer: 'cus_1',
      payment_method: 'pm_1',
      'allowed_payment_method_types[0]': 'card',
      confirm: 'true',
      off_session: 'true',
      error_on_requires_action: 'true',
      description: checkout.description,
      'metadata[payment_id]': paymentId,
      'metadata[method]': 'card',
    })
    expect(headers['idempotency-key']).toBe('key-1')
  })

  test('that is declined exists, and looking it up says so', async () => {
    const declinedIntent = intent({
      status: 'requires_payment_method',
      amount_received: 0,
      last_payment_error: { type: 'card_error', code: 'card_declined', decline_code: 'insufficient_funds' },
    })
    const error = { type: 'card_error', code: 'card_declined', payment_intent: declinedIntent }
    stripeDouble.on(intentsRoute, stripeError(402, error))
    stripeDouble.on('GET /v1/payment_intents/pi_1', { body: declinedIntent })
    const adapter = await connectCard()
    expect(await adapter.charge(charge)).toEqual({ status: 'created', sessionId: 'pi_1', url: null })
    expect(await adapter.lookup('pi_1')).toEqual({ status: 'declined', paymentId, reason: 'insufficient_funds' })
  })

  test('that needs authentication continues in a checkout of the same payment', async () => {
    const waitingIntent = intent({
      status: 'requires_payment_method',
      last_payment_error: { type: 'card_error', code: 'authentication_required' },
    })
    const error = { type: 'card_error', code: 'authentication_required', payment_intent: waitingIntent }
    stripeDouble.on(intentsRoute, stripeError(402, error))
    stripeDouble.on(sessionsRoute, openSession)
    stripeDouble.on('GET /v1/payment_intents/pi_1', { body: waitingIntent })
    const adapter = await connectCard()
    expect(await adapter.charge(charge)).toMatchObject({ sessionId: 'cs_test_1', url: expect.stringContaining('http') })
    const { fields, headers } = stripeDouble.call(sessionsRoute)
    expect(fields).toMatchObject({ customer: 'cus_1', 'metadata[payment_id]': paymentId })
    expect(headers['idempotency-key']).toBe('key-1:confirm')
    // The intent that needs authentication is open rather than declined.
    expect(await adapter.lookup('pi_1')).toEqual({ status: 'open', paymentId })
  })

  test('with the token of another customer is refused', async () => {
    expect(await (await connectCard()).charge({ ...charge, cardToken: 'tok_sandbox' })).toMatchObject({
      status: 'refused',
    })
  })
})

describe('looking up', () => {
  const sessionRoute = 'GET /v1/checkout/sessions/cs_test_1'
  const savedCardIntent = intent({
    customer: 'cus_1',
    setup_future_usage: 'off_session',
    payment_method: {
      id: 'pm_1',
      card: { brand: 'visa', fingerprint: 'fp_1', last4: '4242', exp_month: 4, exp_year: 2031 },
    },
  })

  test('a paid session gives the amount and the payment intent, whose id the books name too', async () => {
    stripeDouble.on(sessionRoute, { body: session({ payment_intent: intent() }) })
    expect(await (await connectCard()).lookup('cs_test_1')).toEqual({
      status: 'settled',
      paymentId,
      amount: money('USD', 10_000n),
      captureId: 'pi_1',
    })
    expect(stripeDouble.call(sessionRoute).fields).toEqual({ 'expand[0]': 'payment_intent.payment_method' })
  })

  test('a card saved on request is returned as one opaque token', async () => {
    stripeDouble.on(sessionRoute, { body: session({ payment_intent: savedCardIntent }) })
    expect(await (await connectCard()).lookup('cs_test_1')).toMatchObject({
      card: { token: 'cus_1/pm_1', fingerprint: 'fp_1', brand: 'Visa', last4: '4242', expMonth: 4, expYear: 2031 },
    })
  })

  test('a card that was not to be saved is not returned', async () => {
    stripeDouble.on(sessionRoute, {
      body: session({ payment_intent: { ...savedCardIntent, setup_future_usage: null } }),
    })
    const state = await (await connectCard()).lookup('cs_test_1')
    expect(state).toMatchObject({ status: 'settled' })
    expect(state).not.toHaveProperty('card')
  })

  test.each([
    ['open', { status: 'open', payment_status: 'unpaid', payment_intent: null }, { status: 'open', paymentId }],
    [
      'paid but not settled',
      { payment_status: 'unpaid', payment_intent: intent({ status: 'processing' }) },
      { status: 'open', paymentId, isProcessing: true },
    ],
    ['expired', { status: 'expired', payment_status: 'unpaid' }, { status: 'declined', paymentId, reason: 'expired' }],
    [
      'failed later',
      { payment_status: 'unpaid', payment_intent: intent({ status: 'requires_payment_method' }) },
      { status: 'declined', paymentId, reason: 'failed' },
    ],
  ])('a session that is %s', async (_name, overrides, state) => {
    stripeDouble.on(sessionRoute, { body: session(overrides) })
    expect(await (await connectCard()).lookup('cs_test_1')).toEqual(state)
  })

  test.each([
    ['none of ours', session({ metadata: {} })],
    ['paid with nothing', session({ amount_total: 0 })],
    ['paid with more than a number holds', session({ amount_total: 2 ** 53 })],
    ['in an unknown currency', session({ currency: 'xau' })],
  ])('a session that is %s is unknown', async (_name, body) => {
    stripeDouble.on(sessionRoute, { body })
    expect(await (await connectCard()).lookup('cs_test_1')).toMatchObject({ status: 'unknown' })
  })

  test('a session that Stripe does not find is unknown', async () => {
    stripeDouble.on(sessionRoute, stripeError(404, { code: 'resource_missing' }))
    expect(await (await connectCard()).lookup('cs_test_1')).toMatchObject({ status: 'unknown' })
  })
})

describe('cancellation', () => {
  const expireRoute = 'POST /v1/checkout/sessions/cs_test_1/expire'
  const refusedExpiry = stripeError(400, {
    message: 'Only Checkout Sessions with a status in ["open"] can be expired.',
  })

  test('an open session ends', async () => {
    stripeDouble.on(expireRoute, {
      body: session({ status: 'expired', payment_status: 'unpaid', payment_intent: null }),
    })
    expect(await (await connectCard()).cancel('cs_test_1')).toEqual({
      status: 'declined',
      paymentId,
      reason: 'canceled',
    })
  })

  test('a session that was paid meanwhile stays paid', async () => {
    stripeDouble.on(expireRoute, refusedExpiry)
    stripeDouble.on('GET /v1/checkout/sessions/cs_test_1', { body: session({ payment_intent: intent() }) })
    expect(await (await connectCard()).cancel('cs_test_1')).toMatchObject({ status: 'settled', captureId: 'pi_1' })
  })

  test('a charge that is being processed stays open', async () => {
    stripeDouble.on(
      'POST /v1/payment_intents/pi_1/cancel',
      stripeError(400, { code: 'payment_intent_unexpected_state' }),
    )
    stripeDouble.on('GET /v1/payment_intents/pi_1', { body: intent({ status: 'processing' }) })
    expect(await (await connectCard()).cancel('pi_1')).toEqual({ status: 'open', paymentId, isProcessing: true })
  })

  test('without an answer the outcome is unknown', async () => {
    stripeDouble.on(expireRoute, stripeError(503, { type: 'api_error' }))
    expect(await (await connectCard()).cancel('cs_test_1')).toMatchObject({ status: 'unknown' })
  })
})

describe('money that is captured later', () => {
  const retrieve = 'GET /v1/checkout/sessions/cs_test_1'
  const method = { id: 'pm_1', card: { fingerprint: 'fp_1' } }
  const capturableFields = { status: 'requires_capture', amount_received: 0, amount_capturable: 10_000 }
  const readyIntent = intent({ ...capturableFields, payment_method: method })
  const unpaidFields = { payment_status: 'unpaid', payment_intent: readyIntent }
  const amount = money('USD', 10_000n)
  const authorizedState = { status: 'authorized', paymentId, amount, cardFingerprint: 'fp_1' }
  const settledState = { status: 'settled', paymentId, amount, captureId: 'pi_1' }
  const capture = 'POST /v1/payment_intents/pi_1/capture'

  test('is requested as a manual capture, for a page and a saved card', async () => {
    stripeDouble.on(sessionsRoute, openSession)
    stripeDouble.on(intentsRoute, { body: readyIntent })
    const adapter = await connectCard()
    await adapter.createCheckout({ ...checkout, capturesLater: true })
    await adapter.charge({ ...charge, capturesLater: true })
    expect(stripeDouble.call(sessionsRoute).fields).toMatchObject({ 'payment_intent_data[capture_method]': 'manual' })
    expect(stripeDouble.call(intentsRoute).fields).toMatchObject({ capture_method: 'manual' })
  })

  test('is authorized when the page is completed, and then captured', async () => {
    stripeDouble.on(retrieve, { body: session(unpaidFields) })
    stripeDouble.on(capture, { body: intent() })
    const adapter = await connectCard()
    expect(await adapter.lookup('cs_test_1')).toEqual(authorizedState)
    expect(await adapter.capture('cs_test_1')).toEqual(settledState)
    expect(stripeDouble.call(capture).headers['idempotency-key']).toBe('pi_1:capture')
  })

  test('is settled by its intent, regardless of the session', async () => {
    stripeDouble.on(retrieve, { body: session({ payment_status: 'unpaid', payment_intent: intent() }) })
    expect(await (await connectCard()).lookup('cs_test_1')).toEqual(settledState)
  })

  test('a second capture finds it captured', async () => {
    stripeDouble.on(retrieve, { body: session({ payment_intent: intent() }) })
    stripeDouble.on(capture, stripeError(400, { code: 'payment_intent_unexpected_state' }))
    expect(await (await connectCard()).capture('cs_test_1')).toEqual(settledState)
  })

  test('a cancellation releases it, even after the page has ended', async () => {
    stripeDouble.on('POST /v1/checkout/sessions/cs_test_1/expire', stripeError(400, { message: 'Only open ones.' }))
    stripeDouble.on(retrieve, { body: session(unpaidFields) })
    stripeDouble.on('POST /v1/payment_intents/pi_1/cancel', {
      body: intent({ status: 'canceled', amount_received: 0 }),
    })
    expect(await (await connectCard()).cancel('cs_test_1')).toEqual({
      status: 'declined',
      paymentId,
      reason: 'canceled',
    })
  })

  test('of a charge is authorized by the intent alone', async () => {
    stripeDouble.on('GET /v1/payment_intents/pi_1', { body: intent(capturableFields) })
    expect(await (await connectCard()).lookup('pi_1')).toEqual({ status: 'authorized', paymentId, amount })
  })

  test('without an answer the outcome is unknown', async () => {
    stripeDouble.on(retrieve, { body: session(unpaidFields) })
    stripeDouble.on(capture, stripeError(503, { type: 'api_error' }))
    expect(await (await connectCard()).capture('cs_test_1')).toMatchObject({ status: 'unknown' })
  })
})

describe('removing a card', () => {
  const detachRoute = 'POST /v1/payment_methods/pm_1/detach'
  const methodRoute = 'GET /v1/payment_methods/pm_1'

  test('detaches it from its customer', async () => {
    stripeDouble.on(detachRoute, { body: { id: 'pm_1', customer: null } })
    expect(await (await connectCard()).forgetCard('cus_1/pm_1')).toBe(true)
  })

  test.each([
    ['one that Stripe has forgotten', stripeError(404, { code: 'resource_missing' }), undefined, true],
    ['one that was taken before', stripeError(400, {}), { body: { id: 'pm_1', customer: null } }, true],
    ['one that is still there', stripeError(400, {}), { body: { id: 'pm_1', customer: 'cus_1' } }, false],
    ['no answer', stripeError(500, { type: 'api_error' }), undefined, false],
  ] as const)('%s', async (_name, answer, lookup, isForgotten) => {
    stripeDouble.on(detachRoute, answer)
    if (lookup) stripeDouble.on(methodRoute, lookup)
    expect(await (await connectCard()).forgetCard('cus_1/pm_1')).toBe(isForgotten)
  })
})
