import { money } from '@tern/money/money'
import {
  adyenBalanceAccount,
  type AdyenDouble,
  adyenWebhookKey,
  problem,
  signedEvent,
  startAdyenDouble,
  transfer,
} from '@tern/testkit/providers/adyen'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { withCallDeadline } from './deadline.ts'
import { SignatureError } from './events/port.ts'
import { createAdyenPayouts } from './adyen-payouts.ts'
import type { PayoutRequest } from './payout/port.ts'

const payoutId = '01934f5e-8c00-7000-8000-00000000000b'
const payee = { holderName: 'Mia Lindqvist', numbers: { scheme: 'iban', iban: 'DE89370400440532013000' } } as const
const order: PayoutRequest = {
  payoutId,
  amount: money('EUR', 4000n),
  accountToken: 'ba_1',
  payee,
  description: 'Tern withdrawal – wallet of Zoë',
  idempotencyKey: payoutId,
}
const route = 'POST /btl/v4/transfers'
const transferRoute = 'GET /btl/v4/transfers/1W1UG35U8A9J5ZLG'

let adyenDouble: AdyenDouble
beforeEach(async () => {
  adyenDouble = await startAdyenDouble()
})
afterEach(() => adyenDouble.close())

function connectAdyen(timeoutMs = 30_000) {
  const { payout, events, check } = createAdyenPayouts({
    apiKey: 'AQE_test_key',
    balanceAccount: adyenBalanceAccount,
    webhookKeys: ['00'.repeat(32), adyenWebhookKey],
    apiUrl: adyenDouble.url,
    timeoutMs,
  })
  return { pay: payout!.pay, lookup: payout!.lookup, verify: events!.verify, check: check! }
}

const buildTransfer = (overrides: object, ...statuses: string[]) =>
  transfer({ reference: payoutId, ...overrides }, ...statuses)

