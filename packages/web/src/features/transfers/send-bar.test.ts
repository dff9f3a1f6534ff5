import { expect, test } from 'vitest'
import { recipientBar, reviewBar, walletBar } from './send-bar.ts'

const quote = { target_amount: '47.06', target_currency: 'EUR', total: '50.50', fee_currency: 'USD' } as const

const priced = {
  isFrozen: false,
  name: 'Lucas',
  hasAmount: true,
  isCryptoMissing: false,
  source: 'USD',
  balance: '8748.13',
  shortfall: undefined,
  rest: undefined,
  live: { priced: { quote } },
  lastQuote: undefined,
} as const

const gainText = 'Lucas gets €47.06'
const balance = 'Balance $8,748.13'
const insufficient = { shortfall: '50.00', live: {} } as const

test.each([
  ['nobody is chosen', { name: undefined }, 'Choose who gets it', 'Then we show the price'],
  [
    'nobody is chosen, with an amount above the balance',
    { ...insufficient, name: undefined },
    'Choose who gets it',
    'Then we show the price',
  ],
  [
    'the server refuses the recipient',
    { live: { refused: { recipient_id: 'No' } } },
    'Choose who gets it',
    'Then we show the price',
  ],
  ['no amount is entered', { hasAmount: false, live: {} }, 'Enter an amount', balance],
  [
    'the cryptocurrency is missing',
    { isCryptoMissing: true, live: {} },
    'Choose a cryptocurrency',
    'Then we show the price',
  ],
  ['the price is on its way', { live: { isLoading: true } }, 'Getting the price', 'Updating the price'],
  ['the next price is on its way', { live: { isLoading: true }, lastQuote: quote }, gainText, 'Updating the price'],
  ['there is a price', {}, gainText, 'Total to pay $50.50'],
  ['wallet and card can pay', { ...insufficient, rest: 'card' }, '$50.00 over balance', 'Pay the rest by card'],
  ['a card alone can pay', { ...insufficient, rest: 'outside' }, '$50.00 over balance', 'Pay by card or bank account'],
  ['only more money helps', insufficient, '$50.00 over balance', 'Add money first'],
  [
    'a price above the balance has a refusal, too',
    { ...insufficient, rest: 'card', live: { refused: { amount: 'No' } } },
    '$50.00 over balance',
    'Pay the rest by card',
  ],
  ['no price is kept for the amount', { live: { refused: { amount: 'Too much' } } }, 'Check the amount', balance],
  ['there is no price at the moment', { live: { failure: {} } }, 'No price right now', 'Nothing was sent'],
  ['the account is frozen', { isFrozen: true, name: undefined }, 'Your account is frozen', 'Nothing can leave it'],
] as const)('when %s the bar says so in two lines', (_when, change, title, detail) => {
  expect(recipientBar({ ...priced, ...change })).toMatchObject({ title, detail })
})

test('the bar is busy only while a price is on its way', () => {
  expect(recipientBar({ ...priced, live: { isLoading: true }, lastQuote: quote }).isBusy).toBe(true)
  expect(recipientBar(priced).isBusy).toBeUndefined()
})

test('the button retries without a price, unfreezes a frozen account, and otherwise continues', () => {
  const { action: next } = recipientBar({ ...priced, name: undefined })
  const { action: retry } = recipientBar({ ...priced, live: { failure: {} } })
  expect([next, retry]).toEqual(['next', 'retry'])
  expect(recipientBar({ ...priced, isFrozen: true }).action).toBe('unfreeze')
  expect(walletBar({ isFrozen: true, source: 'USD', balance: '1.00' }).action).toBe('unfreeze')
  expect(reviewBar(quote, 'Lucas', false, true).action).toBe('unfreeze')
})

test('the review states the total first, then the received amount', () => {
  expect(reviewBar(quote, 'Lucas', false, false)).toEqual({
    title: 'Total to pay $50.50',
    detail: gainText,
    action: 'next',
  })
  expect(reviewBar(quote, 'Lucas', true, false).detail).toBe('Lucas gets about €47.06')
})

test('the first step shows the chosen balance', () => {
  expect(walletBar({ isFrozen: false, source: 'USDT', balance: '5.500000' }).title).toBe('Balance 5.50 USDT')
})
