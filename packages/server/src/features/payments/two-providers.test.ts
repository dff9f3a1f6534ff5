import { randomUUID } from 'node:crypto'
import { paymentMethods } from '@tern/contract/banking'
import { cancelPayment, depositByCard, paymentStatus } from '@tern/contract/payments'
import { walletOfUser } from '@tern/contract/wallets'
import type { Capability } from '@tern/providers/money'
import { Stripe } from 'stripe'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { startTestApp, type TestPerson } from '@tern/testkit/app'
import { loadFailedChecks, settleCall, loadStoredPayout } from '@tern/testkit/banking'
import {
  toCaller,
  buildContext,
  eventAbout,
  deliver,
  linkAccount,
  findSandbox,
  saveCard,
  steer,
  loadStoredPayment,
} from '@tern/testkit/payments'
import { payCheckout } from '@tern/testkit/people'
import { buildStripeEvent, session, startStripeDouble, testSecret } from '@tern/testkit/providers/stripe'
import { createMoneyRegistry } from '../../platform/providers/money-registry.ts'
import type { ProviderRule } from '../../platform/providers/provider-registry.ts'
import { createPayments, type Payments } from './payments.ts'

let mia: TestPerson
let switchedPayments: Payments
let errors: object[]

const shortlyLater = () => new Date(world.app.product.now().getTime() + 60_000)

function createPaymentsFor(...rules: ProviderRule[]): Payments {
  const { all } = world.app.product.providers.money
  const log = { warn() {}, error: (details: object) => errors.push(details) }
  return createPayments({ ...buildContext(world), providers: createMoneyRegistry(all, { rules }), log })
}

// Both the sandbox and Stripe are configured. The running product's rule chooses the sandbox; that of
// `switchedPayments` chooses Stripe for cards in dollars.
const stripeDouble = await startStripeDouble()
stripeDouble.on('GET /v1/balance_transactions', { body: { object: 'list', data: [], has_more: false } })
stripeDouble.on('GET /v1/balance', { body: { object: 'balance', available: [], pending: [] } })
const world = await startTestApp({
  events: 'lost',
  environment: {
    STRIPE_SECRET_KEY: 'sk_test_double',
    STRIPE_WEBHOOK_SECRET: testSecret,
    STRIPE_API_URL: stripeDouble.url,
    MONEY_PROVIDERS: 'sandbox',
  },
})
afterAll(async () => {
  await world.close()
  await stripeDouble.close()
})
beforeEach(async () => {
  errors = []
  stripeDouble.calls.length = 0
  switchedPayments = createPaymentsFor(
    { provider: 'stripe', method: ['card'], currency: ['USD'] },
    { provider: 'sandbox' },
  )
  mia = await world.enroll('mia', 'United States')
})

const loadProvider = async (table: 'payment' | 'payout', id: string) =>
  (await world.database.pool.query<{ provider: string }>(`select provider from ${table} where id = $1`, [id])).rows[0]
    ?.provider
const loadStatus = async (id: string) => (await mia.call(paymentStatus, { params: { id } })).status
const loadBalance = async () => (await mia.call(walletOfUser, { params: { userId: String(mia.id) } })).fiat_balance

/** Deposits 100 dollars at the sandbox and pays there. */
async function depositAtSandbox(): Promise<string> {
  const payment = await mia.call(depositByCard, { body: { amount: 10_000, currency: 'usd' } })
  await payCheckout(payment.redirectUrl!)
  expect(await loadProvider('payment', payment.payment_id)).toBe('sandbox')
  return payment.payment_id
}

/** Begins a deposit of 100 dollars at Stripe. */
async function depositAtStripe() {
  const sessionId = `cs_test_${randomUUID().replaceAll('-', '')}`
  stripeDouble.on('POST /v1/checkout/sessions', { body: { id: sessionId, url: 'https://checkout.stripe.com/c/pay' } })
  const payment = await switchedPayments.depositByCard({
    caller: toCaller(mia),
    body: { amount: 10_000, currency: 'usd' },
    idempotencyKey: randomUUID(),
  })
  expect(payment.redirectUrl).toBe('https://checkout.stripe.com/c/pay')
  expect(await loadProvider('payment', payment.payment_id)).toBe('stripe')
  const buildPaidSession = (overrides: object = {}) =>
    session({ id: sessionId, metadata: { payment_id: payment.payment_id, method: 'card' }, ...overrides })
  return { id: payment.payment_id, sessionId, buildPaidSession }
}

