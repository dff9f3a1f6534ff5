import { expect, test } from 'vitest'
import { chooseScale, computeLengths } from './bar-lengths.ts'

test('bars are as long as their amounts, exactly, also beyond the precision of numbers', () => {
  expect(computeLengths('USD', ['200.00', '50.00', '0.00', '-3.00'])).toEqual([1000, 250, 0, 0])
  expect(computeLengths('JPY', ['0', '0'])).toEqual([0, 0])
  const [largest, half] = computeLengths('ETH', ['9007199254.740993000000000002', '4503599627.370496500000000001'])
  expect([largest, half]).toEqual([1000, 500])
})

test.each([
  ['USD', '1096.34', '100.00'],
  ['USD', '1200.01', '200.00'],
  ['USD', '0.01', '0.01'],
  ['JPY', '61', '10'],
  ['EUR', '60.00', '5.00'],
] as const)('%s %s is measured in segments of %s', (currency, amount, segment) => {
  expect(chooseScale(currency, amount).segment).toBe(segment)
})
