import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { currencyCodes, isCurrencyCode, scaleOf } from './currency.ts'
import { feeBasisPoints, computeFee, maxBeforeFee } from './fee.ts'
import { add, compare, money, MoneyError, parseDecimal, split, subtract, toDecimal } from './money.ts'
import { convert, crossRate } from './rate.ts'
import { inverse, parseRatio, ratio, scaleBy, toDecimalPlaces, toRateText } from './ratio.ts'

const currencyArbitrary = fc.constantFrom(...currencyCodes)
const minorArbitrary = fc.bigInt({ min: 0n, max: 10n ** 24n })

const catchProblem = (callback: () => unknown): string => {
  try {
    callback()
  } catch (error) {
    if (error instanceof MoneyError) return error.problem
    throw error
  }
  return 'none'
}

describe('amounts', () => {
  test('0.1 + 0.2 is exactly 0.3', () => {
    expect(toDecimal(add(parseDecimal('USD', '0.1'), parseDecimal('USD', '0.2')))).toBe('0.30')
  })

  test('each currency keeps its own number of decimals', () => {
    expect(toDecimal(parseDecimal('JPY', '1200'))).toBe('1200')
    expect(toDecimal(parseDecimal('USD', '12'))).toBe('12.00')
    expect(toDecimal(parseDecimal('USDT', '0.000001'))).toBe('0.000001')
    expect(toDecimal(parseDecimal('ETH', '1.000000000000000001'))).toBe('1.000000000000000001')
  })

  test('refuses more decimals than the currency has', () => {
    expect(catchProblem(() => parseDecimal('JPY', '1.5'))).toBe('too_many_decimals')
    expect(catchProblem(() => parseDecimal('USD', '0.001'))).toBe('too_many_decimals')
    expect(catchProblem(() => parseDecimal('BTC', '0.000000001'))).toBe('too_many_decimals')
  })

  test.each(['', ' 1', '1 ', '+1', '1e3', '1,000', '.5', '5.', '0x10', 'NaN', 'Infinity', '١٢', '1.2.3', '--1'])(
    '%j is not an amount',
    (text) => {
      expect(catchProblem(() => parseDecimal('USD', text))).toBe('malformed')
    },
  )

  test('refuses an absurdly large amount', () => {
    expect(catchProblem(() => parseDecimal('USD', '9'.repeat(31)))).toBe('too_large')
  })

  test('formatting and parsing round-trip in every currency, also for negative amounts', () => {
    fc.assert(
      fc.property(currencyArbitrary, fc.bigInt({ min: -(10n ** 29n), max: 10n ** 29n }), (currency, minor) => {
        expect(parseDecimal(currency, toDecimal(money(currency, minor)))).toEqual(money(currency, minor))
      }),
      { seed: 20_261_128 },
    )
  })

  test('refuses to mix currencies', () => {
    expect(catchProblem(() => add(money('USD', 1n), money('EUR', 1n)))).toBe('currency_mismatch')
    expect(catchProblem(() => subtract(money('USD', 1n), money('EUR', 1n)))).toBe('currency_mismatch')
    expect(catchProblem(() => compare(money('USD', 1n), money('EUR', 1n)))).toBe('currency_mismatch')
  })

  test('shares sum to the whole and differ by at most one unit', () => {
    fc.assert(
      fc.property(currencyArbitrary, minorArbitrary, fc.integer({ min: 1, max: 40 }), (currency, minor, parts) => {
        const shares = split(money(currency, minor), parts).map((share) => share.minor)
        expect(shares.reduce((sum, share) => sum + share, 0n)).toBe(minor)
        expect(shares[0]! - shares.at(-1)!).toBeLessThanOrEqual(1n)
      }),
      { seed: 20_261_128 },
    )
  })

  test('refuses lower-case and unknown currency codes', () => {
    expect(isCurrencyCode('usd')).toBe(false)
    expect(isCurrencyCode('XXX')).toBe(false)
    expect(isCurrencyCode('toString')).toBe(false)
  })
})

