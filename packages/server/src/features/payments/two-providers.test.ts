import { randomUUID } from 'node:crypto'
import { paymentMethods } from '@tern/contract/banking'
import { cancelPayment, depositByCard, paymentStatus } from '@tern/contract/payments'
import { walletOfUser } from '@tern/contract/wallets'
import type { Capability } from '@tern/providers/money'
import { Stripe } from 'stripe'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { startTestApp, type TestPerson } from '@tern/testkit/app'
import { failedChecks, settleCall, storedPayout } from '@tern/testkit/banking'
import {
  toCaller,
  buildContext,
  eventAbout,
  deliver,
  linkAccount,
  findSandbox,
  saveCard,
  steer,
  storedPayment,
} from '@tern/testkit/payments'
import { payCheckout } from '@tern/testkit/people'
import { session, startStripeDouble, testSecret } from '@tern/testkit/providers/stripe'
import { createMoneyRegistry } from '../../platform/providers/money-registry.ts'
import type { ProviderRule } from '../../platform/providers/provider-registry.ts'
import { createPayments, type Payments } from './payments.ts'

let mia: TestPerson
let moved: Payments
let errors: object[]

const soon = () => new Date(world.app.product.now().getTime() + 60_000)

function paymentsBy(...rules: ProviderRule[]): Payments {
  const { all } = world.app.product.providers.money
  const log = { warn() {}, error: (details: object) => errors.push(details) }
  return createPayments({ ...buildContext(world), providers: createMoneyRegistry(all, { rules }), log })
}

// The sandbox and Stripe move money at once. The running product's rule chooses the sandbox; `moved` are the payments
// of a product whose rule chooses Stripe for cards in dollars.
const double = await startStripeDouble()
double.on('GET /v1/balance_transactions', { body: { object: 'list', data: [], has_more: false } })
const world = await startTestApp({
  events: 'lost',
  environment: {
    STRIPE_SECRET_KEY: 'sk_test_double',
    STRIPE_WEBHOOK_SECRET: testSecret,
    STRIPE_API_URL: double.url,
    MONEY_PROVIDERS: 'sandbox',
  },
})
afterAll(async () => {
  await world.close()
  await double.close()
})
beforeEach(async () => {
  errors = []
  double.calls.length = 0
  moved = paymentsBy({ provider: 'stripe', method: ['card'], currency: ['USD'] }, { provider: 'sandbox' })
  mia = await world.enroll('mia', 'United States')
})

const providerOf = async (table: 'payment' | 'payout', id: string) =>
  (await world.database.pool.query<{ provider: string }>(`select provider from ${table} where id = $1`, [id])).rows[0]
    ?.provider
const statusOf = async (id: string) => (await mia.call(paymentStatus, { params: { id } })).status
const balance = async () => (await mia.call(walletOfUser, { params: { userId: String(mia.id) } })).fiat_balance

/** Deposits 100 dollars at the sandbox and pays there. */
async function paidAtSandbox(): Promise<string> {
  const begun = await mia.call(depositByCard, { body: { amount: 10_000, currency: 'usd' } })
  await payCheckout(begun.redirectUrl!)
  expect(await providerOf('payment', begun.payment_id)).toBe('sandbox')
  return begun.payment_id
}

/** Begins a deposit of 100 dollars at Stripe. */
async function begunAtStripe() {
  const sessionId = `cs_test_${randomUUID().replaceAll('-', '')}`
  double.on('POST /v1/checkout/sessions', { body: { id: sessionId, url: 'https://checkout.stripe.com/c/pay' } })
  const begun = await moved.depositByCard({
    caller: toCaller(mia),
    body: { amount: 10_000, currency: 'usd' },
    idempotencyKey: randomUUID(),
  })
  expect(begun.redirectUrl).toBe('https://checkout.stripe.com/c/pay')
  expect(await providerOf('payment', begun.payment_id)).toBe('stripe')
  const paid = (over: object = {}) =>
    session({ id: sessionId, metadata: { payment_id: begun.payment_id, method: 'card' }, ...over })
  return { id: begun.payment_id, sessionId, paid }
}

