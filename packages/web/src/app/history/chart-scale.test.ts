import fc from 'fast-check'
import { expect, test } from 'vitest'
import { computeHeight, listLines, scaleAround } from './chart-scale.ts'

test('balances from 8,100 to 12,480 dollars get a scale from 8,000 to 14,000', () => {
  expect(listLines(scaleAround([810_000n, 1_248_056n], 100n))).toEqual([1_400_000n, 1_200_000n, 1_000_000n, 800_000n])
})

test('an empty wallet has a chart, and a scale near zero starts at zero', () => {
  expect(listLines(scaleAround([0n], 1n))).toEqual([3n, 2n, 1n, 0n])
  expect(listLines(scaleAround([0n, 99_999n], 100n)).at(-1)).toBe(0n)
})

test('any balances lie within the scale', () => {
  const balances = fc.array(fc.bigInt({ min: 0n, max: 10n ** 30n }), { minLength: 1 })
  fc.assert(
    fc.property(balances, fc.constantFrom(1n, 100n, 10n ** 18n), (values, unit) => {
      const scale = scaleAround(values, unit)
      for (const value of values) {
        expect(computeHeight(value, scale)).toBeGreaterThanOrEqual(0)
        expect(computeHeight(value, scale)).toBeLessThanOrEqual(1000)
      }
    }),
    { seed: 20_261_128 },
  )
})
