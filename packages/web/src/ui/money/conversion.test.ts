import type { Transaction } from '@tern/contract/transactions'
import { expect, test } from 'vitest'
import { conversionFlow, totalOf } from './conversion.ts'

const sent = {
  transaction_type: 'SEND',
  source_amount: '400.00',
  source_currency: 'USD',
  target_amount: '372.00',
  target_currency: 'EUR',
  stablecoin_amount: '400.000000',
  rate: '0.93000000',
  fee: '4.00',
  fee_currency: 'USD',
} as Transaction

const flowOf = (transaction: Transaction) =>
  conversionFlow(transaction, { first: '', between: '', last: '', paid: totalOf(transaction) })

test('a dollar crosses one to one, then at the rate of the transfer', () => {
  expect(flowOf(sent).rates).toEqual(['1', '0.930000000000'])
  expect(flowOf(sent).legs.map(({ amount, currency }) => `${amount} ${currency}`)).toEqual([
    '404.00 USD',
    '400.000000 USDT',
    '372.00 EUR',
  ])
})

test('a yen amount without decimals crosses at its own rate', () => {
  const yen = {
    ...sent,
    source_amount: '10000',
    source_currency: 'JPY',
    stablecoin_amount: '67.000000',
    rate: '0.00623100',
  }
  expect(flowOf(yen as Transaction).rates).toEqual(['0.006700000000', '0.930000000000'])
})

test('the stablecoin itself is an end, so that there is one arc', () => {
  expect(flowOf({ ...sent, target_currency: 'USDT', rate: '1.00000000' }).legs).toHaveLength(2)
})

test('the total is the amount with its fee, to the cent', () => {
  expect(totalOf(sent)).toBe('404.00')
  expect(totalOf({ ...sent, fee_currency: 'EUR' })).toBeUndefined()
})
