import { money } from '@tern/money/money'
import { Stripe } from 'stripe'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import {
  buildStripeEvent,
  shortTimeout,
  intent,
  paymentId,
  session,
  startStripeDouble,
  type StripeDouble,
  stripeError,
  testSecret,
} from '@tern/testkit/providers/stripe'
import { type EventContent, type ProviderEvent, type ProviderEvents, SignatureError } from './port.ts'
import { createStripeEvents } from './stripe.ts'

const now = new Date('2026-03-01T09:00:00Z')
const { webhooks } = new Stripe('sk_test_double')

let stripeDouble: StripeDouble
let events: ProviderEvents
beforeEach(async () => {
  stripeDouble = await startStripeDouble()
  events = createStripeEvents(await stripeDouble.connect({ webhookSecrets: ['whsec_another', testSecret] }))
})
afterEach(() => stripeDouble.close())

const buildEvent = (type: string, object: object, overrides: object = {}): string =>
  JSON.stringify({ ...buildStripeEvent({ type, object }), ...overrides })

const sign = (payload: string, at: Date = now, secret = testSecret) => ({
  'stripe-signature': webhooks.generateTestHeaderString({
    payload,
    secret,
    timestamp: Math.floor(at.getTime() / 1000),
  }),
})

const parseEvent = (type: string, object: object): ProviderEvent => {
  const body = buildEvent(type, object)
  return events.verify(Buffer.from(body), sign(body), now)
}

/** Returns the content of an event that requires a query to Stripe. */
async function fetchEventNews(event: ProviderEvent): Promise<EventContent | { about: 'unknown' }> {
  if (event.about !== 'ask') throw new Error('nothing was left to ask')
  return event.ask()
}

describe('an event is authentic', () => {
  const body = buildEvent('checkout.session.completed', session())

  test('when it is signed with any of our secrets, at most five minutes ago', () => {
    const earlierTime = new Date(now.getTime() - 299_000)
    expect(events.verify(body, sign(body, earlierTime), now)).toMatchObject({ id: 'evt_1', about: 'payment' })
    expect(events.verify(Buffer.from(body), sign(body, now, 'whsec_another'), now)).toMatchObject({ id: 'evt_1' })
  })

  test.each([
    ['of another secret', () => events.verify(body, sign(body, now, 'whsec_wrong'), now)],
    ['of a body that was changed', () => events.verify(body.replace('10000', '99999'), sign(body), now)],
    ['of more than five minutes ago', () => events.verify(body, sign(body, new Date(now.getTime() - 301_000)), now)],
    ['that is missing', () => events.verify(body, {}, now)],
    ['that is no signature', () => events.verify(body, { 'stripe-signature': 'v1=00' }, now)],
    ['that came twice', () => events.verify(body, { 'stripe-signature': ['a', 'b'] }, now)],
  ])('not with a signature %s', (_name, verify) => {
    expect(verify).toThrow(SignatureError)
  })

  test('but an unreadable one is an error of another kind', () => {
    const text = 'no JSON'
    expect(() => events.verify(text, sign(text), now)).toThrow(Error)
    expect(() => events.verify(text, sign(text), now)).not.toThrow(SignatureError)
  })
})