test('each payment is polled, settled and refunded where it was made, after the rule has chosen another provider', async () => {
  const here = await paidAtSandbox()
  const there = await begunAtStripe()
  double.on(`GET /v1/checkout/sessions/${there.sessionId}`, {
    body: there.paid({ status: 'open', payment_status: 'unpaid', payment_intent: null }),
  })
  await moved.checkPendingPayments(soon())
  expect([await statusOf(here), await statusOf(there.id)]).toEqual(['completed', 'pending'])
  expect(errors).toEqual([])

  double.on(`GET /v1/checkout/sessions/${there.sessionId}`, { body: there.paid({ payment_intent: `pi_${there.id}` }) })
  await world.app.product.payments.checkPendingPayments(soon())
  expect(await statusOf(there.id)).toBe('completed')
  expect(await balance()).toBe('200.00')

  await steer(world, here, 'refund')
  const reports = await moved.reconcile({ until: soon() })
  expect(reports.map(({ provider, unknown }) => [provider, unknown])).toEqual([
    ['stripe', undefined],
    ['sandbox', undefined],
  ])
  expect(reports[1]?.takenIn).toBe(1)
  expect([await statusOf(here), await balance()]).toEqual(['reversed', '100.00'])
  expect(reports.at(-1)?.open).toMatchObject([{ kind: 'missing_external', provider: 'stripe', reference: there.id }])
  const { rows } = await world.database.pool.query('select provider from reconciliation_run order by provider')
  expect(rows).toEqual([{ provider: 'sandbox' }, { provider: 'stripe' }])
  expect(await failedChecks(world)).toEqual([])
})

test('an event counts only for payments of its own provider, whichever one the rule chooses', async () => {
  const { id, paid } = await begunAtStripe()
  const forged = await eventAbout(world, id, 'checkout.paid')
  expect((await deliver(world, forged)).status).toBe(204)
  expect(await statusOf(id)).toBe('pending')

  const event = { id: `evt_${id}`, object: 'event', type: 'checkout.session.completed', created: 1_772_355_600 }
  const payload = JSON.stringify({ ...event, data: { object: paid({ payment_intent: `pi_${id}` }) } })
  const signature = new Stripe('sk_test_1').webhooks.generateTestHeaderString({ payload, secret: testSecret })
  const post = (name: string) =>
    world.raw('POST', `/webhooks/${name}`, {
      body: payload,
      headers: { 'content-type': 'application/json', 'stripe-signature': signature },
    })
  expect([(await post('sandbox')).status, (await post('acme')).status]).toEqual([400, 404])
  expect(await statusOf(id)).toBe('pending')
  expect((await post('stripe')).status).toBe(204)
  expect(await statusOf(id)).toBe('completed')
})

test('money from and to a card or bank account moves at the provider that holds it', async () => {
  await paidAtSandbox()
  await moved.checkPendingPayments(soon())
  const bankAccountId = await linkAccount(world, mia)
  await saveCard(world, mia, {
    ...{ token: `card_${randomUUID()}`, fingerprint: randomUUID(), brand: 'Visa', last4: '4242' },
    ...{ expMonth: 12, expYear: 2039 },
  })
  const [card] = (await mia.call(paymentMethods, {})).cards
  const byCard = { amount: 1000, currency: 'usd', paymentMethodId: card!.id } as const
  const charged = moved.depositByCard({ caller: toCaller(mia), body: byCard, idempotencyKey: randomUUID() })
  expect(await charged.catch((error: unknown) => error), 'the sandbox knows no such card').toMatchObject({
    code: 'payment_refused',
  })
  const paidOut = await moved.withdraw({
    caller: toCaller(mia),
    body: { amount: '10.00', currency: 'USD', bankAccountId },
    idempotencyKey: randomUUID(),
  })
  await moved.submitPayout(paidOut.payout_id)
  expect(await storedPayout(world, paidOut.payout_id)).toMatchObject({
    provider: 'sandbox',
    provider_payout_id: expect.any(String),
  })
  await moved.removeCard({ userId: BigInt(mia.id), id: card!.id })
  const { rows } = await world.database.pool.query('select from detached_instrument')
  expect(rows, 'the sandbox was told to forget the card').toEqual([])
  expect(double.calls).toEqual([])
})

