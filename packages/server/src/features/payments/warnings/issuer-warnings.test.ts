import { randomUUID } from 'node:crypto'
import { withdraw } from '@tern/contract/banking'
import { depositByCard } from '@tern/contract/payments'
import { Stripe } from 'stripe'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { startTestApp, type TestPerson } from '@tern/testkit/app'
import { loadFailedChecks, settleCall } from '@tern/testkit/banking'
import { sendTo } from '@tern/testkit/disputes'
import { linkAccount } from '@tern/testkit/payments'
import { restoreMaturityPolicy } from '@tern/testkit/risk'
import {
  buildStripeEvent,
  intent,
  session,
  startStripeDouble,
  stripeError,
  testSecret,
} from '@tern/testkit/providers/stripe'
import { resolveException } from '../records/reconciliation-exceptions.ts'

const stripeDouble = await startStripeDouble()
const world = await startTestApp({
  unconfirmedPayments: 'any',
  environment: {
    STRIPE_SECRET_KEY: 'sk_test_double',
    STRIPE_WEBHOOK_SECRET: testSecret,
    STRIPE_API_URL: stripeDouble.url,
    MONEY_PROVIDERS: 'stripe method=card; sandbox',
  },
})
await restoreMaturityPolicy(world.database.pool)
afterAll(async () => {
  await world.close()
  await stripeDouble.close()
})

let mia: TestPerson
beforeEach(async () => {
  mia = await world.enroll('mia', 'United States')
})

const { webhooks } = new Stripe('sk_test_double')
const { pool } = world.database
const product = world.app.product

/** Posts an event of Stripe; returns the status of the answer. */
async function deliver(type: string, object: object, overrides: object = {}): Promise<number> {
  const payload = JSON.stringify({ ...buildStripeEvent({ id: `evt_${randomUUID()}`, type, object }), ...overrides })
  const signature = webhooks.generateTestHeaderString({ payload, secret: testSecret })
  const headers = { 'content-type': 'application/json', 'stripe-signature': signature }
  return (await world.raw('POST', '/webhooks/stripe', { body: payload, headers })).status
}

/** Deposits 100 dollars by a card at Stripe. */
async function payByCard(person = mia) {
  const suffix = randomUUID().replaceAll('-', '')
  const [sessionId, paymentIntent] = [`cs_test_${suffix}`, `pi_${suffix}`]
  stripeDouble.on('POST /v1/checkout/sessions', { body: { id: sessionId, url: 'https://checkout.stripe.com/c/pay' } })
  const { payment_id: id } = await person.call(depositByCard, {
    body: { amount: 10_000, currency: 'usd' },
    idempotencyKey: randomUUID(),
  })
  const metadata = { payment_id: id, method: 'card' }
  const paidSession = session({ id: sessionId, metadata, payment_intent: paymentIntent })
  expect(await deliver('checkout.session.completed', paidSession)).toBe(204)
  return { id, paymentIntent, metadata }
}

type Payment = Awaited<ReturnType<typeof payByCard>>

/** Returns an early fraud warning in Stripe's form, and serves its current state. */
function serveWarning({ paymentIntent, metadata }: Payment, overrides: object = {}, name: string = randomUUID()) {
  const warning = {
    id: `issfr_${name}`,
    object: 'radar.early_fraud_warning',
    actionable: true,
    charge: `ch_${name}`,
    created: Math.floor(product.now().getTime() / 1000),
    fraud_type: 'made_with_stolen_card',
    livemode: false,
    payment_intent: paymentIntent,
    ...overrides,
  }
  stripeDouble.on(`GET /v1/radar/early_fraud_warnings/${warning.id}`, {
    body: { ...warning, payment_intent: intent({ id: paymentIntent, metadata }) },
  })
  return warning
}

/** Returns a dispute in Stripe's form, and serves its current state. */
function serveDispute({ paymentIntent, metadata }: Payment, status: string, name: string = randomUUID()) {
  const dispute = {
    id: `du_${name}`,
    object: 'dispute',
    amount: 10_000,
    balance_transactions: [],
    charge: `ch_${name}`,
    created: Math.floor(product.now().getTime() / 1000),
    currency: 'usd',
    evidence: {},
    evidence_details: { due_by: 1_800_000_000, has_evidence: false, past_due: false, submission_count: 0 },
    is_charge_refundable: status.startsWith('warning_'),
    livemode: false,
    metadata: {},
    payment_intent: paymentIntent,
    reason: 'fraudulent',
    status,
  }
  stripeDouble.on(`GET /v1/disputes/${dispute.id}`, {
    body: { ...dispute, payment_intent: intent({ id: paymentIntent, metadata }) },
  })
  return dispute
}

const loadException = async (subject: string) =>
  (
    await pool.query<{ id: string; detail: string; params: object; is_open: boolean; resolution: string | null }>(
      `select id, detail, params, closed_at is null as is_open, resolution from reconciliation_exception
        where kind = 'issuer_warning' and subject = $1 order by opened_at`,
      [subject],
    )
  ).rows