describe('an order', () => {
  test('is one transfer from our balance account to the account numbers', async () => {
    adyenDouble.on(route, { status: 202, body: buildTransfer({}) })
    expect(await connectAdyen().pay(order)).toEqual({ status: 'accepted', providerPayoutId: '1W1UG35U8A9J5ZLG' })
    const [call] = adyenDouble.calls
    expect(JSON.parse(call!.text)).toEqual({
      amount: { currency: 'EUR', value: 4000 },
      balanceAccountId: adyenBalanceAccount,
      category: 'bank',
      priority: 'regular',
      reference: payoutId,
      description: 'Tern withdrawal  wallet of Zoe',
      counterparty: {
        bankAccount: {
          accountHolder: { fullName: 'Mia Lindqvist' },
          accountIdentification: { type: 'iban', iban: 'DE89370400440532013000' },
        },
      },
    })
    expect(call!.headers).toMatchObject({ 'idempotency-key': payoutId, 'x-api-key': 'AQE_test_key' })
  })

  test.each([
    [
      { scheme: 'us', routingNumber: '021000021', accountNumber: '12345678' },
      { type: 'usLocal', routingNumber: '021000021', accountNumber: '12345678' },
    ],
    [
      { scheme: 'gb', sortCode: '203002', accountNumber: '12345678' },
      { type: 'ukLocal', sortCode: '203002', accountNumber: '12345678' },
    ],
  ] as const)('names an account by %j', async (numbers, accountIdentification) => {
    adyenDouble.on(route, { body: buildTransfer({}) })
    await connectAdyen().pay({ ...order, payee: { ...payee, numbers } })
    expect(JSON.parse(adyenDouble.calls[0]!.text)).toMatchObject({
      counterparty: { bankAccount: { accountIdentification } },
    })
  })

  test('writes an amount exactly that no JavaScript number holds', async () => {
    adyenDouble.on(route, { body: buildTransfer({}) })
    await connectAdyen().pay({ ...order, amount: money('EUR', 9_007_199_254_740_993n) })
    expect(adyenDouble.calls[0]!.text).toContain('"value":9007199254740993}')
  })

  test.each([
    ['without account numbers', { payee: undefined }],
    ['of crypto', { amount: money('BTC', 1n) }],
    ['of nothing', { amount: money('EUR', 0n) }],
  ])('%s is refused without a call', async (_name, overrides) => {
    const { payee, ...rest } = { ...order, ...overrides }
    expect(await connectAdyen().pay(payee ? { ...rest, payee } : rest)).toMatchObject({ status: 'refused' })
    expect(adyenDouble.calls).toEqual([])
  })

  test.each([
    ['an account that does not exist', problem(422, '30_112'), 'refused'],
    ['a refused transfer', { body: transfer({ reason: 'amountLimitExceeded' }, 'refused') }, 'refused'],
    ['a request in progress under the same key', problem(422, '704'), 'unknown'],
    [
      'a transient problem',
      { status: 422, headers: { 'transient-error': 'true' }, body: { status: 422, errorCode: '905' } },
      'unknown',
    ],
    ['a malformed request', problem(400, '00_400'), 'unknown'],
    ['too many calls', problem(429, '00_429'), 'unknown'],
    ['a fault', problem(500, '00_500'), 'unknown'],
    ['a page of a proxy', { status: 502, body: '<html>' }, 'unknown'],
    ['a reply without an id', { body: { status: 'received' } }, 'unknown'],
    ['silence', 'silence', 'unknown'],
  ] as const)('%s: %s', async (_name, answer, status) => {
    adyenDouble.on(route, answer)
    const result = await connectAdyen(answer === 'silence' ? 300 : 30_000).pay(order)
    expect(result).toMatchObject({ status })
    expect(JSON.stringify(result)).not.toContain('DE89')
  })

  test('is repeated with the same key and the same bytes', async () => {
    adyenDouble.on(route, 'silence')
    expect(await connectAdyen(300).pay(order)).toMatchObject({ status: 'unknown' })
    adyenDouble.on(route, { headers: { 'idempotency-key': payoutId }, body: buildTransfer({}) })
    expect(await connectAdyen().pay(order)).toMatchObject({ status: 'accepted' })
    const [first, second] = adyenDouble.calls
    expect(second!.text).toBe(first!.text)
    expect(second!.headers['idempotency-key']).toBe(first!.headers['idempotency-key'])
  })

  test('is not begun after the deadline of the request', async () => {
    const answer = await withCallDeadline(performance.now() - 1, () => connectAdyen().pay(order))
    expect(answer).toMatchObject({ status: 'unknown' })
    expect(adyenDouble.calls).toEqual([])
  })

  test.each([401, 403])('a rejected key is a configuration fault: %s', async (status) => {
    adyenDouble.on(route, problem(status, '00_403'))
    expect(await connectAdyen().pay(order)).toMatchObject({ status: 'unknown', fault: 'configuration' })
    adyenDouble.on('GET /btl/v4/transfers', problem(status, '00_403'))
    expect(await connectAdyen().check()).toMatch(/ADYEN_API_KEY/)
  })

  test('an accepted key is no fault', async () => {
    adyenDouble.on('GET /btl/v4/transfers', { body: { data: [] } })
    expect(await connectAdyen().check()).toBeUndefined()
  })
})

const amount = money('EUR', 4000n)
const paidState = { payoutId, amount, paidId: '1W1UG35U8A9J5ZLG' }
const returnedState = { ...paidState, status: 'returned', returnId: '1W1UG35U8A9J5ZLG:returned' }