describe('ratios and conversion', () => {
  test('division names its rounding', () => {
    expect(scaleBy(10n, ratio(1n, 4n), 'down')).toBe(2n)
    expect(scaleBy(10n, ratio(1n, 4n), 'up')).toBe(3n)
    expect(scaleBy(10n, ratio(1n, 4n), 'half_up')).toBe(3n)
    expect(scaleBy(9n, ratio(1n, 4n), 'half_up')).toBe(2n)
  })

  test('a rate shows the requested decimals', () => {
    expect(toDecimalPlaces(parseRatio('0.93'), 4)).toBe('0.9300')
    expect(toDecimalPlaces(ratio(2n, 3n), 6)).toBe('0.666667')
  })

  test('a small rate keeps its significant decimals', () => {
    expect(toRateText(parseRatio('0.93'))).toBe('0.9300')
    expect(toRateText(parseRatio('5.35'))).toBe('5.3500')
    expect(toRateText(ratio(1n, 65_000n))).toBe('0.000015384615')
  })

  test('refuses zero and negative rates', () => {
    expect(catchProblem(() => parseRatio('0'))).toBe('malformed')
    expect(catchProblem(() => ratio(-1n, 2n))).toBe('malformed')
  })

  test('converts between scales', () => {
    expect(convert(money('USD', 2500n), 'JPY', parseRatio('150'), 'down')).toEqual(money('JPY', 3750n))
    expect(convert(money('JPY', 1n), 'USDT', parseRatio('0.0067'), 'down')).toEqual(money('USDT', 6700n))
  })

  test('no round trip of conversions makes a profit', () => {
    const rateArbitrary = fc
      .tuple(fc.bigInt({ min: 1n, max: 10n ** 12n }), fc.bigInt({ min: 1n, max: 10n ** 12n }))
      .map(([numerator, denominator]) => ratio(numerator, denominator))
    fc.assert(
      fc.property(
        currencyArbitrary,
        currencyArbitrary,
        minorArbitrary,
        rateArbitrary,
        (source, target, minor, rate) => {
          const converted = convert(money(source, minor), target, rate, 'down')
          const reversedAmount = convert(converted, source, inverse(rate), 'down')
          expect(reversedAmount.minor).toBeLessThanOrEqual(minor)
        },
      ),
      { numRuns: 20_000, seed: 20_261_128 },
    )
  })

  test('derives a cross rate from two dollar values', () => {
    const usdValueOf = (code: string) => (code === 'EUR' ? inverse(parseRatio('0.93')) : ratio(1n, 1n))
    expect(crossRate(usdValueOf, 'USD', 'EUR')).toEqual(parseRatio('0.93'))
  })
})

describe('fees', () => {
  test('the price list is 0.5, 1 and 2 percent', () => {
    expect(computeFee(money('USD', 10_000n), feeBasisPoints.same_currency)).toEqual(money('USD', 50n))
    expect(computeFee(money('USD', 10_000n), feeBasisPoints.stablecoin_bridge)).toEqual(money('USD', 100n))
    expect(computeFee(money('USD', 10_000n), feeBasisPoints.direct_conversion)).toEqual(money('USD', 200n))
  })

  test('a fee is rounded half up to the minor unit', () => {
    expect(computeFee(money('USD', 149n), 100n).minor).toBe(1n)
    expect(computeFee(money('USD', 150n), 100n).minor).toBe(2n)
    expect(computeFee(money('JPY', 49n), 100n).minor).toBe(0n)
  })

  test('leaves room for itself: the largest payable amount is exact to the minor unit', () => {
    expect(maxBeforeFee(money('EUR', 318_042n), 100n)).toEqual(money('EUR', 314_893n))
    expect(maxBeforeFee(money('EUR', 0n), 100n)).toEqual(money('EUR', 0n))
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 10n ** 24n }), fc.bigInt({ min: 0n, max: 300n }), (balance, points) => {
        const addFee = (minor: bigint) => minor + computeFee(money('USD', minor), points).minor
        const { minor } = maxBeforeFee(money('USD', balance), points)
        expect(addFee(minor) <= balance && addFee(minor + 1n) > balance).toBe(true)
      }),
      { seed: 20_261_128 },
    )
  })

  test('each currency has its scale', () => {
    expect(currencyCodes.map(scaleOf)).toEqual([2, 2, 2, 2, 2, 0, 2, 2, 2, 6, 6, 8, 18])
  })
})
