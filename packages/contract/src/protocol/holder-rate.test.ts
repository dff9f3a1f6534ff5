import { expect, it } from 'vitest'
import { convertDollars } from './holder-rate.ts'

it.each([
  ['15000.00', 'EUR', '0.93', '13900.00'],
  ['14980.00', 'EUR', '0.93', '13900.00'],
  ['10.01', 'EUR', '0.93', '9.30'],
  ['0.01', 'EUR', '0.93', '0.00'],
  ['0.00', 'EUR', '0.93', '0.00'],
  ['10000.00', 'JPY', '149.253731343284', '1490000'],
  ['0.50', 'JPY', '149.253731343284', '74'],
  ['32.26', 'EUR', '0.93', '30.00'],
  ['999999999999.99', 'INR', '83.1234', '83100000000000.00'],
] as const)('%s US dollars in %s at %s are about %s', (dollars, currency, rate, worth) => {
  expect(convertDollars({ currency, rate }, dollars)).toBe(worth)
})
