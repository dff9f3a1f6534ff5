import type { Quote } from '@tern/contract/exchange'
import { money } from '@tern/money/money'
import { expect, test } from 'vitest'
import type { LiveQuote } from '../../../app/orders/quotes.ts'
import { depositBar } from './deposit-bar.ts'

const quote = { total: '50.50', source_currency: 'EUR', target_amount: '53.76', target_currency: 'USD' } as Quote
const priced: LiveQuote = { priced: { quote, holdsUntilMs: 0 } }
const failure: LiveQuote = { failure: { text: '', refusal: undefined, retry() {} } }

const dollars = { payable: money('USD', 50_00n), isConverted: false, live: {}, lacksAccount: false }
const euros = { payable: money('EUR', 50_00n), isConverted: true }

test.each([
  ['without an amount', { payable: undefined }, 'Enter an amount', 'Then you see the total'],
  ['in the wallet’s currency', {}, 'You get $50.00', 'Total to pay $50.00'],
  ['from a bank that is not linked', { lacksAccount: true }, 'You get $50.00', 'Link your bank first'],
  ['whose price is on its way', { ...euros, live: { isLoading: true } as const }, 'Getting the price', undefined],
  ['without a price', { ...euros, live: failure }, 'No price right now', 'Nothing was charged'],
  ['with a price', { ...euros, live: priced }, 'You get $53.76', 'Total to pay €50.50'],
])('the bar of a deposit %s says so', (_, change, title, detail) => {
  const bar = depositBar({ ...dollars, ...change })
  expect([bar.title, bar.detail]).toEqual([title, detail])
})
