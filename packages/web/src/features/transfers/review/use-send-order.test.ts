import { Refused } from '@tern/contract/protocol/client'
import type { Quote } from '@tern/contract/exchange'
import type { Problem } from '@tern/contract/protocol/refusal'
import { describe, expect, it } from 'vitest'
import { describeFailure, isQuoteSpent, buildExternalOrder, walletOrder } from './use-send-order.ts'
import type { UnsentOrder } from '../pending-transfer.ts'
import { emptyForm } from '../send-form.ts'

const recipient = { id: 1_000_000_002, username: 'lucas.moreau', name: 'Lucas Moreau', base_currency: 'EUR' }
const quote = {
  quote_id: '01a1fda9-ecfd-727b-aa02-069b1760d756',
  source_amount: '40.05',
  source_currency: 'USD',
  target_currency: 'EUR',
} as Quote
const unsentOrder: UnsentOrder = {
  userId: 1_000_000_001,
  formData: { ...emptyForm(), source: 'USD', recipient, amount: '40.05', description: 'Rent' },
  activeStep: 2,
  paymentSource: 'wallet',
  recipientInfo: recipient,
  priced: { holdsUntilMs: 1, quote },
}

describe('the order of a transfer', () => {
  it('contains the quote, for every source', () => {
    expect(walletOrder(unsentOrder)).toMatchObject({
      amount: '40.05',
      payment_source: 'wallet',
      quote_id: quote.quote_id,
    })
    expect(buildExternalOrder(unsentOrder, 'card')).toEqual({
      amount: 4005,
      currency: 'usd',
      userId: unsentOrder.userId,
      recipientId: '1000000002',
      paymentSource: 'card',
      description: 'Rent',
      quote_id: quote.quote_id,
      undo_seconds: 0,
    })
  })

  it('can be undone for the time its quote states, unless a bank pays', () => {
    const orderWithUndo = { ...unsentOrder, priced: { holdsUntilMs: 1, quote: { ...quote, undo_seconds: 15 } } }
    expect(walletOrder(orderWithUndo)).toMatchObject({ undo_seconds: 15 })
    expect(buildExternalOrder(orderWithUndo, 'card')).toMatchObject({ undo_seconds: 15 })
    expect(buildExternalOrder(orderWithUndo, 'wallet_partial')).toMatchObject({ undo_seconds: 15 })
    expect(buildExternalOrder(orderWithUndo, 'bank')).toMatchObject({ undo_seconds: 0 })
  })

  it('is in minor units of its currency', () => {
    const yenQuote = { ...quote, source_amount: '4005', source_currency: 'JPY' as const }
    expect(buildExternalOrder({ ...unsentOrder, priced: { holdsUntilMs: 1, quote: yenQuote } }, 'card')).toMatchObject({
      amount: 4005,
      currency: 'jpy',
    })
  })

  it('names the paying card or account, and saves only a new card', () => {
    const orderWithMethods = { ...unsentOrder, cardId: 'card-1', bankAccountId: 'bank-1', keepsCard: true }
    expect(buildExternalOrder(orderWithMethods, 'card')).toMatchObject({ paymentMethodId: 'card-1' })
    for (const field of ['saveCard', 'bankAccountId'])
      expect(buildExternalOrder(orderWithMethods, 'card')).not.toHaveProperty(field)
    expect(buildExternalOrder(orderWithMethods, 'bank')).toMatchObject({ bankAccountId: 'bank-1' })
    expect(buildExternalOrder({ ...orderWithMethods, least: '36.5' }, 'bank')).toMatchObject({
      minimum_target_amount: '36.5',
    })
    expect(buildExternalOrder({ ...orderWithMethods, least: '36.5' }, 'card')).not.toHaveProperty(
      'minimum_target_amount',
    )
    for (const field of ['saveCard', 'paymentMethodId'])
      expect(buildExternalOrder(orderWithMethods, 'bank')).not.toHaveProperty(field)
    expect(buildExternalOrder({ ...orderWithMethods, cardId: null }, 'wallet_partial')).toMatchObject({
      saveCard: true,
    })
  })
})

describe('an order that was not executed', () => {
  const createRefusal = (code: Problem['code'], detail: string, errors: Problem['errors'] = []) =>
    new Refused({ type: '', title: '', status: 422, code, detail, requestId: 'r', errors })

  it('states the reason in the words of its payment method', () => {
    expect(describeFailure(createRefusal('limit_exceeded', 'Too much.'), false)).toBe(
      'Failed to process transfer: Too much.',
    )
    expect(describeFailure(new Error('x'), false)).toBe('Network error. Please try again later.')
    expect(describeFailure(createRefusal('limit_exceeded', 'Too much.'), true)).toBe('Too much.')
    const declinedPayment = createRefusal('payment_refused', 'No.', [
      { field: 'amount', code: 'invalid', message: 'The bank declined the payment.' },
    ])
    expect(describeFailure(declinedPayment, true)).toBe('The bank declined the payment.')
    expect(describeFailure(createRefusal('internal', ''), true)).toBe('Failed to process payment')
    expect(describeFailure(new Error('x'), true)).toBe('Failed to process payment')
  })

  it.each(['unauthenticated', 'not_your_account'] as const)('requests a login after %s, for every source', (code) => {
    for (const isOutside of [false, true]) {
      const failureText = describeFailure(createRefusal(code, 'No.'), isOutside)
      expect(failureText).toBe('User authentication error. Please log in again.')
    }
  })

  it('needs another price if that one was used', () => {
    expect(isQuoteSpent(createRefusal('payment_refused', 'No.'))).toBe(true)
    expect(isQuoteSpent(createRefusal('quote_used', 'No.'))).toBe(true)
    expect(isQuoteSpent(createRefusal('limit_exceeded', 'No.'))).toBe(false)
  })
})
