import { money } from '@tern/money/money'
import { afterEach, beforeEach, expect, test } from 'vitest'
import {
  intent,
  paymentId,
  startStripeDouble,
  type StripeCall,
  type StripeDouble,
  stripeError,
} from '@tern/testkit/providers/stripe'
import { createStripeReportProvider } from './stripe.ts'

const from = new Date('2026-03-01T00:00:00Z')
const untilDate = new Date('2026-03-02T00:00:00Z')
const toSeconds = (iso: string): number => new Date(iso).getTime() / 1000
const atHour = (hour: string): string => `2026-03-01T${hour}:00:00.000Z`

let stripeDouble: StripeDouble
beforeEach(async () => {
  stripeDouble = await startStripeDouble()
})
afterEach(() => stripeDouble.close())

const loadLines = async (settings = {}) =>
  createStripeReportProvider(await stripeDouble.connect(settings)).lines(from, untilDate)

const buildEntry = (id: string, type: string, source: object | null, createdAt: string, amount = 10_000) => ({
  id,
  object: 'balance_transaction',
  type,
  amount,
  fee: 0,
  currency: 'usd',
  balance_type: 'payments',
  created: toSeconds(createdAt),
  source,
})
const buildCharge = (overrides: object = {}) => ({
  id: 'ch_1',
  object: 'charge',
  amount: 10_000,
  currency: 'usd',
  status: 'succeeded',
  payment_intent: 'pi_1',
  metadata: { payment_id: paymentId, method: 'card' },
  ...overrides,
})

/** Serves Stripe's balance, newest first, in pages of one entry each. */
function mockBalance(...entries: (ReturnType<typeof buildEntry> & object)[]): void {
  const newestFirst = entries.toSorted((a, b) => b.created - a.created)
  stripeDouble.on('GET /v1/balance_transactions', ({ fields }: StripeCall) => {
    const found = newestFirst.filter(
      ({ created }) => created >= Number(fields['created[gte]']) && created < Number(fields['created[lt]']),
    )
    const next = found.findIndex(({ id }) => id === fields.starting_after) + 1
    const data = found.slice(next, next + 1)
    return { body: { object: 'list', data, has_more: next + 1 < found.length, url: '/v1/balance_transactions' } }
  })
}

test('every payment, refund and dispute is a line, on all pages, oldest first', async () => {
  mockBalance(
    buildEntry('txn_2', 'charge', buildCharge({ id: 'ch_2', payment_intent: 'pi_2', amount: 700 }), atHour('11'), 700),
    buildEntry('txn_1', 'charge', buildCharge(), atHour('09')),
    buildEntry('txn_3', 'payment', buildCharge({ metadata: { payment_id: paymentId, method: 'bank' } }), atHour('10')),
    buildEntry('txn_4', 'refund', { id: 're_1', object: 'refund' }, atHour('12'), -2500),
    buildEntry('txn_5', 'adjustment', { id: 'du_1', object: 'dispute' }, atHour('13'), -10_000),
  )
  stripeDouble.on('GET /v1/refunds/re_1', {
    body: {
      id: 're_1',
      amount: 2500,
      currency: 'usd',
      created: toSeconds(atHour('12')),
      balance_transaction: 'txn_4',
      payment_intent: intent(),
    },
  })
  stripeDouble.on('GET /v1/disputes/du_1', {
    body: {
      id: 'du_1',
      amount: 10_000,
      currency: 'usd',
      payment_intent: intent(),
      balance_transactions: [{ id: 'txn_5', amount: -10_000, currency: 'usd', created: toSeconds(atHour('13')) }],
    },
  })
  const dollars = money('USD', 10_000n)
  const reference = paymentId
  expect(await loadLines()).toEqual({
    status: 'known',
    lines: [
      { id: 'pi_1', kind: 'capture', amount: dollars, reference, occurredAt: new Date(atHour('09')) },
      { id: 'pi_1', kind: 'debit', amount: dollars, reference, occurredAt: new Date(atHour('10')) },
      { id: 'pi_2', kind: 'capture', amount: money('USD', 700n), reference, occurredAt: new Date(atHour('11')) },
      { id: 're_1', kind: 'refund', amount: money('USD', 2500n), reference, occurredAt: new Date(atHour('12')) },
      { id: 'du_1', kind: 'chargeback', amount: dollars, reference, occurredAt: new Date(atHour('13')) },
    ],
    own: [],
    pending: [],
  })
  const { fields } = stripeDouble.calls[0] ?? { fields: {} }
  expect(fields).toEqual({
    limit: '100',
    'created[gte]': String(from.getTime() / 1000),
    'created[lt]': String(untilDate.getTime() / 1000),
    'expand[0]': 'data.source',
  })
})

