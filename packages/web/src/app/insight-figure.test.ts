import { expect, test } from 'vitest'
import { toFigureQuery } from './insight-figure.ts'

test('the API is asked for exactly the figure: its kind, category, and person or guests', () => {
  const ask = (figure: Parameters<typeof toFigureQuery>[2]) => {
    const { time_zone: zone, ...query } = toFigureQuery('USD', '2026', figure)
    return { ...query, hasZone: zone !== '' }
  }
  const common = { currency: 'USD', period: '2026', hasZone: true }
  expect(ask({ flow: 'exchanged' })).toEqual({ ...common, flow: 'exchanged' })
  expect(ask({ flow: 'spending', category: 'gifts', person: 7 })).toEqual({
    ...{ ...common, flow: 'spending', category: 'gifts', person: '7' },
  })
  expect(ask({ flow: 'income', person: 'guests' })).toEqual({ ...common, flow: 'income', guests: 'true' })
})
