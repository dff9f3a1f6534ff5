import { describe, expect, it } from 'vitest'
import { exactPlaces, formatExact } from './exact-amount.ts'
import { formatPercent } from './percent.ts'

describe('amounts with every digit they have', () => {
  it('never cuts a digit that counts', () => {
    expect(formatExact('0.033266129032258064', 'ETH')).toBe('0.033266129032258064 ETH')
    expect(formatExact('300.000001', 'USDT')).toBe('300.000001 USDT')
    expect(formatExact('0.00000001', 'BTC')).toBe('0.00000001 BTC')
  })

  it('omits trailing zeros, down to the requested decimals', () => {
    expect(formatExact('0.030937500000000000', 'ETH')).toBe('0.0309375 ETH')
    expect(formatExact('300.000000', 'USDT')).toBe('300.00 USDT')
    expect(formatExact('300.000000', 'USDT', 6)).toBe('300.000000 USDT')
  })

  it('keeps the usual decimals of money', () => {
    expect(formatExact('1234.5', 'USD')).toBe('$1,234.50')
    expect(formatExact('1200', 'JPY')).toBe('¥1,200')
    expect(exactPlaces('12', 'JPY', 6)).toBe(0)
  })
})

it('writes basis points as percent, exactly', () => {
  expect([0, 50, 100, 200, 1148].map((points) => formatPercent(points, 'en-US'))).toEqual([
    '0%',
    '0.5%',
    '1%',
    '2%',
    '11.48%',
  ])
})
