import { expect, test } from 'vitest'
import type { Period } from '../../app/periods/period-choices.ts'
import { readAddress, writeAddress } from './statement-address.ts'

test.each<Period>([
  { period: '2026-11' },
  { period: '2026-Q4' },
  { period: '2026' },
  { from: '2026-02-28', to: '2026-11-30' },
])('an address names the statement that it was written for: %o', (period) => {
  expect(readAddress(writeAddress('EUR', period))).toEqual({ currency: 'EUR', period })
})

test.each([
  'period=2026-13',
  'period=1999-01',
  'from=2026-02-30&to=2026-03-01',
  'from=2026-03-02&to=2026-03-01',
  'from=2026-03-02',
])('an address with %s names no period', (address) => {
  expect(readAddress(new URLSearchParams(`${address}&currency=XXX`))).toEqual({
    currency: undefined,
    period: undefined,
  })
})
