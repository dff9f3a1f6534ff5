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

const buildEntry = (id: string, type: string, source: object, createdAt: string, amount = 10_000) => ({
  id,
  object: 'balance_transaction',
  type,
  amount,
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

/** Serves Stripe's balance in pages of one entry each. */
function mockBalance(...entries: ReturnType<typeof buildEntry>[]): void {
  stripeDouble.on('GET /v1/balance_transactions', ({ fields }: StripeCall) => {
    const typedEntries = entries.filter(({ type }) => type === fields.type)
    const next = typedEntries.findIndex(({ id }) => id === fields.starting_after) + 1
    const data = typedEntries.slice(next, next + 1)
    return { body: { object: 'list', data, has_more: next + 1 < typedEntries.length, url: '/v1/balance_transactions' } }
  })
}

test('every payment, refund and dispute is a line, on all pages, oldest first', async () => {
  mockBalance(
    buildEntry(
      'txn_2',
      'charge',
      buildCharge({ id: 'ch_2', payment_intent: 'pi_2', currency: 'jpy', amount: 700 }),
      atHour('11'),
    ),
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
      balance_transactions: [{ amount: -10_000, created: toSeconds(atHour('13')) }],
    },
  })
  const dollars = money('USD', 10_000n)
  const reference = paymentId
  expect(await loadLines()).toEqual({
    status: 'known',
    lines: [
      { id: 'pi_1', kind: 'capture', amount: dollars, reference, occurredAt: new Date(atHour('09')) },
      { id: 'pi_1', kind: 'debit', amount: dollars, reference, occurredAt: new Date(atHour('10')) },
      { id: 'pi_2', kind: 'capture', amount: money('JPY', 700n), reference, occurredAt: new Date(atHour('11')) },
      { id: 're_1', kind: 'refund', amount: money('USD', 2500n), reference, occurredAt: new Date(atHour('12')) },
      { id: 'du_1', kind: 'chargeback', amount: dollars, reference, occurredAt: new Date(atHour('13')) },
    ],
  })
  const { fields } = stripeDouble.calls[0] ?? { fields: {} }
  expect(fields).toEqual({
    type: 'charge',
    limit: '100',
    'created[gte]': String(from.getTime() / 1000),
    'created[lte]': String(untilDate.getTime() / 1000),
    'expand[0]': 'data.source',
  })
})

test('a charge of unknown origin is a line, and a failed charge is not', async () => {
  mockBalance(
    buildEntry('txn_1', 'charge', buildCharge({ metadata: {} }), atHour('09')),
    buildEntry('txn_2', 'payment', buildCharge({ status: 'failed' }), atHour('10')),
    buildEntry('txn_3', 'payment', buildCharge({ status: 'pending' }), atHour('10')),
    buildEntry('txn_4', 'charge', buildCharge(), '2026-03-02T00:00:00Z'),
  )
  expect(await loadLines()).toMatchObject({ status: 'known', lines: [{ id: 'pi_1', reference: null }] })
})

test('payouts and their returns have the ids that events and lookups use', async () => {
  mockBalance()
  const buildOutbound = (id: string, overrides: object = {}) => ({
    id,
    status: 'posted',
    created: atHour('01'),
    amount: { value: 500, currency: 'eur' },
    from: { financial_account: 'fa_1', debited: { value: 500, currency: 'eur' } },
    metadata: { payout_id: paymentId },
    status_transitions: { posted_at: atHour('05') },
    ...overrides,
  })
  const pages = [
    [
      buildOutbound('obp_4', { status: 'processing', status_transitions: {} }),
      buildOutbound('obp_3', { from: { financial_account: 'fa_of_somebody' } }),
      buildOutbound('obp_2', {
        status: 'returned',
        status_transitions: { posted_at: atHour('03'), returned_at: atHour('08') },
      }),
    ],
    [buildOutbound('obp_1'), buildOutbound('obp_0', { created: '2025-01-01T00:00:00Z' })],
  ]
  stripeDouble.on('GET /v2/money_management/outbound_payments', ({ fields }) => ({
    body: {
      data: pages[fields.page === undefined ? 0 : 1],
      next_page_url: fields.page === undefined ? '/v2/money_management/outbound_payments?page=2' : null,
    },
  }))
  const amount = money('EUR', 500n)
  const reference = paymentId
  expect(await loadLines({ financialAccount: 'fa_1' })).toEqual({
    status: 'known',
    lines: [
      { id: 'obp_2', kind: 'payout', amount, reference, occurredAt: new Date(atHour('03')) },
      { id: 'obp_1', kind: 'payout', amount, reference, occurredAt: new Date(atHour('05')) },
      { id: 'obp_2:returned', kind: 'payout_return', amount, reference, occurredAt: new Date(atHour('08')) },
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
