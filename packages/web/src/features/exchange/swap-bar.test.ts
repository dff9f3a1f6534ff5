import type { Quote } from '@tern/contract/exchange'
import { expect, test } from 'vitest'
import { reviewBar, swapBar } from './swap-bar.ts'

const quote = {
  total: '50.50',
  fee_currency: 'USD',
  target_amount: '0.015625000000000001',
  target_currency: 'ETH',
} as Quote

const empty = {
  live: {},
  isTyped: false,
  shortfallText: undefined,
  available: '500.00',
  values: { from: 'USD', to: 'ETH' },
  lastQuote: undefined,
} as const
const typed = { ...empty, isTyped: true }
const priced = { priced: { quote, holdsUntilMs: 0 } }
const failed = { failure: { text: '', refusal: undefined, retry() {} } }

test.each([
  ['without an amount', empty, 'Enter an amount', 'Available $500.00'],
  ['above the balance', { ...typed, shortfallText: 'too much' }, 'Not enough USD', 'Available $500.00'],
  ['that is priced first', { ...typed, live: { isLoading: true } as const }, 'Getting the price', undefined],
  ['with a price', { ...typed, live: priced }, 'You get 0.01562500 ETH', 'Total to pay $50.50'],
  ['whose rate is too old', { ...typed, live: failed }, 'No price right now', 'Nothing was exchanged'],
])('the bar of an exchange %s says so', (_, state, title, detail) => {
  const bar = swapBar(state)
  expect([bar.title, bar.detail]).toEqual([title, detail])
})

test('the figures of the last price stay, dimmed, until the next one has loaded', () => {
  const bar = swapBar({ ...typed, live: { isLoading: true }, lastQuote: quote })
  expect(bar).toEqual({ title: 'You get 0.01562500 ETH', detail: 'Updating the price', isBusy: true })
})

test('a review states the paid amount first', () => {
  expect(reviewBar(quote)).toEqual({ title: 'Total to pay $50.50', detail: 'You get 0.01562500 ETH' })
})
