import { describe, expect, it } from 'vitest'
import { isMinimumPossible, computeMinimum } from './minimum-amount.ts'

describe('the minimum amount of the recipient', () => {
  const quote = { source_currency: 'USD', target_currency: 'EUR', target_amount: '92.00' } as const
  const bankFunding = { source: 'bank', keepsCard: false } as const

  it('is the estimate less 2 % if the price is fixed later, unless another is typed', () => {
    expect(computeMinimum(bankFunding, quote)).toBe('90.16')
    expect(computeMinimum({ ...bankFunding, least: '91.' }, quote)).toBe('91')
    expect(computeMinimum({ ...bankFunding, source: 'card' }, quote)).toBeUndefined()
    expect(computeMinimum(bankFunding, { ...quote, source_currency: 'EUR' })).toBeUndefined()
  })

  it('is an amount up to the estimate', () => {
    for (const validAmount of ['92', '0.01']) expect(isMinimumPossible(validAmount, quote)).toBe(true)
    for (const invalidAmount of ['92.01', '0', '', '1.234']) expect(isMinimumPossible(invalidAmount, quote)).toBe(false)
  })
})
