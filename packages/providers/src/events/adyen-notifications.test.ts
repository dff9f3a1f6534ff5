import { money } from '@tern/money/money'
import { adyenWebhookKey } from '@tern/testkit/providers/adyen'
import { adyenMerchant, type NotificationItem, writeNotification } from '@tern/testkit/providers/adyen-checkout'
import { describe, expect, test } from 'vitest'
import { createAdyenNotifications } from './adyen-notifications.ts'
import { type ProviderEvent, SignatureError } from './port.ts'

const paymentId = '01934f5e-8c00-7000-8000-00000000000b'
const payment = 'QFQTPCQ8HXSKGK82'
const change = 'LBZSR5M3RDRW9K22'
const now = new Date('2026-03-02T10:00:00Z')
const amount = money('EUR', 4000n)
const settings = { webhookKeys: ['00'.repeat(32), adyenWebhookKey], merchantAccount: adyenMerchant, isLive: false }
const events = createAdyenNotifications(settings)

const item = (eventCode: string, overrides: Partial<NotificationItem> = {}): NotificationItem => ({
  eventCode,
  merchantReference: paymentId,
  amount: { value: 4000, currency: 'EUR' },
  pspReference: eventCode === 'AUTHORISATION' ? payment : change,
  ...(eventCode === 'AUTHORISATION' ? {} : { originalReference: payment }),
  eventDate: '2026-03-02T10:00:00+01:00',
  ...overrides,
})

const read = (...items: NotificationItem[]) => events.verify(Buffer.from(writeNotification(items)), {}, now)
const later = { merchantReference: `${paymentId}.later` }

/** Returns what an event reports, without its ids. */
function list(event: ProviderEvent): object[] {
  if (event.about === 'batch') return event.events.flatMap(list)
  const { id: _id, ...news } = event
  return [news]
}

test('the signature is the one that Adyen publishes for its example', () => {
  const example = {
    additionalData: { hmacSignature: 'coqCmt/IZ4E3CzPvMY8zTjQVL5hYJUiBRg8UU+iCWo0=' },
    amount: { value: 1130, currency: 'EUR' },
    pspReference: '7914073381342284',
    eventCode: 'AUTHORISATION',
    eventDate: '2014-08-06T17:15:34.121+02:00',
    merchantAccountCode: 'TestMerchant',
    merchantReference: 'TestPayment-1407325143704',
    success: 'true',
  }
  const write = (overrides: object = {}) =>
    JSON.stringify({ live: 'false', notificationItems: [{ NotificationRequestItem: { ...example, ...overrides } }] })
  const example_events = createAdyenNotifications({ ...settings, merchantAccount: 'TestMerchant' })
  expect(example_events.verify(write(), {}, now)).toMatchObject({ about: 'payment', state: { status: 'settled' } })
  for (const changed of [
    { amount: { value: 1131, currency: 'EUR' } },
    { amount: { value: 1130, currency: 'USD' } },
    { merchantReference: 'TestPayment-1' },
    { merchantAccountCode: 'OtherMerchant' },
    { pspReference: '7914073381342285' },
    { originalReference: '7914073381342284' },
    { success: 'false' },
    { eventCode: 'CHARGEBACK' },
    { additionalData: {} },
    { additionalData: { hmacSignature: '' } },
  ])
    expect(() => example_events.verify(write(changed), {}, now), JSON.stringify(changed)).toThrow(SignatureError)
})