describe('a checkout', () => {
  const amount = money('USD', 10_000n)
  const settledResult = { status: 'settled', paymentId, amount, captureId: 'pi_1' }

  test.each(['checkout.session.completed', 'checkout.session.async_payment_succeeded'])('paid: %s', (type) => {
    expect(parseEvent(type, session())).toEqual({
      id: 'evt_1',
      about: 'payment',
      sessionId: 'cs_test_1',
      state: settledResult,
    })
    expect(stripeDouble.calls).toEqual([])
  })

  test('has the same result as a lookup', async () => {
    stripeDouble.on('GET /v1/checkout/sessions/cs_test_1', { body: session({ payment_intent: intent() }) })
    const event = parseEvent(
      'checkout.session.completed',
      session({ metadata: { payment_id: paymentId, save_card: 'yes' } }),
    )
    expect(await fetchEventNews(event)).toEqual({ about: 'payment', sessionId: 'cs_test_1', state: settledResult })
  })

  test('that saves a card is fetched, because the event has no card', async () => {
    const card = { brand: 'visa', fingerprint: 'fp_1', last4: '4242', exp_month: 4, exp_year: 2031 }
    const paidIntent = intent({
      customer: 'cus_1',
      setup_future_usage: 'off_session',
      payment_method: { id: 'pm_1', card },
    })
    stripeDouble.on('GET /v1/checkout/sessions/cs_test_1', { body: session({ payment_intent: paidIntent }) })
    const event = parseEvent(
      'checkout.session.completed',
      session({ metadata: { payment_id: paymentId, save_card: 'yes' } }),
    )
    expect(await fetchEventNews(event)).toMatchObject({ state: { status: 'settled', card: { token: 'cus_1/pm_1' } } })
  })

  test('that failed after the page was left', async () => {
    const unpaidFields = { payment_status: 'unpaid', payment_intent: intent({ status: 'requires_payment_method' }) }
    stripeDouble.on('GET /v1/checkout/sessions/cs_test_1', { body: session(unpaidFields) })
    const event = parseEvent('checkout.session.async_payment_failed', session({ payment_status: 'unpaid' }))
    expect(await fetchEventNews(event)).toMatchObject({ state: { status: 'declined', reason: 'failed' } })
  })

  test('that expired', () => {
    const event = parseEvent('checkout.session.expired', session({ status: 'expired', payment_status: 'unpaid' }))
    expect(event).toMatchObject({ about: 'payment', state: { status: 'declined', paymentId, reason: 'expired' } })
  })

  test('while Stripe does not answer, is unknown', async () => {
    stripeDouble.on('GET /v1/checkout/sessions/cs_test_1', stripeError(500, { type: 'api_error' }))
    const event = parseEvent('checkout.session.completed', session({ payment_status: 'unpaid' }))
    expect(await fetchEventNews(event)).toMatchObject({ about: 'unknown' })
  })

  test('of another merchant on the same account is acknowledged and ignored', () => {
    expect(parseEvent('checkout.session.completed', session({ metadata: {} }))).toMatchObject({ about: 'unhandled' })
  })

  test('of a bank link is fetched', async () => {
    const link = {
      id: 'cs_test_2',
      mode: 'setup',
      status: 'expired',
      metadata: { link_id: 'link-1' },
      setup_intent: null,
    }
    stripeDouble.on('GET /v1/checkout/sessions/cs_test_2', { body: link })
    expect(await fetchEventNews(parseEvent('checkout.session.expired', link))).toEqual({
      about: 'link',
      sessionId: 'cs_test_2',
      state: { status: 'canceled', linkId: 'link-1' },
    })
  })
})

describe('a charge or a debit', () => {
  const declinedFields = {
    status: 'requires_payment_method',
    last_payment_error: { type: 'card_error', code: 'card_declined' },
  }
  const authenticationFields = {
    status: 'requires_payment_method',
    last_payment_error: { code: 'authentication_required' },
  }

  test.each([
    ['payment_intent.succeeded', {}, { status: 'settled', amount: money('USD', 10_000n), captureId: 'pi_1' }],
    ['payment_intent.payment_failed', declinedFields, { status: 'declined', reason: 'declined' }],
    ['payment_intent.canceled', { status: 'canceled' }, { status: 'declined', reason: 'canceled' }],
    ['payment_intent.payment_failed', authenticationFields, { status: 'open' }],
  ])('%s', (type, overrides, state) => {
    expect(parseEvent(type, intent(overrides))).toEqual({
      id: 'evt_1',
      about: 'payment',
      sessionId: 'pi_1',
      state: { paymentId, ...state },
    })
  })

  test('a card that was declined in a checkout does not end the checkout', () => {
    const metadata = { payment_id: paymentId, checkout: 'yes' }
    expect(parseEvent('payment_intent.payment_failed', intent({ ...declinedFields, metadata }))).toMatchObject({
      about: 'unhandled',
    })
  })
})