const loadLots = async (paymentId: string) =>
  (
    await pool.query<{ minor: bigint; user_id: bigint; days: number }>(
      `select minor, user_id, round(extract(epoch from matures_at - $2::timestamptz) / 86400)::int as days
         from restricted_money where origin = $1 order by id`,
      [paymentId, product.now()],
    )
  ).rows

const loadCases = async (person: TestPerson) =>
  (
    await pool.query<{ rule: string; stops: string }>(
      `select evidence ->> 'rule' as rule, stops from compliance_case where user_id = $1`,
      [person.id],
    )
  ).rows

const withdrawHalf = async () => {
  const bankAccountId = await linkAccount(world, mia)
  return settleCall(
    mia.call(withdraw, { body: { amount: '50.00', currency: 'USD', bankAccountId }, idempotencyKey: randomUUID() }),
  )
}

const forgetMaturity = (paymentId: string) => pool.query('delete from restricted_money where origin = $1', [paymentId])

describe('an early fraud warning', () => {
  test('keeps the card’s money from banks for 120 days, and tells operators to refund it', async () => {
    const payment = await payByCard()
    const [before] = await loadLots(payment.id)
    expect(before!.days).toBeLessThan(60)
    const warning = serveWarning(payment)
    expect(await deliver('radar.early_fraud_warning.created', warning)).toBe(204)
    expect(await loadLots(payment.id)).toMatchObject([{ minor: 10_000n, days: 120 }])
    expect(await loadException(warning.id)).toMatchObject([
      {
        detail: 'card_early_fraud_warning',
        params: { amount: '100.00 USD', reason: 'made_with_stolen_card', payment: payment.id },
        is_open: true,
      },
    ])
    expect(await withdrawHalf()).toMatchObject({ code: 'money_not_mature' })
    // The money cannot leave, so the person is not stopped.
    expect(await loadCases(mia)).toEqual([])
    expect(await loadFailedChecks(world)).toEqual([])
  })

  test('follows the money to its recipient', async () => {
    const payment = await payByCard()
    const ben = await world.enroll('ben', 'United States')
    await sendTo(mia, ben, '40.00')
    expect(await deliver('radar.early_fraud_warning.created', serveWarning(payment))).toBe(204)
    const lots = await loadLots(payment.id)
    expect(lots.map(({ user_id: user, days }) => [String(user), days])).toEqual(
      expect.arrayContaining([[String(ben.id), 120]]),
    )
    expect(await loadFailedChecks(world)).toEqual([])
  })

  test('about money that may have left stops its payer until two operators have decided', async () => {
    const payment = await payByCard()
    await forgetMaturity(payment.id)
    const warning = serveWarning(payment)
    expect(await deliver('radar.early_fraud_warning.created', warning)).toBe(204)
    expect(await loadCases(mia)).toEqual([{ rule: 'early_fraud_warning', stops: 'person' }])
    // Repeated, and by another event.
    expect(await deliver('radar.early_fraud_warning.updated', warning)).toBe(204)
    expect(await loadCases(mia)).toHaveLength(1)
    expect(await loadException(warning.id)).toHaveLength(1)
  })

  test('ends once nothing can be done any more, and the money matures as before', async () => {
    const payment = await payByCard()
    const [before] = await loadLots(payment.id)
    const name = randomUUID()
    const warning = serveWarning(payment, {}, name)
    await deliver('radar.early_fraud_warning.created', warning)
    await product.payments.releaseWarnedMoney()
    expect(await loadLots(payment.id)).toMatchObject([{ days: 120 }])
    await deliver('radar.early_fraud_warning.updated', serveWarning(payment, { actionable: false }, name))
    expect(await loadException(warning.id)).toMatchObject([{ is_open: false, resolution: 'warning_ended' }])
    await product.payments.releaseWarnedMoney()
    expect(await loadLots(payment.id)).toMatchObject([{ minor: 10_000n, days: before!.days }])
    expect(await loadFailedChecks(world)).toEqual([])
  })

  test('that an operator closes ends too, unless another warning about the payment is open', async () => {
    const payment = await payByCard()
    const [before] = await loadLots(payment.id)
    const [first, second] = [serveWarning(payment), serveDispute(payment, 'warning_needs_response')]
    await deliver('radar.early_fraud_warning.created', first)
    await deliver('charge.dispute.created', second)
    const close = async (subject: string) => {
      const [found] = await loadException(subject)
      await resolveException(pool, found!.id, 'Spoke with the cardholder.', product.now())
      await product.payments.releaseWarnedMoney()
    }
    await close(first.id)
    expect(await loadLots(payment.id)).toMatchObject([{ days: 120 }])
    await close(second.id)
    expect(await loadLots(payment.id)).toMatchObject([{ days: before!.days }])
  })

  test('that is late, after its end was reported, opens nothing', async () => {
    const payment = await payByCard()
    const warning = serveWarning(payment, { actionable: false })
    // The event says what was; Stripe is asked what is.
    expect(await deliver('radar.early_fraud_warning.created', { ...warning, actionable: true })).toBe(204)
    expect(await loadException(warning.id)).toEqual([])
    expect(await loadCases(mia)).toEqual([])
  })

  test('about a payment of others is ignored, and one that Stripe does not explain is sent again', async () => {
    const payment = await payByCard()
    const stranger = serveWarning({ ...payment, metadata: { payment_id: randomUUID(), method: 'card' } })
    expect(await deliver('radar.early_fraud_warning.created', stranger)).toBe(204)
    expect(await loadException(stranger.id)).toEqual([])
    const silent = serveWarning(payment)
    stripeDouble.on(`GET /v1/radar/early_fraud_warnings/${silent.id}`, stripeError(500, { type: 'api_error' }))
    expect(await deliver('radar.early_fraud_warning.created', silent)).toBe(500)
    expect(await loadException(silent.id)).toEqual([])
  })
})