test('without a matching rule, no new payment begins', async () => {
  const strict = paymentsBy({ provider: 'stripe', country: ['DE'] })
  const begun = strict.depositByCard({
    caller: toCaller(mia),
    body: { amount: 10_000, currency: 'usd' },
    idempotencyKey: randomUUID(),
  })
  await expect(begun).rejects.toMatchObject({ code: 'provider_unavailable' })
  const { rowCount } = await world.database.pool.query('select from payment where user_id = $1', [mia.id])
  expect(rowCount).toBe(0)
})

test('a row whose provider is not configured is an error for operators, and no other provider is asked', async () => {
  const id = await paidAtSandbox()
  await world.database.pool.query(`update payment set provider = 'acme' where id = $1`, [id])
  await moved.checkPendingPayments(soon())
  expect(errors).toContainEqual({ id, provider: 'acme' })
  expect(await settleCall(mia.call(cancelPayment, { params: { id } }))).toMatchObject({ code: 'provider_unavailable' })
  expect(await statusOf(id)).toBe('pending')
  const reports = await moved.reconcile({ until: soon() })
  expect(reports.at(-1)).toMatchObject({ provider: 'acme', unknown: expect.stringContaining('not configured') })
  expect(errors).toContainEqual(expect.objectContaining({ provider: 'acme', reason: expect.any(String) }))
  expect((await storedPayment(world, id)).capture_id).toBeNull()
})

describe('a capability that a provider lacks', () => {
  const limitedTo = (...capabilities: Capability[]): Payments => {
    const sandbox = findSandbox(world)
    const all = [{ name: 'sandbox', ...Object.fromEntries(capabilities.map((name) => [name, sandbox[name]])) }]
    const log = { warn() {}, error: (details: object) => errors.push(details) }
    return createPayments({ ...buildContext(world), providers: createMoneyRegistry(all), log })
  }
  const depositOf = (payments: Payments, body: object) =>
    payments.deposit({
      caller: toCaller(mia),
      body: { amount: '10.00', currency: 'USD', method: 'bank', ...body },
      idempotencyKey: randomUUID(),
      confirmation: undefined,
    })

  test('collect: no payment is begun by card or bank', async () => {
    await linkAccount(world, mia)
    const payments = limitedTo('link', 'payout')
    for (const method of ['card', 'bank']) {
      await expect(depositOf(payments, { method })).rejects.toMatchObject({ code: 'provider_unavailable' })
    }
    const { rowCount } = await world.database.pool.query('select from payment where user_id = $1', [mia.id])
    expect(rowCount).toBe(0)
  })

  test('link: its bank accounts cannot be used', async () => {
    await linkAccount(world, mia)
    const payments = limitedTo('collect', 'payout')
    await expect(depositOf(payments, {})).rejects.toMatchObject({ code: 'bank_account_needed' })
  })

  test('payout: nothing is withdrawn', async () => {
    await paidAtSandbox()
    await moved.checkPendingPayments(soon())
    const bankAccountId = await linkAccount(world, mia)
    const withdrawn = limitedTo('collect', 'link').withdraw({
      caller: toCaller(mia),
      body: { amount: '10.00', currency: 'USD', bankAccountId },
      idempotencyKey: randomUUID(),
    })
    await expect(withdrawn).rejects.toMatchObject({ code: 'bank_account_needed' })
    expect(await balance()).toBe('100.00')
  })

  test('report: it is not reconciled, and its payments settle by polling', async () => {
    const id = await paidAtSandbox()
    const payments = limitedTo('collect', 'link', 'payout')
    const compared = (await payments.reconcile({ until: soon() })).map(({ provider }) => provider)
    expect(compared).not.toContain('sandbox')
    await payments.checkPendingPayments(soon())
    expect(await statusOf(id)).toBe('completed')
    await expect(payments.release({ id, because: 'a test' })).rejects.toThrow()
  })

  test('events: its webhook does not exist', async () => {
    const received = limitedTo('collect').receiveEvent({
      provider: 'sandbox',
      rawBody: Buffer.from('{}'),
      headers: {},
    })
    await expect(received).rejects.toMatchObject({ code: 'not_found' })
  })
})