test('a later capture of a checkout is reported by its payment intent', () => {
  const metadata = { payment_id: paymentId, checkout: 'yes' }
  const capturableIntent = intent({ metadata, capture_method: 'manual' })
  expect(parseEvent('payment_intent.succeeded', capturableIntent)).toMatchObject({
    about: 'payment',
    state: { status: 'settled', paymentId, captureId: 'pi_1' },
  })
  expect(parseEvent('payment_intent.succeeded', intent({ metadata }))).toMatchObject({ about: 'unhandled' })
})

describe('a reversal', () => {
  const refund = { id: 're_1', amount: 2500, currency: 'usd', created: 1_772_355_000, status: 'succeeded' }

  test('by a refund is one line with the refund’s id, of our payment', async () => {
    stripeDouble.on('GET /v1/refunds/re_1', {
      body: { ...refund, balance_transaction: 'txn_1', payment_intent: intent() },
    })
    expect(await fetchEventNews(parseEvent('refund.created', { ...refund, object: 'refund' }))).toEqual({
      about: 'reversal',
      line: {
        id: 're_1',
        kind: 'refund',
        amount: money('USD', 2500n),
        reference: paymentId,
        occurredAt: new Date(1_772_355_000_000),
      },
    })
    expect(stripeDouble.call('GET /v1/refunds/re_1').fields).toEqual({ 'expand[0]': 'payment_intent' })
  })

  test('by a failed refund is returned', async () => {
    const failedRefund = {
      ...refund,
      status: 'failed',
      balance_transaction: 'txn_1',
      failure_balance_transaction: 'txn_2',
    }
    stripeDouble.on('GET /v1/refunds/re_1', { body: { ...failedRefund, payment_intent: intent() } })
    expect(await fetchEventNews(parseEvent('refund.failed', { ...failedRefund, object: 'refund' }))).toMatchObject({
      line: { id: 're_1:failed', kind: 'chargeback_reversal', reference: paymentId, undoes: 're_1' },
    })
  })

  const buildDispute = (metadata: object) => ({
    id: 'du_1',
    amount: 10_000,
    currency: 'usd',
    payment_intent: intent({ metadata }),
    balance_transactions: [
      { id: 'txn_1', amount: -10_000, created: 1_772_355_100 },
      { id: 'txn_2', amount: 10_000, created: 1_772_455_100 },
    ],
  })

  test.each([
    ['charge.dispute.funds_withdrawn', 'card', 'du_1', 'chargeback', 1_772_355_100],
    ['charge.dispute.funds_reinstated', 'card', 'du_1:reinstated', 'chargeback_reversal', 1_772_455_100],
    ['charge.dispute.funds_withdrawn', 'bank', 'du_1', 'debit_return', 1_772_355_100],
  ])('%s of a payment by %s', async (type, method, id, kind, at) => {
    stripeDouble.on('GET /v1/disputes/du_1', { body: buildDispute({ payment_id: paymentId, method }) })
    expect(await fetchEventNews(parseEvent(type, { id: 'du_1' }))).toEqual({
      about: 'reversal',
      line: {
        id,
        kind,
        amount: money('USD', 10_000n),
        reference: paymentId,
        occurredAt: new Date(at * 1000),
        ...(kind === 'chargeback_reversal' ? { undoes: 'du_1' } : {}),
      },
    })
  })

  test('a dispute that is lost after it was won takes the money again, under its own ids', async () => {
    const secondDispute = buildDispute({ payment_id: paymentId, method: 'card' })
    secondDispute.balance_transactions.push(
      { id: 'txn_4', amount: 4000, created: 1_772_655_100 },
      { id: 'txn_3', amount: -10_000, created: 1_772_555_100 },
    )
    const entries = secondDispute.balance_transactions.map((entry) => Object.assign(entry, { currency: 'usd' }))
    stripeDouble.on('GET /v1/disputes/du_1', { body: { ...secondDispute, balance_transactions: entries } })
    const lines = ['charge.dispute.funds_withdrawn', 'charge.dispute.funds_reinstated'].map((type) =>
      fetchEventNews(parseEvent(type, { id: 'du_1' })),
    )
    expect(await Promise.all(lines)).toMatchObject([
      { line: { id: 'du_1:2', kind: 'chargeback', amount: money('USD', 10_000n) } },
      { line: { id: 'du_1:reinstated:2', undoes: 'du_1:2', amount: money('USD', 4000n) } },
    ])
  })

  test.each(['charge.refunded', 'customer.created'])('%s moves nothing by itself', (type) => {
    expect(parseEvent(type, { id: 'x_1' })).toEqual({ id: 'evt_1', about: 'unhandled', type })
  })

  test('while Stripe does not answer, is unknown', async () => {
    stripeDouble.on('GET /v1/disputes/du_1', 'silence')
    events = createStripeEvents(await stripeDouble.connect(shortTimeout))
    expect(await fetchEventNews(parseEvent('charge.dispute.funds_withdrawn', { id: 'du_1' }))).toMatchObject({
      about: 'unknown',
    })
  })
})

