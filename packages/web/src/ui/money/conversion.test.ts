import type { Transaction } from '@tern/contract/transactions'
import { expect, test } from 'vitest'
import { conversionFlow, computeTotal } from './conversion.ts'

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

const buildFlow = (transaction: Transaction) => conversionFlow(transaction, { first: '', middle: '', end: '' })

test('a dollar crosses one to one, then at the rate of the transfer', () => {
  expect(buildFlow(sent)).toMatchObject({
    from: { amount: '400.00', currency: 'USD' },
    via: { amount: '400.000000', currency: 'USDT', rates: ['1', '0.9300'] },
    to: { amount: '372.00', currency: 'EUR' },
  })
})

test('a yen amount without decimals crosses at its own rate', () => {
  const yen = {
    ...sent,
    source_amount: '10000',
    source_currency: 'JPY',
    stablecoin_amount: '67.000000',
    rate: '0.00623100',
  }
  expect(buildFlow(yen as Transaction).via?.rates).toEqual(['0.0067', '0.9300'])
})

test('the stablecoin itself is an end, so that there is one arc', () => {
  const flow = buildFlow({ ...sent, target_currency: 'USDT', rate: '1.00000000' })
  expect(flow).toMatchObject({ rate: '1.00000000' })
  expect(flow.via).toBeUndefined()
})

test('the total is the amount with its fee, to the cent', () => {
  expect(computeTotal(sent)).toBe('404.00')
  expect(computeTotal({ ...sent, fee_currency: 'EUR' })).toBeUndefined()
})
