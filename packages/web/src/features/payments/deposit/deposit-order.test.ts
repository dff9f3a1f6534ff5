import { expect, it } from 'vitest'
import type { DatedQuote } from '../../../app/orders/quotes.ts'
import { gainOf, orderOf } from './deposit-order.ts'

const userId = 1_000_000_000
const newCard = { method: 'card', cardId: undefined, isKept: true } as const
const priced = {
  quote: { quote_id: 'q', total: '101.00', source_currency: 'EUR', target_amount: '107.52', target_currency: 'USD' },
} as unknown as DatedQuote

it('asks for a new card in minor units, and keeps it only when that was chosen', () => {
  const order = orderOf({ userId, currency: 'USD', minor: 115n, priced: undefined, source: newCard })
  expect(order.body).toEqual({ userId, amount: 115, currency: 'usd', depositToWallet: true, saveCard: true })
})

it('names a saved card and says nothing about keeping it', () => {
  const source = { method: 'card', cardId: 'c', isKept: true } as const
  const order = orderOf({ userId, currency: 'JPY', minor: 1200n, priced: undefined, source })
  expect(order.body).toEqual({ userId, amount: 1200, currency: 'jpy', depositToWallet: true, paymentMethodId: 'c' })
})

it('asks a bank account for the amount as a decimal', () => {
  const source = { method: 'bank', accountId: 'b' } as const
  const order = orderOf({ userId, currency: 'USD', minor: 5n, priced: undefined, source })
  expect(order.body).toEqual({ userId, amount: '0.05', currency: 'USD', method: 'bank', bankAccountId: 'b' })
  expect(gainOf(order)).toEqual({
    charged: { amount: '0.05', currency: 'USD' },
    gained: { amount: '0.05', currency: 'USD' },
  })
})

it('carries the price that was shown, and tells by it what is charged and what arrives', () => {
  const order = orderOf({ userId, currency: 'EUR', minor: 10_000n, priced, source: newCard })
  expect(order.body).toMatchObject({ amount: 10_000, currency: 'eur', quote_id: 'q' })
  expect(gainOf(order)).toEqual({
    charged: { amount: '101.00', currency: 'EUR' },
    gained: { amount: '107.52', currency: 'USD' },
  })
})