describe('a transfer', () => {
  test.each([
    ['received', buildTransfer({}, 'received'), { status: 'open', payoutId }],
    ['authorised', buildTransfer({}, 'received', 'authorised'), { status: 'open', payoutId }],
    ['booked', buildTransfer({}, 'received', 'authorised', 'booked'), { status: 'settled', ...paidState }],
    [
      'failed at the bank',
      buildTransfer({ reason: 'counterpartyAccountClosed' }, 'received', 'authorised', 'failed'),
      { status: 'failed', payoutId, reason: 'account_closed' },
    ],
    [
      'refused by Adyen',
      buildTransfer({ reason: 'declinedByTransactionRule' }, 'received', 'refused'),
      { status: 'failed', payoutId, reason: 'declinedByTransactionRule' },
    ],
    [
      'returned days later',
      buildTransfer({ reason: 'counterpartyAccountNotFound' }, 'received', 'authorised', 'booked', 'returned'),
      { ...returnedState, reason: 'no_account' },
    ],
    [
      'failed after it was booked',
      buildTransfer({ reason: 'refusedByCounterpartyBank' }, 'received', 'authorised', 'booked', 'failed'),
      { ...returnedState, reason: 'declined' },
    ],
  ])('that is %s', async (_name, body, state) => {
    adyenDouble.on(transferRoute, { body })
    expect(await connectAdyen().lookup('1W1UG35U8A9J5ZLG')).toEqual(state)
  })

  test.each([
    ['not found', problem(404, '30_004')],
    ['in a status that is not known here', { body: buildTransfer({}, 'received', 'undefined') }],
    [
      'failed, without events to show whether it was booked',
      { body: buildTransfer({ status: 'failed', events: undefined }) },
    ],
    ['booked without an amount', { body: buildTransfer({ amount: { currency: 'EUR', value: 0 } }, 'booked') }],
    [
      'booked with an amount that is not exact',
      { body: JSON.stringify(buildTransfer({}, 'booked')).replace('4000', '9007199254740993') },
    ],
  ])('that is %s is unknown', async (_name, answer) => {
    adyenDouble.on(transferRoute, answer)
    expect(await connectAdyen().lookup('1W1UG35U8A9J5ZLG')).toMatchObject({ status: 'unknown' })
  })
})

describe('an event', () => {
  const now = new Date('2026-03-02T10:00:00Z')

  test('reports a payout, once for each sequence number', () => {
    const { body, headers } = signedEvent(buildTransfer({ sequenceNumber: 3 }, 'received', 'authorised', 'booked'))
    expect(connectAdyen().verify(Buffer.from(body), headers, now)).toEqual({
      id: '1W1UG35U8A9J5ZLG:3',
      about: 'payout',
      providerPayoutId: '1W1UG35U8A9J5ZLG',
      state: { status: 'settled', ...paidState },
    })
  })

  test.each([
    ['of another balance account', buildTransfer({ balanceAccount: { id: 'BA_other' } }, 'booked'), {}],
    ['between balance accounts', buildTransfer({ category: 'internal' }, 'booked'), {}],
    ['in a status that is not known here', buildTransfer({}, 'undefined'), {}],
    ['of another type', buildTransfer({}, 'booked'), { type: 'balancePlatform.transaction.created' }],
  ])('%s is unhandled', (_name, data, options) => {
    const { body, headers } = signedEvent(data, options)
    expect(connectAdyen().verify(body, headers, now)).toMatchObject({ about: 'unhandled' })
  })

  const bookedEvent = signedEvent(buildTransfer({}, 'booked'))
  test.each([
    ['without a signature', bookedEvent.body, {}],
    [
      'with the signature of another key',
      bookedEvent.body,
      signedEvent(buildTransfer({}, 'booked'), { key: '11'.repeat(32) }).headers,
    ],
    ['with changed bytes', bookedEvent.body.replace('4000', '4001'), bookedEvent.headers],
    ['with an empty signature', bookedEvent.body, { hmacsignature: '' }],
  ])('%s is not authentic', (_name, body, headers) => {
    expect(() => connectAdyen().verify(body, headers, now)).toThrow(SignatureError)
  })

  test('that is authentic and has no sequence number is an error, so that it is resent', () => {
    const { body, headers } = signedEvent(buildTransfer({ sequenceNumber: undefined }, 'booked'))
    expect(() => connectAdyen().verify(body, headers, now)).toThrow('no id or number')
  })
})
