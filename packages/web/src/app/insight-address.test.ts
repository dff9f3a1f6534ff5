import { expect, test } from 'vitest'
import { type FigureChoice, readInsightAddress, writeInsightQuery } from './insight-address.ts'

test.each<FigureChoice | undefined>([
  undefined,
  { flow: 'exchanged' },
  { flow: 'income', person: 'guests' },
  { flow: 'spending', category: 'family', person: 12 },
])('the address of a figure leads back to it: %o', (figure) => {
  const query = writeInsightQuery('EUR', '2026-Q4', figure)
  expect(readInsightAddress(query)).toEqual({ currency: 'EUR', period: '2026-Q4', figure })
})

test('unknown parts of an address are ignored', () => {
  const read = (text: string) => readInsightAddress(new URLSearchParams(text))
  expect(read('currency=XXX&period=2026-13&flow=lost')).toEqual({
    ...{ currency: undefined, period: undefined, figure: undefined },
  })
  expect(read('flow=spending&category=casino&person=-1').figure).toEqual({ flow: 'spending' })
})