describe('not authentic is a request', () => {
  const body = writeNotification([item('AUTHORISATION')])
  test.each([
    ['with another key', writeNotification([item('AUTHORISATION')], { key: '11'.repeat(32) })],
    ['of the live platform', writeNotification([item('AUTHORISATION')], { live: 'true' })],
    ['that does not say of which platform', body.replace('"live":"false",', '')],
    ['without items', JSON.stringify({ live: 'false', notificationItems: [] })],
    ['that is empty', ''],
    ['that is a list', '[]'],
    ['that is cut off', body.slice(0, -5)],
    [
      'with one unsigned item',
      body.replace(']}', `,{"NotificationRequestItem":${JSON.stringify(item('CHARGEBACK'))}}]}`),
    ],
  ])('%s', (_name, text) => {
    expect(() => events.verify(text, {}, now)).toThrow(SignatureError)
  })

  test('of the test platform, for a live installation', () => {
    const live = createAdyenNotifications({ ...settings, isLive: true })
    expect(() => live.verify(body, {}, now)).toThrow(/live platform/)
    expect(live.verify(writeNotification([item('AUTHORISATION')], { live: 'true' }), {}, now).about).toBe('payment')
  })
})

test.each([
  ['another merchant account', item('AUTHORISATION', { merchantAccountCode: 'Other' })],
  ['a declined card, after which the page takes another', item('AUTHORISATION', { success: 'false' })],
  ['a currency that is not ours', item('AUTHORISATION', { amount: { value: 4000, currency: 'SEK' } })],
  ['nothing', item('AUTHORISATION', { amount: { value: 0, currency: 'EUR' } })],
  ['a report', item('REPORT_AVAILABLE')],
  ['a refused refund', item('REFUND', { success: 'false' })],
  ['the capture of a payment that settled before', item('CAPTURE')],
])('%s is unhandled', (_name, each) => {
  expect(read(each)).toMatchObject({ about: 'unhandled' })
})

test('a signed item without a time is an error, so that it is sent again', () => {
  expect(() => read(item('AUTHORISATION', { eventDate: '' }))).toThrow(/no reference or no time/)
})

describe('a payment', () => {
  const state = { status: 'settled', paymentId, amount, captureId: payment }

  test('settles when its card is authorized, by the id of the payment', () => {
    const event = read(item('AUTHORISATION', { additionalData: { paymentLinkId: 'PL1' } }))
    expect(event).toEqual({
      id: `AUTHORISATION:${payment}:true:payment`,
      about: 'payment',
      sessionId: `PL1/${payment}/captured`,
      state,
    })
  })

  test.each([
    ['AUTHORISATION', {}, { status: 'authorized', paymentId, amount }],
    [
      'AUTHORISATION',
      { additionalData: { alias: 'H167852639363479' } },
      { status: 'authorized', paymentId, amount, cardFingerprint: 'H167852639363479' },
    ],
    ['CAPTURE', {}, state],
    ['CAPTURE', { success: 'false' }, { status: 'declined', paymentId, reason: 'failed' }],
    ['CANCELLATION', {}, { status: 'declined', paymentId, reason: 'canceled' }],
    ['TECHNICAL_CANCEL', {}, { status: 'declined', paymentId, reason: 'canceled' }],
    [
      'CANCEL_OR_REFUND',
      { additionalData: { 'modification.action': 'cancel' } },
      { status: 'declined', paymentId, reason: 'canceled' },
    ],
    ['EXPIRE', {}, { status: 'declined', paymentId, reason: 'expired' }],
  ] as const)('that is captured later: %s %j', (code, overrides, expected) => {
    expect(list(read(item(code, { ...later, ...overrides })))).toEqual([
      {
        about: 'payment',
        sessionId: expected.status === 'settled' ? `/${payment}/captured` : `/${payment}`,
        state: expected,
      },
    ])
  })
})

