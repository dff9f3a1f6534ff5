import { beforeEach, describe, expect, it, vi } from 'vitest'
import { dropPending, keepPending, type PendingTransfer, readPending } from './pending-transfer.ts'
import { emptyForm } from './send-form.ts'

const recipient = { id: 1_000_000_002, username: 'lucas.moreau', name: 'Lucas Moreau', base_currency: 'EUR' }
const id = '01a1fda9-ecfd-727b-aa02-069b1760d756'
const pending: PendingTransfer = {
  userId: 1_000_000_001,
  formData: { ...emptyForm(), source: 'USD', recipient, amount: '40' },
  activeStep: 2,
  paymentSource: 'wallet',
  recipientInfo: recipient,
  priced: {
    holdsUntilMs: 1,
    quote: {
      quote_id: id,
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

beforeEach(() => {
  const stored = new Map<string, string>()
  vi.stubGlobal('localStorage', {
    getItem: (key: string) => stored.get(key) ?? null,
    setItem: (key: string, value: string) => stored.set(key, value),
    removeItem: (key: string) => stored.delete(key),
  })
})

describe('an order that was not answered', () => {
  it('comes back after a reload, with its key and to its recipient', () => {
    keepPending(pending)
    expect(readPending(pending.userId)).toEqual(pending)
  })

  it('is gone once it is answered', () => {
    keepPending(pending)
    dropPending()
    expect(readPending(pending.userId)).toBeUndefined()
  })

  it('is nothing to somebody else, nor when its parts name different people', () => {
    keepPending(pending)
    expect(readPending(1_000_000_003)).toBeUndefined()
    const other = { ...recipient, id: 1_000_000_004 }
    keepPending({ ...pending, recipientInfo: other })
    expect(readPending(pending.userId)).toBeUndefined()
    keepPending({ ...pending, formData: { ...pending.formData, recipient: other } })
    expect(readPending(pending.userId)).toBeUndefined()
  })

  it('does not stand in the way when it cannot be read', () => {
    localStorage.setItem('pendingTransaction', '{"userId":1000000001,"idempotencyKey":"x"}')
    expect(readPending(pending.userId)).toBeUndefined()
    localStorage.setItem('pendingTransaction', '{')
    expect(readPending(pending.userId)).toBeUndefined()
  })
})
