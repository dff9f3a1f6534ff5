import type { Limit, ExceededLimit } from '@tern/contract/limits'
import { describe, expect, it } from 'vitest'
import { findReleaseTime, describeTime } from './limit-queries.ts'
import { computeReducedAmount } from './LimitOptions.tsx'

const limit: Limit = {
  direction: 'out',
  method: null,
  period: '30_days',
  own: true,
  max: '100.00',
  used: '80.00',
  left: '20.00',
  max_movements: null,
  used_movements: 3,
  left_movements: null,
  about: null,
  comes_back: [
    { at: '2026-12-01T00:00:00.000Z', amount: '30.00', movements: 1 },
    { at: '2026-12-05T00:00:00.000Z', amount: '50.00', movements: 2 },
  ],
}

describe('when a limit has room again', () => {
  it.each([
    [20_01n, '2026-12-01T00:00:00.000Z'],
    [50_00n, '2026-12-01T00:00:00.000Z'],
    [50_01n, '2026-12-05T00:00:00.000Z'],
    [100_00n, '2026-12-05T00:00:00.000Z'],
    [100_01n, undefined],
  ])('for %s cents: %s', (cents, at) => {
    expect(findReleaseTime(limit, cents)).toBe(at)
  })

  it('is stated by day and hour', () => {
    const now = new Date(2026, 10, 26, 15)
    const at = (day: number) => describeTime(new Date(2026, 10, day, 9).toISOString(), now)
    expect([at(26), at(27), at(28)]).toEqual([
      'today at 9:00\u00a0AM',
      'tomorrow at 9:00\u00a0AM',
      'on Nov 28 at 9:00\u00a0AM',
    ])
  })
})

describe('how much of an order still fits', () => {
  const metLimit: ExceededLimit = { ...limit, left: '20.00', asked: '54.00' }

  it('is the share of its amount that the remaining usage allows, rounded down', () => {
    expect(computeReducedAmount(metLimit, { amount: '50', currency: 'EUR' })).toEqual({
      currency: 'EUR',
      minor: 18_51n,
    })
    expect(computeReducedAmount({ ...metLimit, asked: '50.00' }, { amount: '50.00', currency: 'USD' })).toEqual({
      currency: 'USD',
      minor: 20_00n,
    })
  })

  it('is zero if no room is left, or if only the number of payments is limited', () => {
    expect(computeReducedAmount({ ...metLimit, left: '0.00' }, { amount: '50', currency: 'EUR' })).toBeUndefined()
    expect(computeReducedAmount({ ...metLimit, left: null }, { amount: '50', currency: 'EUR' })).toBeUndefined()
    expect(computeReducedAmount({ ...metLimit, left: '60.00' }, { amount: '50', currency: 'EUR' })).toBeUndefined()
  })
})
