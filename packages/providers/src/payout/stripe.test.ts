import { money } from '@tern/money/money'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { shortTimeout, startStripeDouble, type StripeDouble } from '@tern/testkit/providers/stripe'
import type { PayoutRequest } from './port.ts'
import { createStripePayoutProvider } from './stripe.ts'

const payoutId = '01934f5e-8c00-7000-8000-00000000000b'
const order: PayoutRequest = {
  payoutId,
  amount: money('USD', 12_345n),
  accountToken: 'acct_1/pm_1/usba_1',
  description: 'Tern withdrawal – wallet of Mia',
  idempotencyKey: payoutId,
}
const route = 'POST /v2/money_management/outbound_payments'
const paymentRoute = 'GET /v2/money_management/outbound_payments/obp_1'

let stripeDouble: StripeDouble
beforeEach(async () => {
  stripeDouble = await startStripeDouble()
})
afterEach(() => stripeDouble.close())

const connectPayout = async (settings = {}) =>
  createStripePayoutProvider(await stripeDouble.connect({ financialAccount: 'fa_1', ...settings }))

const buildPayment = (status: string, overrides: object = {}) => ({
  body: {
    id: 'obp_1',
    object: 'v2.money_management.outbound_payment',
    amount: { value: 12_345, currency: 'usd' },
    from: { debited: { value: 12_345, currency: 'usd' }, financial_account: 'fa_1' },
    metadata: { payout_id: payoutId },
    status,
    ...overrides,
  },
})
const buildFailure = (status: number, type: string) => ({
  status,
  body: { error: { type, code: type, message: 'Something about acct_secret' } },
})

describe('paying out', () => {
  test('orders one payment from our financial account to the linked bank account', async () => {
    stripeDouble.on(route, buildPayment('processing'))
    expect(await (await connectPayout()).pay(order)).toEqual({ status: 'accepted', providerPayoutId: 'obp_1' })
    const { json, headers } = stripeDouble.call(route)
    expect(json).toEqual({
      amount: { value: 12_345, currency: 'usd' },
      from: { financial_account: 'fa_1', currency: 'usd' },
      to: { recipient: 'acct_1', payout_method: 'usba_1', currency: 'usd' },
      description: order.description,
      metadata: { payout_id: payoutId },
      recipient_notification: { setting: 'none' },
      statement_descriptor: 'Tern withdrawal  walle',
    })
    expect(headers).toMatchObject({ 'idempotency-key': payoutId, 'stripe-version': '2026-10-28.endive' })
  })

  test('counts yen as Stripe does', async () => {
    stripeDouble.on(route, buildPayment('processing'))
    await (await connectPayout()).pay({ ...order, amount: money('JPY', 700n) })
    expect(stripeDouble.call(route).json).toMatchObject({ amount: { value: 700, currency: 'jpy' } })
  })

  test.each([
    ['USD', undefined, 'usd'],
    ['GBP', undefined, 'gbp'],
    ['EUR', 'GBP', 'eur'],
    ['JPY', undefined, 'usd'],
    ['INR', undefined, 'usd'],
    ['BRL', 'EUR', 'eur'],
    ['SGD', 'GBP', 'gbp'],
    ['CAD', undefined, 'usd'],
    ['AUD', undefined, 'usd'],
  ] as const)(
    '%s reaches the recipient exactly; it is paid from a held currency (%s): %s',
    async (code, from, source) => {
      stripeDouble.on(route, buildPayment('processing'))
      await (await connectPayout({ convertFrom: from })).pay({ ...order, amount: money(code, 700n) })
      const currency = code.toLowerCase()
      expect(stripeDouble.call(route).json).toMatchObject({
        amount: { value: 700, currency },
        from: { financial_account: 'fa_1', currency: source },
        to: { recipient: 'acct_1', payout_method: 'usba_1', currency },
      })
    },
  )

  test('names its verification of the payee, which is acknowledged first where Stripe waits for that', async () => {
    const acknowledgeRoute = 'POST /v2/money_management/recipient_verifications/recver_1/acknowledge'
    stripeDouble.on(route, buildPayment('processing'))
    stripeDouble.on('GET /v2/money_management/recipient_verifications/recver_1', {
      body: { id: 'recver_1', status: 'awaiting_acknowledgement' },
    })
    stripeDouble.on(acknowledgeRoute, { body: { id: 'recver_1', status: 'acknowledged' } })
    await (await connectPayout()).pay({ ...order, payeeCheck: { reference: 'recver_1', isAcknowledged: true } })
    expect(stripeDouble.call(route).json).toMatchObject({ recipient_verification: 'recver_1' })
    const paths = stripeDouble.calls.map(({ method, path }) => `${method} ${path}`)
    expect(paths.indexOf(acknowledgeRoute)).toBeLessThan(paths.indexOf(route))
  })

  test('finds the first order when its repetition would draw on another currency', async () => {
    stripeDouble.on(route, buildFailure(400, 'idempotency_error'))
    stripeDouble.on('GET /v2/money_management/outbound_payments', {
      body: { data: [buildPayment('processing').body], next_page_url: null, previous_page_url: null },
    })
    expect(await (await connectPayout()).pay(order)).toEqual({ status: 'accepted', providerPayoutId: 'obp_1' })
  })

  test.each([
    ['no financial account', { financialAccount: undefined }, {}],
    ['an account that can only be debited', {}, { accountToken: 'cus_1/pm_1/' }],
    ['a token of somebody else', {}, { accountToken: 'ba_sandbox' }],
    ['crypto', {}, { amount: money('BTC', 1n) }],
    ['more than a JSON number holds', {}, { amount: money('USD', 2n ** 60n) }],
  ])('with %s is not ordered', async (_name, settings, overrides) => {
    expect(await (await connectPayout(settings)).pay({ ...order, ...overrides })).toMatchObject({ status: 'refused' })
    expect(stripeDouble.calls).toEqual([])
  })

  test.each([
    ['an account that cannot be paid to', buildFailure(400, 'capability_not_enabled'), 'refused'],
    ['a payout that Stripe blocks', buildFailure(400, 'blocked_by_stripe'), 'refused'],
    ['an empty financial account, which its owner fills', buildFailure(400, 'insufficient_funds'), 'unknown'],
    ['a key that was used for something else', buildFailure(400, 'idempotency_error'), 'unknown'],
    ['too many calls', buildFailure(429, 'rate_limit'), 'unknown'],
    ['a fault', buildFailure(500, 'api_error'), 'unknown'],
    ['silence', 'silence', 'unknown'],
  ] as const)('%s: %s', async (_name, answer, status) => {
    stripeDouble.on(route, answer)
    const result = await (await connectPayout(answer === 'silence' ? shortTimeout : {})).pay(order)
    expect(result).toMatchObject({ status })
    const orders = stripeDouble.calls.filter(({ method }) => method === 'POST')
    expect(new Set(orders.map(({ headers }) => headers['idempotency-key']))).toEqual(new Set([payoutId]))
    expect(JSON.stringify(result)).not.toContain('acct_secret')
  })

  test('a rejected key is a configuration fault', async () => {
    stripeDouble.on(route, buildFailure(401, 'invalid_api_key'))
    expect(await (await connectPayout()).pay(order)).toMatchObject({ status: 'unknown', fault: 'configuration' })
  })
})