test('a charge of unknown origin is a line, a pending debit is pending, and a failed one is neither', async () => {
  mockBalance(
    buildEntry('txn_1', 'charge', buildCharge({ metadata: {} }), atHour('09')),
    buildEntry('txn_2', 'payment', buildCharge({ status: 'failed' }), atHour('10')),
    buildEntry('txn_3', 'payment_failure_refund', buildCharge({ status: 'failed' }), atHour('11'), -10_000),
    buildEntry('txn_4', 'payment', buildCharge({ status: 'pending', payment_intent: 'pi_4' }), atHour('10')),
    buildEntry('txn_5', 'charge', buildCharge(), '2026-03-02T00:00:00Z'),
  )
  expect(await loadLines()).toEqual({
    status: 'known',
    lines: [expect.objectContaining({ id: 'pi_1', reference: null })],
    own: [],
    pending: [{ id: 'pi_4', balance: 'payments', amount: money('USD', 10_000n), occurredAt: new Date(atHour('10')) }],
  })
})

const ownLine = (id: string, kind: string, minor: bigint, currency = 'USD') => ({
  id,
  kind,
  balance: 'payments',
  amount: { currency, minor },
  occurredAt: new Date(atHour('09')),
})

test.each([
  ['stripe_fee', 'fee', -150],
  ['stripe_fx_fee', 'fee', -20],
  ['network_cost', 'fee', -7],
  ['tax_fee', 'fee', -30],
  ['payout', 'bank_transfer', -90_000],
  ['payout_failure', 'bank_transfer', 90_000],
  ['topup', 'bank_transfer', 50_000],
  ['reserve_hold', 'reserve', -4000],
  ['reserve_release', 'reserve', 4000],
  ['adjustment', 'adjustment', 12],
  ['a_type_of_next_year', 'unknown', -1],
])('an entry of the type %s is a %s of our own', async (type, kind, amount) => {
  mockBalance(buildEntry('txn_1', type, null, atHour('09'), amount))
  expect(await loadLines()).toEqual({
    status: 'known',
    lines: [],
    own: [ownLine('txn_1', kind, BigInt(amount))],
    pending: [],
  })
})

test('the fee of a payment is a line of its own, and a fee that is returned after a dispute another', async () => {
  mockBalance(
    { ...buildEntry('txn_1', 'charge', buildCharge(), atHour('09')), fee: 320 },
    { ...buildEntry('txn_2', 'adjustment', { id: 'du_1', object: 'dispute' }, atHour('09'), -10_000), fee: 1500 },
    { ...buildEntry('txn_3', 'adjustment', { id: 'du_1', object: 'dispute' }, atHour('09')), fee: -1500 },
  )
  const created = toSeconds(atHour('09'))
  stripeDouble.on('GET /v1/disputes/du_1', {
    body: {
      id: 'du_1',
      amount: 10_000,
      currency: 'usd',
      payment_intent: intent(),
      balance_transactions: [
        { id: 'txn_2', amount: -10_000, currency: 'usd', created },
        { id: 'txn_3', amount: 10_000, currency: 'usd', created: created + 1 },
      ],
    },
  })
  const report = await loadLines()
  expect(report).toMatchObject({ lines: expect.toSatisfy((lines: object[]) => lines.length === 3) })
  expect(report).toMatchObject({
    own: expect.arrayContaining([
      ownLine('txn_1:fee', 'fee', -320n),
      ownLine('txn_2:fee', 'fee', -1500n),
      ownLine('txn_3:fee', 'fee', 1500n),
    ]),
  })
})

