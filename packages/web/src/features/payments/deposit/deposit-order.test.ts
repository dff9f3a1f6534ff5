import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { DatedQuote } from '../../../app/orders/dated-quote.ts'
import { withdrawalStore } from '../withdrawal/use-withdrawal.ts'
import { computeCredit, enteredAmount } from './deposit-gain.ts'
import { type DepositOrder, depositStore, toDepositOrder } from './deposit-order.ts'

const userId = 1_000_000_001
const accountId = '01a1fda9-ecfd-727b-aa02-069b1760d700'
const idempotencyKey = '3f0c9a52-8f4e-4a44-9e8f-0d3c9a1b2c3d'
const usd = (minor: bigint) => ({ currency: 'USD', minor }) as const
const newCard = { method: 'card', cardId: undefined, keepsCard: true } as const
const datedQuote = {
  quote: { quote_id: 'q', total: '101.00', source_currency: 'EUR', target_amount: '107.52', target_currency: 'USD' },
} as unknown as DatedQuote

describe('the order of a deposit', () => {
  it('requests a new card, and saves it only if chosen', () => {
    const buildCardOrder = (keepsCard: boolean) =>
      toDepositOrder({ userId, amount: usd(115n), priced: undefined, source: { ...newCard, keepsCard } })
    const body = { userId, amount: '1.15', currency: 'USD', method: 'card' }
    expect(buildCardOrder(true).body).toEqual({ ...body, saveCard: true })
    expect(buildCardOrder(false).body).toEqual({ ...body, saveCard: false })
  })

  it('names a saved card, without the choice to save it', () => {
    const source = { method: 'card', cardId: 'c', keepsCard: true } as const
    const order = toDepositOrder({ userId, amount: { currency: 'JPY', minor: 1200n }, priced: undefined, source })
    expect(order.body).toEqual({ userId, amount: '1200', currency: 'JPY', method: 'card', paymentMethodId: 'c' })
  })

  it('debits a bank account by a decimal amount', () => {
    const source = { method: 'bank', accountId: 'b' } as const
    const order = toDepositOrder({ userId, amount: usd(5n), priced: undefined, source })
    expect(order.body).toEqual({ userId, amount: '0.05', currency: 'USD', method: 'bank', bankAccountId: 'b' })
    const sum = { amount: '0.05', currency: 'USD' }
    expect(computeCredit(order)).toEqual({ charged: sum, credited: sum })
  })

  it('contains the displayed price with its charge and credit', () => {
    const order = toDepositOrder({
      userId,
      amount: { currency: 'EUR', minor: 10_000n },
      priced: datedQuote,
      source: newCard,
    })
    expect(order.body).toMatchObject({ amount: '100.00', currency: 'EUR', quote_id: 'q' })
    expect(computeCredit(order)).toEqual({
      charged: { amount: '101.00', currency: 'EUR' },
      credited: { amount: '107.52', currency: 'USD' },
    })
  })
})

describe('an order without an answer', () => {
  const stored = new Map<string, string>()
  const quote = {
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
    rate_source: 'ecb',
    ...{ reference_rate: null, reference_as_of: null, spread_to_reference_percent: null },
    spread_percent: '0.00',
    fee: '0.40',
    fee_currency: 'EUR',
    fee_basis_points: 100,
    total: '40.40',
    total_cost_percent: '1.00',
    delivery_estimate: 'seconds',
    recipient_id: null,
  } as const
  const bankOrder: DepositOrder = {
    priced: { holdsUntilMs: 1, quote },
    body: { userId, amount: '40.00', currency: 'EUR', method: 'bank', bankAccountId: accountId },
  }
  const cardOrder: DepositOrder = {
    priced: undefined,
    body: { userId, paymentMethodId: accountId, amount: '40.50', currency: 'EUR', method: 'card' },
  }
  const withdrawal = { amount: '12.50', currency: 'EUR', bankAccountId: accountId, userId } as const

  beforeEach(() => {
    stored.clear()
    vi.stubGlobal('sessionStorage', {
      getItem: (key: string) => stored.get(key) ?? null,
      setItem: (key: string, value: string) => void stored.set(key, value),
      removeItem: (key: string) => void stored.delete(key),
    })
  })
  afterEach(() => vi.unstubAllGlobals())

  it.each([bankOrder, cardOrder])('is restored unchanged, for its own user', (order) => {
    depositStore(userId).save({ idempotencyKey, order })
    expect(JSON.stringify(depositStore(userId).read()?.order)).toBe(JSON.stringify(order))
    expect(depositStore(userId + 1).read()).toBeUndefined()
  })

  it('of a withdrawal is restored unchanged too', () => {
    withdrawalStore(userId).save({ idempotencyKey, order: withdrawal })
    expect(withdrawalStore(userId).read()?.order).toEqual(withdrawal)
    expect(withdrawalStore(userId + 1).read()).toBeUndefined()
  })

  it.each([
    { ...bankOrder, body: { ...bankOrder.body, method: 'gold' } },
    { ...bankOrder, body: undefined },
    { ...bankOrder, priced: { holdsUntilMs: 1, quote: {} } },
    { ...cardOrder, body: { ...cardOrder.body, amount: '1e5' } },
    { ...cardOrder, body: { ...cardOrder.body, currency: 'xxx' } },
    { ...cardOrder, body: { ...cardOrder.body, userId: undefined } },
    { ...withdrawal, amount: 'all' },
    { ...withdrawal, currency: 'XXX' },
    { ...withdrawal, userId: undefined },
  ])('is ignored when it is %j', (order) => {
    const text = JSON.stringify({ idempotencyKey, order })
    stored.set('depositOrder', text)
    stored.set('withdrawOrder', text)
    expect(depositStore(userId).read()).toBeUndefined()
    expect(withdrawalStore(userId).read()).toBeUndefined()
  })

  it('contains the typed amount, not the cost', () => {
    expect(enteredAmount(bankOrder)).toEqual({ amount: '40.00', currency: 'EUR' })
    expect(computeCredit(bankOrder).charged).toEqual({ amount: '40.40', currency: 'EUR' })
    expect(enteredAmount(cardOrder)).toEqual({ amount: '40.50', currency: 'EUR' })
  })
})
