import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { currencyCodes } from './currency.ts'
import { money, parseDecimal, split, toDecimal } from './money.ts'
import { splitByShares } from './shares.ts'

const splitTotal = (currency: (typeof currencyCodes)[number], total: string, shares: number[]) =>
  splitByShares(parseDecimal(currency, total), shares.map(BigInt)).map(toDecimal)

test.each([
  ['USD', '487.60', [1, 1, 1, 1, 1, 1], ['81.27', '81.27', '81.27', '81.27', '81.26', '81.26']],
  ['USD', '0.02', [1, 1, 1], ['0.01', '0.01', '0.00']],
  // The exact shares are 162.533…, 81.266… three times and 40.633… twice: the odd cents go to the largest remainders.
  ['USD', '487.60', [4, 2, 2, 2, 1, 1], ['162.53', '81.27', '81.27', '81.27', '40.63', '40.63']],
  // An exact share gets no odd unit, even if it is first in the list.
  ['USD', '1.02', [2, 1, 1], ['0.51', '0.26', '0.25']],
  ['JPY', '1000', [1, 1, 1], ['334', '333', '333']],
  ['ETH', '1', [1, 1, 1], ['0.333333333333333334', '0.333333333333333333', '0.333333333333333333']],
  ['USDT', '10', [1, 2], ['3.333333', '6.666667']],
] as const)('%s %s by %o', (currency, total, shares, parts) => {
  expect(splitTotal(currency, total, [...shares])).toEqual(parts)
})

const sharesArbitrary = fc.array(fc.bigInt({ min: 1n, max: 1000n }), { minLength: 1, maxLength: 30 })
const minorArbitrary = fc.bigInt({ min: 0n, max: 10n ** 30n })
const currencyArbitrary = fc.constantFrom(...currencyCodes)

describe('for any amount and shares', () => {
  test('the parts sum to the total, and none is a minor unit or more from its exact share', () => {
    fc.assert(
      fc.property(currencyArbitrary, minorArbitrary, sharesArbitrary, (currency, minor, shares) => {
        const parts = splitByShares(money(currency, minor), shares)
        const sum = shares.reduce((total, share) => total + share, 0n)
        expect(parts.reduce((total, share) => total + share.minor, 0n)).toBe(minor)
        for (const [index, share] of parts.entries()) {
          const distance = share.minor * sum - minor * (shares[index] ?? 0n)
          expect(distance < sum && distance > -sum && share.minor >= 0n && share.currency === currency).toBe(true)
        }
      }),
      { seed: 20_261_128 },
    )
  })

  test('of two people with equal shares, the first listed gets the same or one unit more', () => {
    fc.assert(
      fc.property(minorArbitrary, sharesArbitrary, (minor, shares) => {
        const parts = splitByShares(money('USD', minor), shares)
        for (const [index, share] of parts.entries()) {
          const next = parts.findIndex((_, otherIndex) => otherIndex > index && shares[otherIndex] === shares[index])
          if (next >= 0) expect([0n, 1n]).toContain(share.minor - (parts[next]?.minor ?? 0n))
        }
      }),
      { seed: 20_261_128 },
    )
  })

  test('equal shares are the same as parts of one number', () => {
    fc.assert(
      fc.property(minorArbitrary, fc.integer({ min: 1, max: 30 }), (minor, people) => {
        const shares = Array.from({ length: people }, () => 1n)
        expect(splitByShares(money('EUR', minor), shares)).toEqual(split(money('EUR', minor), people))
      }),
      { seed: 20_261_128 },
    )
  })
})

test.each([[[]], [[1n, 0n]], [[-1n, 2n]]])('shares %o are refused', (shares) => {
  expect(() => splitByShares(money('USD', 100n), shares)).toThrow('shares must be 1 or more')
})
test('a negative amount is refused', () => {
  expect(() => splitByShares(money('USD', -1n), [1n])).toThrow('zero or more')
})
