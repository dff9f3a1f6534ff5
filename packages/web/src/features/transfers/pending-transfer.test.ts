import { beforeEach, describe, expect, it, vi } from 'vitest'
import {
  toPendingOrder,
  removePending,
  storePending,
  type PendingTransfer,
  pendingStore,
  readStored,
} from './pending-transfer.ts'
import { emptyForm } from './send-form.ts'

const userId = 1_000_000_001
const recipient = { id: 1_000_000_002, username: 'lucas.moreau', name: 'Lucas Moreau', base_currency: 'EUR' }
const paymentId = '01a1fda9-ecfd-727b-aa02-069b1760d700'
const pending: PendingTransfer = {
  userId,
  formData: { ...emptyForm(), source: 'USD', recipientText: 'lucas.moreau', recipient, amount: '40' },
  sourceWalletId: '01a1fda9-0000-7000-8000-000000000000',
  activeStep: 2,
  paymentSource: 'wallet',
  recipientInfo: recipient,
  priced: {
    holdsUntilMs: 1,
    quote: {
      quote_id: '01a1fda9-ecfd-727b-aa02-069b1760d756',
      expires_at: '2026-11-21T10:05:00.000Z',
      source_currency: 'USD',
      target_currency: 'EUR',
      source_amount: '40.00',
      target_amount: '37.20',
      stablecoin_amount: '40.000000',
      conversion_path: 'stablecoin',
      rate: '0.9300',
      mid_market_rate: '0.9300',
      rate_as_of: '2026-11-21T10:00:00.000Z',
      rate_source: 'ecb',
      ...{ reference_rate: null, reference_as_of: null, spread_to_reference_percent: null },
      spread_percent: '0.00',
      fee: '0.40',
      fee_currency: 'USD',
      fee_basis_points: 100,
      total: '40.40',
      total_cost_percent: '1.00',
      delivery_estimate: 'seconds',
      recipient_id: recipient.id,
    },
  },
  idempotencyKey: '3f0c9a52-8f4e-4a44-9e8f-0d3c9a1b2c3d',
}
const cardTransfer: PendingTransfer = { ...pending, paymentSource: 'card', cardId: null, keepsCard: true, paymentId }

beforeEach(() => {
  const storage = new Map<string, string>()
  vi.stubGlobal('localStorage', {
    getItem: (key: string) => storage.get(key) ?? null,
    setItem: (key: string, value: string) => storage.set(key, value),
    removeItem: (key: string) => storage.delete(key),
  })
})

const readSaved = (id = userId) => {
  const stored = readStored(id)
  return stored.status === 'read' ? stored.saved : undefined
}

describe('a stored transfer', () => {
  it.each([pending, cardTransfer])('is restored after a reload, with its key and recipient', (order) => {
    storePending(order)
    const saved = readSaved()
    expect(saved).toEqual(order)
    expect(saved && toPendingOrder(saved)).toEqual(order)
  })

  it('is stored under the specified names', () => {
    storePending({ ...pending, formData: { ...pending.formData, isCrypto: true, cryptoCurrency: 'BTC' } })
    const { formData, ...rest } = JSON.parse(localStorage.getItem('pendingTransaction') ?? '') as Record<
      string,
      unknown
    >
    expect(formData).toEqual({
      sourceWalletId: pending.sourceWalletId,
      recipientAddress: 'lucas.moreau',
      recipientType: 'any',
      amount: '40',
      currency: 'USD',
      description: '',
      isCryptoTransaction: true,
      cryptoCurrency: 'BTC',
      useStablecoinBridge: true,
    })
    expect(rest).toMatchObject({ activeStep: 2, paymentSource: 'wallet', recipientInfo: recipient })
  })

  it('is restored from the format of an earlier version', () => {
    const { sourceWalletId: _, ...earlierFormat } = pending
    localStorage.setItem('pendingTransaction', JSON.stringify(earlierFormat))
    expect(readSaved()).toEqual(earlierFormat)
  })

  it('is removed once it is answered', () => {
    storePending(pending)
    removePending()
    expect(readStored(userId)).toEqual({ status: 'none' })
  })

  it('is ignored for another user', () => {
    storePending(pending)
    expect(readStored(1_000_000_003)).toEqual({ status: 'none' })
  })

  it('is not resent if its parts name different recipients, or if it was never sent', () => {
    const otherRecipient = { ...recipient, id: 1_000_000_004 }
    expect(toPendingOrder({ ...pending, recipientInfo: otherRecipient })).toBeUndefined()
    expect(toPendingOrder({ ...pending, formData: { ...pending.formData, recipient: otherRecipient } })).toBeUndefined()
    expect(toPendingOrder({ ...pending, idempotencyKey: undefined })).toBeUndefined()
    expect(toPendingOrder({ ...pending, priced: undefined })).toBeUndefined()
  })

  it.each([
    '{',
    '',
    'null',
    '[]',
    '7',
    '{"userId":1000000001,"idempotencyKey":"x"}',
    JSON.stringify({ ...cardTransfer, activeStep: 3 }),
    JSON.stringify({ ...cardTransfer, paymentSource: 'gold' }),
    JSON.stringify({ ...cardTransfer, formData: null }),
    JSON.stringify({ ...cardTransfer, formData: { ...cardTransfer.formData, amount: 40 } }),
    JSON.stringify({ ...cardTransfer, formData: { recipientAddress: 'x', amount: '1' } }),
    JSON.stringify({ ...cardTransfer, priced: { holdsUntilMs: 1, quote: {} } }),
  ])('is unreadable and no error when it is %j', (text) => {
    localStorage.setItem('pendingTransaction', text)
    expect(readStored(userId)).toEqual({ status: 'unreadable' })
  })

  it('is unreadable without browser storage, and sending still works', () => {
    vi.stubGlobal('reportError', () => undefined)
    const throwDenied = () => {
      throw new Error('denied')
    }
    vi.stubGlobal('localStorage', { getItem: throwDenied, setItem: throwDenied, removeItem: throwDenied })
    expect(readStored(userId)).toEqual({ status: 'unreadable' })
    storePending(pending)
    removePending()
  })
})

describe('the stored order', () => {
  const { idempotencyKey, ...order } = pending
  const store = pendingStore(userId)

  it('belongs to an unanswered transfer, under its key', () => {
    store.save({ idempotencyKey, order })
    expect(store.read()).toMatchObject({ idempotencyKey, order })
    store.remove('3f0c9a52-8f4e-4a44-9e8f-0d3c9a1b2c3e')
    expect(store.read()).toBeDefined()
    store.remove(idempotencyKey)
    expect(readStored(userId)).toEqual({ status: 'none' })
  })

  it('is absent once its payment has begun', () => {
    storePending(cardTransfer)
    expect(store.read()).toBeUndefined()
  })
})
