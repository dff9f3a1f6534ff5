import type { Quote } from '@tern/contract/exchange'
import { describe, expect, test } from 'vitest'
import {
  findAvailable,
  comparePrices,
  fieldAmount,
  flip,
  isSamePrice,
  computeMaximum,
  readPair,
  buildRequest,
  listSourceCurrencies,
  type SwapValues,
  listTargets,
  setCurrency,
} from './swap-form.ts'

const wallet = {
  base_currency: 'EUR',
  assets: (
    [
      ['EUR', '3180.42'],
      ['USDT', '12.500000'],
      ['USDC', '0.000000'],
      ['BTC', '0.00000000'],
      ['ETH', '0.000000000000000000'],
    ] as const
  ).map(([currency, available]) => ({ currency, available, held: '0' })),
} as const

const quote = (part: Partial<Quote>): Quote =>
  ({
    source_currency: 'EUR',
    target_currency: 'USDT',
    source_amount: '500.00',
    target_amount: '528.100000',
    fee: '5.00',
    fee_currency: 'EUR',
    fee_basis_points: 100,
    total: '505.00',
    rate: '1.0562',
    ...part,
  }) as Quote

const values: SwapValues = { from: 'EUR', to: 'USDT', side: 'source', text: '500' }

describe('the pair', () => {
  test('is from the base currency into the stablecoin unless the address names another', () => {
    const pair = (address: string) => readPair(wallet, new URLSearchParams(address))
    expect(pair('')).toEqual({ from: 'EUR', to: 'USDT' })
    expect(pair('from=BTC&to=ETH')).toEqual({ from: 'BTC', to: 'ETH' })
    expect(pair('from=USDT')).toEqual({ from: 'USDT', to: 'EUR' })
    expect(pair('to=EUR')).toEqual({ from: 'EUR', to: 'USDT' })
    // Currencies that are unknown or not in the wallet are ignored.
    expect(pair('from=GBP&to=constructor')).toEqual({ from: 'EUR', to: 'USDT' })
  })

  test('is chosen from the held currencies, and never the same twice', () => {
    expect(listSourceCurrencies(wallet, 'EUR')).toEqual(['EUR', 'USDT'])
    expect(listSourceCurrencies(wallet, 'ETH')).toEqual(['EUR', 'USDT', 'ETH'])
    expect(listTargets(wallet, 'EUR')).toEqual(['USDT', 'USDC', 'BTC', 'ETH'])
    expect(setCurrency(values, 'from', 'USDT')).toEqual({ from: 'USDT', to: 'EUR', side: 'source', text: '' })
    expect(setCurrency(values, 'to', 'BTC')).toEqual({ ...values, to: 'BTC' })
  })

  test('is flipped together with the typed amount', () => {
    expect(flip(values)).toEqual({ from: 'USDT', to: 'EUR', side: 'target', text: '500' })
    expect(flip(flip(values))).toEqual(values)
  })
})

test('the maximum leaves room for the fee of the price', () => {
  expect(computeMaximum(wallet, 'EUR')).toBe('3148.93')
  expect(computeMaximum(wallet, 'EUR', quote({ fee_basis_points: 200 }))).toBe('3118.06')
  expect(computeMaximum(wallet, 'USDT', quote({ fee_basis_points: 200 }))).toBe('12.376238')
  expect(computeMaximum(wallet, 'BTC')).toBe('0.00000000')
  expect(findAvailable(wallet, 'EUR')).toBe('3180.42')
})

test('amounts in a field have no trailing zeros', () => {
  expect(['528.100000', '50.00', '1200', '0.030937500000000000'].map(fieldAmount)).toEqual([
    '528.10',
    '50.00',
    '1200',
    '0.0309375',
  ])
  expect(buildRequest({ ...values, text: '500.' })).toMatchObject({ amount: '500', side: 'source' })
})

describe('a new price', () => {
  test('differs in the target amount, or in the paid amount if the target is fixed', () => {
    expect(comparePrices(quote({}), quote({ target_amount: '526.300000' }))).toEqual({
      amount: '1.800000',
      currency: 'USDT',
      isHigher: false,
    })
    const dearerQuote = quote({ source_amount: '501.00', total: '506.01' })
    expect(comparePrices(quote({}), dearerQuote)).toEqual({ amount: '1.01', currency: 'EUR', isHigher: true })
  })

  test('is the same only if all agreed terms are', () => {
    expect(isSamePrice(quote({}), quote({}))).toBe(true)
    expect(isSamePrice(quote({}), quote({ total: '505.01' }))).toBe(false)
    expect(isSamePrice(quote({}), quote({ rate: '1.0561' }))).toBe(false)
  })
})