test('each payment is polled, settled and refunded where it was made, after the rule has chosen another provider', async () => {
  const sandboxPaymentId = await depositAtSandbox()
  const stripeDeposit = await depositAtStripe()
  stripeDouble.on(`GET /v1/checkout/sessions/${stripeDeposit.sessionId}`, {
    body: stripeDeposit.buildPaidSession({ status: 'open', payment_status: 'unpaid', payment_intent: null }),
  })
  await switchedPayments.checkPendingPayments(shortlyLater())
  expect([await loadStatus(sandboxPaymentId), await loadStatus(stripeDeposit.id)]).toEqual(['completed', 'pending'])
  expect(errors).toEqual([])

  stripeDouble.on(`GET /v1/checkout/sessions/${stripeDeposit.sessionId}`, {
    body: stripeDeposit.buildPaidSession({ payment_intent: `pi_${stripeDeposit.id}` }),
  })
  await world.app.product.payments.checkPendingPayments(shortlyLater())
  expect(await loadStatus(stripeDeposit.id)).toBe('completed')
  expect(await loadBalance()).toBe('200.00')

  await steer(world, sandboxPaymentId, 'refund')
  const reconciliations = await switchedPayments.reconcile({ until: shortlyLater() })
  expect(reconciliations.map(({ provider, unknown }) => [provider, unknown])).toEqual([
    ['stripe', undefined],
    ['sandbox', undefined],
  ])
  expect(reconciliations[1]?.takenIn).toBe(1)
  expect([await loadStatus(sandboxPaymentId), await loadBalance()]).toEqual(['reversed', '100.00'])
  expect(reconciliations.at(-1)?.open).toMatchObject([
    { kind: 'missing_external', provider: 'stripe', reference: stripeDeposit.id },
  ])
  const { rows } = await world.database.pool.query('select distinct provider from reconciliation_run order by provider')
  expect(rows).toEqual([{ provider: 'sandbox' }, { provider: 'stripe' }])
  expect(await loadFailedChecks(world)).toEqual([])
})

test('an event counts only for payments of its own provider, whichever one the rule chooses', async () => {
  const { id, buildPaidSession } = await depositAtStripe()
  const forgedEvent = await eventAbout(world, id, 'checkout.paid')
  expect((await deliver(world, forgedEvent)).status).toBe(204)
  expect(await loadStatus(id)).toBe('pending')

  const object = buildPaidSession({ payment_intent: `pi_${id}` })
  const payload = JSON.stringify(buildStripeEvent({ id: `evt_${id}`, type: 'checkout.session.completed', object }))
  const signature = new Stripe('sk_test_1').webhooks.generateTestHeaderString({ payload, secret: testSecret })
  const post = (name: string) =>
    world.raw('POST', `/webhooks/${name}`, {
      body: payload,
      headers: { 'content-type': 'application/json', 'stripe-signature': signature },
    })
  expect([(await post('sandbox')).status, (await post('acme')).status]).toEqual([400, 404])
  expect(await loadStatus(id)).toBe('pending')
  expect((await post('stripe')).status).toBe(204)
  expect(await loadStatus(id)).toBe('completed')
})

test('money from and to a card or bank account moves at the provider that holds it', async () => {
  await depositAtSandbox()
  await switchedPayments.checkPendingPayments(shortlyLater())
  const bankAccountId = await linkAccount(world, mia)
  await saveCard(world, mia, {
    ...{ token: `card_${randomUUID()}`, fingerprint: randomUUID(), brand: 'Visa', last4: '4242' },
    ...{ expMonth: 12, expYear: 2039 },
  })
  const [card] = (await mia.call(paymentMethods, {})).cards
  const cardBody = { amount: 1000, currency: 'usd', paymentMethodId: card!.id } as const
  const refusedDeposit = switchedPayments.depositByCard({
    caller: toCaller(mia),
    body: cardBody,
    idempotencyKey: randomUUID(),
  })
  expect(await refusedDeposit.catch((error: unknown) => error), 'the sandbox knows no such card').toMatchObject({
    code: 'payment_refused',
  })
  const withdrawal = await switchedPayments.withdraw({
    caller: toCaller(mia),
    body: { amount: '10.00', currency: 'USD', bankAccountId },
    idempotencyKey: randomUUID(),
  })
  await switchedPayments.submitPayout(withdrawal.payout_id)
  expect(await loadStoredPayout(world, withdrawal.payout_id)).toMatchObject({
    provider: 'sandbox',
    provider_payout_id: expect.any(String),
  })
  await switchedPayments.removeCard({ userId: BigInt(mia.id), id: card!.id })
  const { rows } = await world.database.pool.query('select from detached_instrument')
  expect(rows, 'the sandbox was told to forget the card').toEqual([])
  expect(stripeDouble.calls).toEqual([])
})