describe('a payout', () => {
  const amount = money('USD', 12_345n)

  test.each([
    ['on its way', buildPayment('processing'), { status: 'open', payoutId }],
    ['arrived', buildPayment('posted'), { status: 'settled', payoutId, amount, paidId: 'obp_1' }],
    [
      'failed',
      buildPayment('failed', { status_details: { failed: { reason: 'payout_method_declined' } } }),
      { status: 'failed', payoutId, reason: 'payout_method_declined' },
    ],
    ['canceled', buildPayment('canceled'), { status: 'failed', payoutId, reason: 'canceled' }],
    [
      'sent back',
      buildPayment('returned', { status_details: { returned: { reason: 'payout_method_closed' } } }),
      {
        status: 'returned',
        payoutId,
        amount,
        paidId: 'obp_1',
        returnId: 'obp_1:returned',
        reason: 'payout_method_closed',
      },
    ],
  ])('that is %s', async (_name, body, state) => {
    stripeDouble.on(paymentRoute, body)
    expect(await (await connectPayout()).lookup('obp_1')).toEqual(state)
  })

  test('that was converted tells what it cost, and what its return gave back', async () => {
    const debited = { from: { debited: { value: 4711, currency: 'usd' }, financial_account: 'fa_1' } }
    const converted = { amount: { value: 7000, currency: 'jpy' }, ...debited }
    const facts = { payoutId, amount: money('JPY', 7000n), paidId: 'obp_1', cost: money('USD', 4711n) }
    stripeDouble.on(paymentRoute, buildPayment('posted', converted))
    expect(await (await connectPayout()).lookup('obp_1')).toEqual({ status: 'settled', ...facts })
    stripeDouble.on(paymentRoute, buildPayment('returned', converted))
    const listEntries = (...data: object[]) => ({ body: { data, next_page_url: null, previous_page_url: null } })
    const entriesRoute = 'GET /v2/money_management/transactions'
    const sent = { category: 'outbound_payment', balance_impact: { available: { value: -4711, currency: 'usd' } } }
    stripeDouble.on(entriesRoute, listEntries(sent))
    expect(await (await connectPayout()).lookup('obp_1')).toMatchObject({ status: 'unknown' })
    const back = {
      category: 'outbound_payment_reversal',
      balance_impact: { available: { value: 4650, currency: 'usd' } },
    }
    stripeDouble.on(entriesRoute, listEntries(sent, back))
    const returned = { status: 'returned', ...facts, returnId: 'obp_1:returned', reason: 'returned' }
    expect(await (await connectPayout()).lookup('obp_1')).toEqual({ ...returned, refund: money('USD', 4650n) })
  })

  test.each([
    ['none of ours', buildPayment('posted', { metadata: {} })],
    ['of no amount', buildPayment('posted', { amount: { value: 0, currency: 'usd' } })],
    ['one that Stripe does not find', buildFailure(404, 'not_found')],
  ])('that is %s is unknown', async (_name, answer) => {
    stripeDouble.on(paymentRoute, answer)
    expect(await (await connectPayout()).lookup('obp_1')).toMatchObject({ status: 'unknown' })
  })
})