describe('money that is taken or returned', () => {
  test.each([
    ['REFUND', {}, { id: change, kind: 'refund' }],
    ['CANCEL_OR_REFUND', { additionalData: { 'modification.action': 'refund' } }, { id: change, kind: 'refund' }],
    ['REFUND_FAILED', {}, { id: `${change}:failed`, kind: 'chargeback_reversal', undoes: change }],
    ['REFUNDED_REVERSED', {}, { id: `${change}:failed`, kind: 'chargeback_reversal', undoes: change }],
    ['CAPTURE_FAILED', {}, { id: `${payment}:not_captured`, kind: 'refund' }],
    ['CANCELLATION', {}, { id: `${payment}:not_captured`, kind: 'refund' }],
  ] as const)('%s %j', (code, overrides, expected) => {
    const occurredAt = new Date('2026-03-02T09:00:00Z')
    const line = { ...expected, amount, reference: paymentId, captureId: payment, occurredAt }
    expect(list(read(item(code, overrides)))).toEqual([{ about: 'reversal', line }])
  })

  test.each([
    ['CHARGEBACK', { id: change, kind: 'chargeback' }, true],
    ['CHARGEBACK_REVERSED', { id: `${change}:reversed`, kind: 'chargeback_reversal', undoes: change }, false],
    ['SECOND_CHARGEBACK', { id: `${change}:second`, kind: 'chargeback' }, false],
  ])('%s also says whether anything can be done', (code, line, isOpen) => {
    expect(list(read(item(code)))).toMatchObject([
      { about: 'reversal', line },
      { about: 'warning', warning: { id: change, kind: 'dispute', isOpen } },
    ])
  })
})

describe('a warning', () => {
  const deadline = '2026-03-20T23:59:59+01:00'
  test.each([
    ['NOTIFICATION_OF_FRAUD', {}, { kind: 'early_fraud_warning', reason: 'fraudulent', isOpen: true }],
    ['REQUEST_FOR_INFORMATION', { rfiReasonCode: '6305' }, { kind: 'inquiry', reason: 'other', isOpen: true }],
    [
      'NOTIFICATION_OF_CHARGEBACK',
      { chargebackReasonCode: '10.4', disputeStatus: 'Undefended', defensePeriodEndsAt: deadline },
      { kind: 'dispute', reason: 'fraudulent', isOpen: true, respondBy: new Date(deadline) },
    ],
    [
      'NOTIFICATION_OF_CHARGEBACK',
      { chargebackReasonCode: '13.1', disputeStatus: 'Lost', defensePeriodEndsAt: deadline },
      { kind: 'dispute', reason: 'other', isOpen: false, respondBy: undefined },
    ],
    [
      'INFORMATION_SUPPLIED',
      { chargebackReasonCode: '4837', disputeStatus: 'Pending', defensePeriodEndsAt: deadline },
      { kind: 'dispute', reason: 'fraudulent', isOpen: true, respondBy: undefined },
    ],
    ['INFORMATION_SUPPLIED', { rfiReasonCode: '6305', disputeStatus: 'Responded' }, { kind: 'inquiry', isOpen: false }],
    ['DISPUTE_DEFENSE_PERIOD_ENDED', {}, { kind: 'dispute', isOpen: false }],
    ['ISSUER_RESPONSE_TIMEFRAME_EXPIRED', {}, { kind: 'dispute', isOpen: false }],
  ])('%s %j', (code, additionalData, warning) => {
    expect(list(read(item(code, { additionalData })))).toMatchObject([
      { about: 'warning', warning: { id: change, reference: paymentId, captureId: payment, amount, ...warning } },
    ])
  })
})

test('each event of a request has an id of its own, which a repetition keeps', () => {
  const items = [item('AUTHORISATION'), item('CHARGEBACK'), item('REPORT_AVAILABLE')]
  const [first, second] = [read(...items), read(...items)]
  if (first.about !== 'batch' || second.about !== 'batch') throw new Error(first.about)
  const ids = first.events.map(({ id }) => id)
  expect(ids).toEqual([
    `AUTHORISATION:${payment}:true:payment`,
    `CHARGEBACK:${change}:true:reversal`,
    `CHARGEBACK:${change}:true:warning`,
    `REPORT_AVAILABLE:${change}:true`,
  ])
  expect(second.events.map(({ id }) => id)).toEqual(ids)
})
