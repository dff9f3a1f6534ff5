import { describe, expect, test } from 'vitest'
import { computeOutlook } from './outlook.ts'

const send = (date: string, total: string | null, missing: string | null = null, currency: 'USD' | 'USDT' = 'USD') => ({
  schedule_id: '0',
  date,
  currency,
  total,
  missing,
})

describe('the outlook of a balance', () => {
  test('falls on each day with a send', () => {
    const upcomingSends = [
      send('2026-11-27', '10.00'),
      send('2026-12-01', '20.50'),
      send('2026-12-01', '0.51'),
      send('2026-12-02', '7.000000', null, 'USDT'),
    ]
    expect(computeOutlook({ coming: upcomingSends, coming_until: '2026-12-28' }, 'USD', '100.00')).toEqual({
      balance: '100.00',
      total: '31.01',
      length: 35,
      days: [
        {
          date: '2026-11-27',
          day: 4,
          sends: [upcomingSends[0]],
          total: '10.00',
          balanceAfter: '90.00',
          shortfall: undefined,
        },
        {
          date: '2026-12-01',
          day: 8,
          sends: [upcomingSends[1], upcomingSends[2]],
          total: '21.01',
          balanceAfter: '68.99',
          shortfall: undefined,
        },
      ],
    })
  })

  test('is unchanged by a send it cannot cover, and by one of unknown price', () => {
    const upcomingSends = [send('2026-11-27', '150.00', '50.00'), send('2026-11-28', '40.00'), send('2026-11-29', null)]
    const { days } = computeOutlook({ coming: upcomingSends, coming_until: '2026-12-28' }, 'USD', '100.00')
    expect(days.map(({ balanceAfter, shortfall }) => [balanceAfter, shortfall])).toEqual([
      ['100.00', '50.00'],
      ['60.00', undefined],
      ['60.00', undefined],
    ])
  })
})