describe('a dispute', () => {
  test.each([
    ['warning_needs_response', 'card_inquiry', '2027-01-15'],
    ['warning_under_review', 'card_inquiry', ''],
    ['needs_response', 'card_dispute', '2027-01-15'],
    ['under_review', 'card_dispute', ''],
  ])('in the state %s is an exception with the date for evidence', async (status, detail, by) => {
    const payment = await payByCard()
    const dispute = serveDispute(payment, status)
    expect(await deliver('charge.dispute.created', dispute)).toBe(204)
    expect(await loadException(dispute.id)).toMatchObject([
      { detail, params: { amount: '100.00 USD', reason: 'fraudulent', by }, is_open: true },
    ])
    expect(await loadLots(payment.id)).toMatchObject([{ days: 120 }])
    expect(await loadCases(mia)).toEqual([])
    // Only the report of the withdrawn funds takes the money.
    expect((await mia.wallet()).fiat_balance).toBe('100.00')
  })

  test.each(['warning_closed', 'won', 'lost', 'prevented'])('that is %s closes its exception', async (status) => {
    const payment = await payByCard()
    const name = randomUUID()
    const dispute = serveDispute(payment, 'warning_needs_response', name)
    await deliver('charge.dispute.created', dispute)
    expect(await deliver('charge.dispute.closed', serveDispute(payment, status, name))).toBe(204)
    expect(await loadException(dispute.id)).toMatchObject([{ is_open: false, resolution: 'warning_ended' }])
    await product.payments.releaseWarnedMoney()
    expect((await loadLots(payment.id))[0]!.days).toBeLessThan(60)
  })

  test('whose funds are withdrawn takes the money, and the exception stays until it is decided', async () => {
    const payment = await payByCard()
    const dispute = serveDispute(payment, 'needs_response')
    await deliver('charge.dispute.created', dispute)
    stripeDouble.on(`GET /v1/disputes/${dispute.id}`, {
      body: {
        ...dispute,
        payment_intent: intent({ id: payment.paymentIntent, metadata: payment.metadata }),
        balance_transactions: [
          { id: 'txn_1', amount: -10_000, currency: 'usd', created: Math.floor(product.now().getTime() / 1000) },
        ],
      },
    })
    expect(await deliver('charge.dispute.funds_withdrawn', dispute)).toBe(204)
    expect((await mia.wallet()).fiat_balance).toBe('0.00')
    expect(await loadException(dispute.id)).toMatchObject([{ is_open: true }])
    expect(await loadLots(payment.id)).toEqual([])
    expect(await loadFailedChecks(world)).toEqual([])
  })
})

describe('an event of another API version', () => {
  test('is not read: its object is queried', async () => {
    const suffix = randomUUID().replaceAll('-', '')
    stripeDouble.on('POST /v1/checkout/sessions', {
      body: { id: `cs_${suffix}`, url: 'https://checkout.stripe.com/c/pay' },
    })
    const { payment_id: id } = await mia.call(depositByCard, {
      body: { amount: 10_000, currency: 'usd' },
      idempotencyKey: randomUUID(),
    })
    const paid = session({
      id: `cs_${suffix}`,
      metadata: { payment_id: id, method: 'card' },
      payment_intent: `pi_${suffix}`,
    })
    stripeDouble.on(`GET /v1/checkout/sessions/cs_${suffix}`, { body: paid })
    // Its payload says something else, in a form of its own.
    const payload = { id: `cs_${suffix}`, amount_total: { value: 1 }, metadata: null }
    const overrides = { api_version: '2019-01-01' }
    expect(await deliver('checkout.session.completed', payload, overrides)).toBe(204)
    expect((await mia.wallet()).fiat_balance).toBe('100.00')
    expect(await loadFailedChecks(world)).toEqual([])
  })

  test('is sent again while Stripe does not answer', async () => {
    stripeDouble.on('GET /v1/payment_intents/pi_silent', stripeError(500, { type: 'api_error' }))
    const overrides = { api_version: '2019-01-01' }
    expect(await deliver('payment_intent.succeeded', { id: 'pi_silent' }, overrides)).toBe(500)
    expect(await deliver('customer.created', { id: 'cus_1' }, overrides)).toBe(204)
  })
})