test('a payment that Stripe converts into another currency has both sides of the conversion', async () => {
  const yen = buildCharge({ currency: 'jpy', amount: 1500 })
  mockBalance({ ...buildEntry('txn_1', 'charge', yen, atHour('09'), 980), fee: 29 })
  expect(await loadLines()).toMatchObject({
    lines: [{ id: 'pi_1', kind: 'capture', amount: money('JPY', 1500n) }],
    own: [
      ownLine('txn_1:fee', 'fee', -29n),
      ownLine('txn_1:converted', 'conversion', -1500n, 'JPY'),
      ownLine('txn_1:received', 'conversion', 980n),
    ],
  })
})

test('entries of balances that are not for payments are left out', async () => {
  mockBalance(
    { ...buildEntry('txn_1', 'reserve_hold', null, atHour('09'), 500), balance_type: 'risk_reserved' },
    { ...buildEntry('txn_2', 'topup', null, atHour('09'), 700), balance_type: 'refund_and_dispute_prefunding' },
  )
  expect(await loadLines()).toMatchObject({ own: [ownLine('txn_2', 'bank_transfer', 700n)] })
})

const value = (amount: number, currency = 'eur') => ({ value: amount, currency })

/** Returns an entry of a financial account, in the form of Stripe's v2 API. */
const buildAccountEntry = (
  id: string,
  category: string,
  impact: { available?: number; inbound_pending?: number; outbound_pending?: number },
  { at = atHour('05'), account = 'fa_1', flow = {} }: { at?: string; account?: string; flow?: object } = {},
) => ({
  id,
  object: 'v2.money_management.transaction_entry',
  balance_impact: {
    available: value(impact.available ?? 0),
    inbound_pending: value(impact.inbound_pending ?? 0),
    outbound_pending: value(impact.outbound_pending ?? 0),
  },
  created: at,
  effective_at: at,
  livemode: false,
  transaction: `trxn_${id}`,
  transaction_details: { category, financial_account: account, flow: { type: category, ...flow } },
})

const buildOutbound = (id: string, overrides: object = {}) => ({
  id,
  object: 'v2.money_management.outbound_payment',
  status: 'posted',
  created: atHour('01'),
  amount: value(500),
  from: { financial_account: 'fa_1' },
  metadata: { payout_id: paymentId },
  ...overrides,
})

