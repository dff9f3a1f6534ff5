import { describe, expect, test } from 'vitest'
import { example, computePrice } from './price.ts'

describe('the price check', () => {
  test('shows an example that follows from its own rate', () => {
    expect(computePrice(example)).toEqual({
      sent: '1000.00',
      received: '5350.00',
      fee: '10.00',
      feePercent: '1',
      total: '1010.00',
      bankFee: '114.80',
    })
  })

  test('a domestic transfer costs half, and is not compared with sending abroad', () => {
    const price = computePrice({ source: 'EUR', target: 'EUR', amount: '100', side: 'source', rate: '1' })
    expect(price).toMatchObject({ received: '100.00', fee: '0.50', feePercent: '0.5', bankFee: undefined })
  })

  test('a received amount is rounded down, a requested one is paid in full', () => {
    expect(
      computePrice({ source: 'USD', target: 'JPY', amount: '0.99', side: 'source', rate: '149.2537' }).received,
    ).toBe('147')
    const targetPrice = computePrice({ source: 'USD', target: 'EUR', amount: '100', side: 'target', rate: '0.93' })
    expect(targetPrice).toMatchObject({ sent: '107.53', received: '100.00' })
  })

  test('"up to 80% cheaper" follows from its figures', () => {
    const { fee, bankFee } = computePrice(example)
    const minor = (amount = '0') => BigInt(amount.replace('.', ''))
    expect(minor(fee) * 5n).toBeLessThanOrEqual(minor(bankFee))
  })
})