test('without a matching rule, no new payment begins', async () => {
  const germanPayments = createPaymentsFor({ provider: 'stripe', country: ['DE'] })
  const refusedDeposit = germanPayments.depositByCard({
    caller: toCaller(mia),
    body: { amount: 10_000, currency: 'usd' },
    idempotencyKey: randomUUID(),
  })
  await expect(refusedDeposit).rejects.toMatchObject({ code: 'provider_unavailable' })
  const { rowCount } = await world.database.pool.query('select from payment where user_id = $1', [mia.id])
  expect(rowCount).toBe(0)
})

test('a row whose provider is not configured is an error for operators, and no other provider is asked', async () => {
  const id = await depositAtSandbox()
  await world.database.pool.query(`update payment set provider = 'acme' where id = $1`, [id])
  await switchedPayments.checkPendingPayments(shortlyLater())
  expect(errors).toContainEqual({ id, provider: 'acme' })
  expect(await settleCall(mia.call(cancelPayment, { params: { id } }))).toMatchObject({ code: 'provider_unavailable' })
  expect(await loadStatus(id)).toBe('pending')
  const reconciliations = await switchedPayments.reconcile({ until: shortlyLater() })
  expect(reconciliations.at(-1)).toMatchObject({ provider: 'acme', unknown: expect.stringContaining('not configured') })
  expect(errors).toContainEqual(expect.objectContaining({ provider: 'acme', reason: expect.any(String) }))
  expect((await loadStoredPayment(world, id)).capture_id).toBeNull()
})

describe('a capability that a provider lacks', () => {
  const createPaymentsWith = (...capabilities: Capability[]): Payments => {
    const sandbox = findSandbox(world)
    const allProviders = [{ name: 'sandbox', ...Object.fromEntries(capabilities.map((name) => [name, sandbox[name]])) }]
    const log = { warn() {}, error: (details: object) => errors.push(details) }
    return createPayments({ ...buildContext(world), providers: createMoneyRegistry(allProviders), log })
  }
  const depositThrough = (payments: Payments, body: object) =>
    payments.deposit({
      caller: toCaller(mia),
      body: { amount: '10.00', currency: 'USD', method: 'bank', ...body },
      idempotencyKey: randomUUID(),
      confirmation: undefined,
    })

  test('collect: no payment is begun by card or bank', async () => {
    await linkAccount(world, mia)
    const payments = createPaymentsWith('link', 'payout')
    for (const method of ['card', 'bank']) {
      await expect(depositThrough(payments, { method })).rejects.toMatchObject({ code: 'provider_unavailable' })
    }
    const { rowCount } = await world.database.pool.query('select from payment where user_id = $1', [mia.id])
    expect(rowCount).toBe(0)
  })

  test('link: its bank accounts cannot be used', async () => {
    await linkAccount(world, mia)
    const payments = createPaymentsWith('collect', 'payout')
    await expect(depositThrough(payments, {})).rejects.toMatchObject({ code: 'bank_account_needed' })
  })

  test('payout: nothing is withdrawn', async () => {
    await depositAtSandbox()
    await switchedPayments.checkPendingPayments(shortlyLater())
    const bankAccountId = await linkAccount(world, mia)
    const withdrawal = createPaymentsWith('collect', 'link').withdraw({
      caller: toCaller(mia),
      body: { amount: '10.00', currency: 'USD', bankAccountId },
      idempotencyKey: randomUUID(),
    })
    await expect(withdrawal).rejects.toMatchObject({ code: 'bank_account_needed' })
    expect(await loadBalance()).toBe('100.00')
  })

  test('report: it is not reconciled, and its payments settle by polling', async () => {
    const id = await depositAtSandbox()
    const payments = createPaymentsWith('collect', 'link', 'payout')
    const reconciledProviders = (await payments.reconcile({ until: shortlyLater() })).map(({ provider }) => provider)
    expect(reconciledProviders).not.toContain('sandbox')
    await payments.checkPendingPayments(shortlyLater())
    expect(await loadStatus(id)).toBe('completed')
    await expect(payments.release({ id, because: 'a test' })).rejects.toThrow()
  })

  test('events: its webhook does not exist', async () => {
    const eventOutcome = createPaymentsWith('collect').receiveEvent({
      provider: 'sandbox',
      rawBody: Buffer.from('{}'),
      headers: {},
    })
    await expect(eventOutcome).rejects.toMatchObject({ code: 'not_found' })
  })
})
