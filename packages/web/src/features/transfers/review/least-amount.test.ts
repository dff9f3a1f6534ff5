import { describe, expect, it } from 'vitest'
import { isMinimumPossible, computeMinimum } from './least-amount.ts'

describe('the minimum amount of the recipient', () => {
  const quote = { source_currency: 'USD', target_currency: 'EUR', target_amount: '92.00' } as const
  const byBank = { source: 'bank', keepsCard: false } as const

  it('is the estimate less 2 % if the price is fixed later, unless another is typed', () => {
    expect(computeMinimum(byBank, quote)).toBe('90.16')
    expect(computeMinimum({ ...byBank, least: '91.' }, quote)).toBe('91')
    expect(computeMinimum({ ...byBank, source: 'card' }, quote)).toBeUndefined()
    expect(computeMinimum(byBank, { ...quote, source_currency: 'EUR' })).toBeUndefined()
  })

  it('is an amount up to the estimate', () => {
    for (const possible of ['92', '0.01']) expect(isMinimumPossible(possible, quote)).toBe(true)
    for (const impossible of ['92.01', '0', '', '1.234']) expect(isMinimumPossible(impossible, quote)).toBe(false)
  })
})