describe('an event of another API version', () => {
  const other = { api_version: '2019-01-01' }
  const parseOther = (type: string, object: object, overrides: object = other) => {
    const body = buildEvent(type, object, overrides)
    return events.verify(Buffer.from(body), sign(body), now)
  }

  test.each([
    ['an older version', other, '2019-01-01'],
    ['no version', { api_version: null }, 'none'],
  ])('is named by its version, and its object is queried: %s', async (_case, overrides, otherVersion) => {
    // The payload has a form that this program does not know.
    const event = parseOther('payment_intent.succeeded', { id: 'pi_1', status: { code: 7 } }, overrides)
    expect(event).toMatchObject({ id: 'evt_1', about: 'ask', otherVersion })
    stripeDouble.on('GET /v1/payment_intents/pi_1', { body: intent() })
    expect(await fetchEventNews(event)).toMatchObject({ about: 'payment', state: { status: 'settled', paymentId } })
  })

  test('about a refund is one line, as in our version', async () => {
    const refund = { id: 're_1', object: 'refund', amount: 2500, currency: 'usd', created: 1_772_355_000 }
    stripeDouble.on('GET /v1/refunds/re_1', {
      body: { ...refund, status: 'succeeded', balance_transaction: 'txn_1', payment_intent: intent() },
    })
    expect(await fetchEventNews(parseOther('refund.updated', { id: 're_1' }))).toMatchObject({
      about: 'reversal',
      line: { id: 're_1', kind: 'refund', amount: money('USD', 2500n) },
    })
  })

  test('that needs no answer is acknowledged', () => {
    expect(parseOther('customer.created', { id: 'cus_1' })).toMatchObject({ about: 'unhandled' })
    expect(parseOther('payment_intent.succeeded', {})).toMatchObject({ about: 'unhandled' })
  })
})

describe('a payout', () => {
  const notify = (type: string): ProviderEvent => {
    const body = JSON.stringify({
      id: 'evt_2',
      object: 'v2.core.event',
      type,
      created: '2026-03-01T09:00:00.000Z',
      livemode: false,
      related_object: {
        id: 'obp_1',
        type: 'v2.money_management.outbound_payment',
        url: '/v2/money_management/outbound_payments/obp_1',
      },
    })
    return events.verify(body, sign(body), now)
  }

  test.each(['posted', 'returned', 'failed', 'canceled'])('%s', async (status) => {
    stripeDouble.on('GET /v2/money_management/outbound_payments/obp_1', {
      body: {
        id: 'obp_1',
        status,
        amount: { value: 500, currency: 'eur' },
        from: { debited: { value: 500, currency: 'eur' }, financial_account: 'fa_1' },
        metadata: { payout_id: 'payout-1' },
      },
    })
    const event = notify(`v2.money_management.outbound_payment.${status}`)
    expect(event.id).toBe('evt_2')
    expect(await fetchEventNews(event)).toMatchObject({
      about: 'payout',
      providerPayoutId: 'obp_1',
      state: { payoutId: 'payout-1' },
    })
  })

  test('that was only created, and every unhandled event, is acknowledged', () => {
    for (const type of ['v2.money_management.outbound_payment.created', 'v2.core.account.updated']) {
      expect(notify(type)).toEqual({ id: 'evt_2', about: 'unhandled', type })
    }
  })
})
