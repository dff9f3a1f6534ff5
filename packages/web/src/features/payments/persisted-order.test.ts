import { Refused, Unreachable } from '@tern/contract/protocol/client'
import { type RefusalCode, refusalStatus } from '@tern/contract/protocol/refusal'
import { refusals } from '@tern/messages/en/problems'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { type DepositOrder, gainOf, typedOf } from './deposit/deposit-order.ts'
import { createPersistedOrder, dropOrder, keepOrder, readOrder } from './persisted-order.ts'

const userId = 1_000_000_001
const accountId = '01a1fda9-ecfd-727b-aa02-069b1760d700'
const idempotencyKey = '3f0c9a52-8f4e-4a44-9e8f-0d3c9a1b2c3d'
const otherKey = '3f0c9a52-8f4e-4a44-9e8f-0d3c9a1b2c3e'
const kept = new Map<string, string>()

const refused = (code: RefusalCode) =>
  new Refused({
    type: 'about:blank',
    title: code,
    status: refusalStatus(code),
    detail: refusals[code],
    code,
    requestId: 'r',
  })

const withdrawal = {
  idempotencyKey,
  order: { amount: '12.50', currency: 'EUR', bankAccountId: accountId, userId } as const,
}
const byBank: DepositOrder = {
  method: 'bank',
  priced: {
    holdsUntilMs: 1,
    quote: {
      quote_id: '01a1fda9-ecfd-727b-aa02-069b1760d756',
      expires_at: '2026-11-21T10:05:00.000Z',
      source_currency: 'EUR',
      target_currency: 'USD',
      source_amount: '40.00',
      target_amount: '43.00',
      stablecoin_amount: '43.000000',
      conversion_path: 'stablecoin',
      rate: '1.0750',
      mid_market_rate: '1.0750',
      rate_as_of: '2026-11-21T10:00:00.000Z',
      spread_percent: '0.00',
      fee: '0.40',
      fee_currency: 'EUR',
      fee_basis_points: 100,
      total: '40.40',
      total_cost_percent: '1.00',
      delivery_estimate: 'seconds',
      recipient_id: null,
    },
  },
  body: { userId, amount: '40.00', currency: 'EUR', method: 'bank', bankAccountId: accountId },
}
const byCard: DepositOrder = {
  method: 'card',
  priced: undefined,
  body: { userId, paymentMethodId: accountId, amount: 4050, currency: 'eur', depositToWallet: true },
}

beforeEach(() => {
  kept.clear()
  vi.stubGlobal('sessionStorage', {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => void kept.set(key, value),
    removeItem: (key: string) => void kept.delete(key),
  })
})
afterEach(() => vi.unstubAllGlobals())

describe('an order that was given and not answered', () => {
  it('comes back after a reload, the very same and with its key, to its own person and on its own page', () => {
    keepOrder('withdraw', withdrawal)
    expect(readOrder('withdraw', userId)).toEqual(withdrawal)
    expect(readOrder('withdraw', userId + 1)).toBeUndefined()
    expect(readOrder('deposit', userId)).toBeUndefined()
    for (const order of [byBank, byCard]) {
      keepOrder('deposit', { idempotencyKey, order })
      expect(readOrder('deposit', userId)).toEqual({ idempotencyKey, order })
      expect(JSON.stringify(readOrder('deposit', userId)?.order)).toBe(JSON.stringify(order))
    }
  })

  it('is gone with its answer, and not with that of another', () => {
    keepOrder('withdraw', withdrawal)
    dropOrder('withdraw', otherKey)
    expect(readOrder('withdraw', userId)).toEqual(withdrawal)
    dropOrder('withdraw', idempotencyKey)
    expect(readOrder('withdraw', userId)).toBeUndefined()
  })

  it.each([
    '{',
    '',
    'null',
    '[]',
    '7',
    '"order"',
    '{}',
    JSON.stringify({ ...withdrawal, idempotencyKey: 'x' }),
    JSON.stringify({ ...withdrawal, idempotencyKey: undefined }),
    JSON.stringify({ ...withdrawal, order: null }),
    JSON.stringify({ ...withdrawal, order: { ...withdrawal.order, amount: 'all' } }),
    JSON.stringify({ ...withdrawal, order: { ...withdrawal.order, currency: 'XXX' } }),
    JSON.stringify({ ...withdrawal, order: { ...withdrawal.order, userId: undefined } }),
    JSON.stringify({ idempotencyKey, order: { ...byBank, method: 'gold' } }),
    JSON.stringify({ idempotencyKey, order: { ...byBank, body: undefined } }),
    JSON.stringify({ idempotencyKey, order: { ...byBank, priced: { holdsUntilMs: 1, quote: {} } } }),
    JSON.stringify({ idempotencyKey, order: { ...byCard, body: { ...byCard.body, amount: 1.5 } } }),
    JSON.stringify({ idempotencyKey, order: { ...byCard, body: { ...byCard.body, currency: 'xxx' } } }),
  ])('is none and no error when it is %j', (text) => {
    kept.set('withdrawOrder', text)
    kept.set('depositOrder', text)
    expect(readOrder('withdraw', userId)).toBeUndefined()
    expect(readOrder('deposit', userId)).toBeUndefined()
  })

  it('is none where the browser keeps nothing, and ordering goes on all the same', () => {
    vi.stubGlobal('reportError', () => undefined)
    const refuse = () => {
      throw new Error('denied')
    }
    vi.stubGlobal('sessionStorage', { getItem: refuse, setItem: refuse, removeItem: refuse })
    keepOrder('withdraw', withdrawal)
    dropOrder('withdraw', idempotencyKey)
    expect(readOrder('withdraw', userId)).toBeUndefined()
  })

  it('says again what was typed for it, which is not what it costs', () => {
    expect(typedOf(byBank)).toEqual({ amount: '40.00', currency: 'EUR' })
    expect(gainOf(byBank).charged).toEqual({ amount: '40.40', currency: 'EUR' })
    expect(typedOf(byCard)).toEqual({ amount: '40.50', currency: 'EUR' })
  })
})

describe('the key of an order', () => {
  const { order } = withdrawal

  it('is that of before a reload until there is an answer, and then another', () => {
    keepOrder('withdraw', withdrawal)
    const page = createPersistedOrder('withdraw', userId)
    expect(page.left).toEqual(order)
    expect(page.keyOf(order)).toBe(idempotencyKey)
    page.answered(order)
    expect(page.isLeft()).toBe(false)
    expect(page.keyOf(order)).not.toBe(idempotencyKey)
    expect(page.keyOf(order)).toBe(page.keyOf(order))
  })

  it('goes with a refusal for good, so that pressing again is a new order', () => {
    const page = createPersistedOrder('withdraw', userId)
    const key = page.keyOf(order)
    page.keep(order)
    page.failed(order, refused('insufficient_funds'))
    expect(page.isLeft()).toBe(false)
    expect(page.keyOf(order)).not.toBe(key)
  })

  it.each([
    refused('rate_limited'),
    refused('unauthenticated'),
    refused('step_up_required'),
    new Unreachable(undefined),
  ])('stays after %s, which decides nothing about the order', (error) => {
    const page = createPersistedOrder('withdraw', userId)
    const key = page.keyOf(order)
    page.keep(order)
    page.failed(order, error)
    expect(page.keyOf(order)).toBe(key)
  })
})