test('payouts, their returns and our own money are read from the entries of the financial account', async () => {
  mockBalance()
  const outbound = (id: string) => ({ flow: { outbound_payment: id } })
  const entryPages = [
    [
      // An order only moves money to the pending part.
      buildAccountEntry('e1', 'outbound_payment', { available: -500, outbound_pending: 500 }, outbound('obp_2')),
      buildAccountEntry(
        'e2',
        'outbound_payment',
        { outbound_pending: -500 },
        { at: atHour('03'), ...outbound('obp_2') },
      ),
      buildAccountEntry(
        'e3',
        'outbound_payment_reversal',
        { available: 500 },
        { at: atHour('08'), ...outbound('obp_2') },
      ),
      buildAccountEntry(
        'e4',
        'outbound_payment',
        { outbound_pending: -500 },
        { account: 'fa_2', ...outbound('obp_3') },
      ),
    ],
    [
      buildAccountEntry('e5', 'outbound_payment', { outbound_pending: -500 }, outbound('obp_1')),
      buildAccountEntry('e6', 'inbound_transfer', { inbound_pending: 9000 }),
      buildAccountEntry('e7', 'inbound_transfer', { inbound_pending: -9000, available: 9000 }),
      buildAccountEntry('e8', 'stripe_fee', { available: -40 }),
      buildAccountEntry('e9', 'received_credit', { available: 800 }, { at: '2026-02-28T23:00:00.000Z' }),
    ],
  ]
  stripeDouble.on('GET /v2/money_management/transaction_entries', ({ fields }) => ({
    body: {
      data: entryPages[fields.page === undefined ? 0 : 1],
      next_page_url: fields.page === undefined ? '/v2/money_management/transaction_entries?page=2' : null,
    },
  }))
  stripeDouble.on('GET /v2/money_management/outbound_payments', {
    body: { data: [buildOutbound('obp_9'), buildOutbound('obp_2')], next_page_url: null },
  })
  // Ordered long before it was posted.
  stripeDouble.on('GET /v2/money_management/outbound_payments/obp_1', { body: buildOutbound('obp_1') })
  stripeDouble.on('GET /v2/money_management/outbound_payments/obp_3', { body: buildOutbound('obp_3') })
  const amount = money('EUR', 500n)
  const reference = paymentId
  const own = { balance: 'payouts', occurredAt: new Date(atHour('05')) }
  expect(await loadLines({ financialAccount: 'fa_1' })).toEqual({
    status: 'known',
    lines: [
      { id: 'obp_2', kind: 'payout', amount, reference, occurredAt: new Date(atHour('03')) },
      { id: 'obp_1', kind: 'payout', amount, reference, occurredAt: new Date(atHour('05')) },
      { id: 'obp_2:returned', kind: 'payout_return', amount, reference, occurredAt: new Date(atHour('08')) },
    ],
    own: [
      { ...own, id: 'e6', kind: 'bank_transfer', amount: money('EUR', 9000n) },
      { ...own, id: 'e8', kind: 'fee', amount: money('EUR', -40n) },
    ],
    pending: [],
  })
  const entryCall = stripeDouble.calls.find(({ path }) => path.endsWith('transaction_entries'))
  expect(entryCall?.fields).toEqual({
    limit: '100',
    'created[gte]': '2026-02-22T00:00:00.000Z',
    'created[lt]': untilDate.toISOString(),
  })
})

test('the balances are those of payments and of the financial account, with what is on its way', async () => {
  stripeDouble.on('GET /v1/balance', {
    body: {
      object: 'balance',
      available: [
        { amount: 12_000, currency: 'usd' },
        { amount: -300, currency: 'eur' },
      ],
      pending: [
        { amount: 800, currency: 'usd' },
        { amount: 5, currency: 'isk' },
      ],
      refund_and_dispute_prefunding: { available: [{ amount: 100, currency: 'usd' }], pending: [] },
    },
  })
  stripeDouble.on('GET /v2/money_management/financial_accounts/fa_1', {
    body: {
      id: 'fa_1',
      balance: { available: { eur: value(7000) }, inbound_pending: {}, outbound_pending: { eur: value(500) } },
    },
  })
  const provider = createStripeReportProvider(await stripeDouble.connect({ financialAccount: 'fa_1' }))
  expect(await provider.balances()).toEqual({
    status: 'known',
    balances: [
      { balance: 'payments', amount: money('USD', 12_900n) },
      { balance: 'payments', amount: money('EUR', -300n) },
      { balance: 'payouts', amount: money('EUR', 7500n) },
    ],
  })
})

test('a missing page makes the whole report unknown', async () => {
  let requestCount = 0
  stripeDouble.on('GET /v1/balance_transactions', () => {
    requestCount += 1
    const data = [buildEntry(`txn_${requestCount}`, 'charge', buildCharge(), atHour('09'))]
    return requestCount === 1
      ? { body: { object: 'list', data, has_more: true, url: '/v1/balance_transactions' } }
      : stripeError(500, { type: 'api_error' })
  })
  expect(await loadLines()).toMatchObject({ status: 'unknown' })
})
