import { currencyCodes } from '@tern/money/currency'
import { money, parseDecimal, toDecimal } from '@tern/money/money'
import { inverse, multiply, parseRatio, type Ratio } from '@tern/money/ratio'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Refusal } from '../../platform/refuse.ts'
import { isWithinPriceTolerance, repriceAtCurrentRates, computePrice } from './price.ts'
import type { Market } from './rates/rates.ts'

const unitRatio = parseRatio('1')
const values: Partial<Record<string, Ratio>> = {
  EUR: inverse(parseRatio('0.93')),
  GBP: inverse(parseRatio('0.79')),
  JPY: parseRatio('0.0067'),
  CAD: inverse(parseRatio('1.37')),
  AUD: inverse(parseRatio('1.52')),
  SGD: inverse(parseRatio('1.34')),
  INR: inverse(parseRatio('82.45')),
  BRL: inverse(parseRatio('5.35')),
  BTC: parseRatio('65000'),
  ETH: parseRatio('3200'),
}

const createMarketWith = (spread: bigint): Market => ({
  usdValueOf: (code) => values[code] ?? unitRatio,
  spreadOf: () => spread,
})

const price = (
  amount: string,
  sourceCurrency: (typeof currencyCodes)[number],
  targetCurrency: (typeof currencyCodes)[number],
  options: { side?: 'source' | 'target'; useStablecoin?: boolean; spread?: bigint; smallestFee?: bigint } = {},
) => {
  const side = options.side ?? 'source'
  return computePrice(
    {
      amount: parseDecimal(side === 'source' ? sourceCurrency : targetCurrency, amount),
      side,
      sourceCurrency,
      targetCurrency,
      useStablecoin: options.useStablecoin ?? true,
    },
    createMarketWith(options.spread ?? 0n),
    options.smallestFee,
  )
}

describe('the price of a send', () => {
  test('400 USD through the bridge: 400 USDT, 372 EUR, 4 USD on top', () => {
    const { source, crossing, target, fee, total } = price('400.00', 'USD', 'EUR')
    expect([source, crossing!.inflow, target, fee, total].map(toDecimal)).toEqual([
      '400.00',
      '400.000000',
      '372.00',
      '4.00',
      '404.00',
    ])
    expect(crossing!.residue.minor).toBe(0n)
  })

  test('the same currency costs 0.5 %, the bridge 1 %, direct conversion 2 %', () => {
    expect(toDecimal(price('100.00', 'USD', 'USD').fee)).toBe('0.50')
    expect(toDecimal(price('100.00', 'USD', 'EUR').fee)).toBe('1.00')
    expect(toDecimal(price('100.00', 'USD', 'EUR', { useStablecoin: false }).fee)).toBe('2.00')
  })

  test('a spread lowers the rate, and counts as cost, for either fixed side and direction', () => {
    for (const useStablecoin of [true, false]) {
      for (const [source, target, expected] of [
        ['USD', 'EUR', '92.53'],
        ['EUR', 'USDT', '106.989247'],
        ['USDT', 'EUR', '92.53'],
      ] as const) {
        const salePrice = price('100', source, target, { spread: 5000n, useStablecoin })
        expect(toDecimal(salePrice.target)).toBe(expected)
        expect(salePrice.costPartsPerMillion).toBeGreaterThanOrEqual(useStablecoin ? 15_000n : 25_000n)
        expect(salePrice.rate).toEqual(multiply(salePrice.midMarketRate, parseRatio('0.995')))
        const purchase = price(expected, source, target, { side: 'target', spread: 5000n, useStablecoin })
        expect(purchase.source.minor).toBeLessThanOrEqual(salePrice.source.minor)
        const repeatedPrice = price(toDecimal(purchase.source), source, target, { spread: 5000n, useStablecoin })
        expect(repeatedPrice.target).toEqual(salePrice.target)
      }
    }
    expect(price('100.00', 'USD', 'USD', { spread: 5000n }).costPartsPerMillion).toBe(5000n)
  })

  test('with a given target delivers exactly that', () => {
    const { source, target } = price('372.01', 'USD', 'EUR', { side: 'target' })
    expect(toDecimal(target)).toBe('372.01')
    expect(toDecimal(source)).toBe('400.02')
  })

  test('whose cost rounding would raise above the maximum is refused, naming the field', () => {
    for (const [amount, source, target] of [
      ['0.01', 'USD', 'JPY'],
      ['1', 'JPY', 'USD'],
      ['0.30', 'USD', 'EUR'],
    ] as const) {
      expect(() => price(amount, source, target, { useStablecoin: amount !== '0.30' })).toThrowError(Refusal)
    }
  })
})

describe('the smallest fee', () => {
  const fee = (...parameters: Parameters<typeof price>) => toDecimal(price(...parameters).fee)
  const catchRefusal = (...parameters: Parameters<typeof price>) => {
    try {
      return price(...parameters).fee
    } catch (error) {
      if (error instanceof Refusal) return [error.code, error.details.reason]
      throw error
    }
  }

  test('applies where the fee of the price list is less, and only there', () => {
    expect(fee('0.99', 'USD', 'USD')).toBe('0.00')
    expect(fee('0.99', 'USD', 'USD', { smallestFee: 1n })).toBe('0.01')
    expect(fee('100.00', 'USD', 'USD', { smallestFee: 1n })).toBe('0.50')
    expect(fee('99', 'JPY', 'JPY', { smallestFee: 1n })).toBe('1')
    expect(toDecimal(price('0.99', 'USD', 'USD', { smallestFee: 1n }).total)).toBe('1.00')
  })

  test('never raises the cost above 3 %: smaller amounts are refused with the least amount', () => {
    const buildTooSmall = (amount: string) => ['amount_too_small', { code: 'smallest_fee', params: { least: amount } }]
    expect(fee('0.34', 'USD', 'USD', { smallestFee: 1n })).toBe('0.01')
    expect(catchRefusal('0.33', 'USD', 'USD', { smallestFee: 1n })).toEqual(buildTooSmall('0.34 USD'))
    expect(catchRefusal('0.10', 'USD', 'USD', { smallestFee: 1n })).toEqual(buildTooSmall('0.34 USD'))
    expect(catchRefusal('0.10', 'USD', 'USD', { smallestFee: 1n, side: 'target' })).toEqual(buildTooSmall('0.34 USD'))
    expect(catchRefusal('1', 'JPY', 'JPY', { smallestFee: 1n })).toEqual(buildTooSmall('34 JPY'))
    const spread = { spread: 10_000n, smallestFee: 1n }
    const [, reason] = catchRefusal('0.40', 'USD', 'USDT', spread) as [string, { params: { least: string } }]
    const { least: text } = reason.params
    expect(price(text.replace(' USD', ''), 'USD', 'USDT', spread).costPartsPerMillion).toBeLessThanOrEqual(30_000n)
    expect(catchRefusal('0.01', 'USD', 'JPY', { smallestFee: 1n }), 'where it is not the fee').toEqual([
      'amount_too_small',
      undefined,
    ])
  })
})

test('a promise repriced at current rates keeps everything but the target', () => {
  const promisedPrice = price('100.00', 'USD', 'EUR')
  const repricedPrice = repriceAtCurrentRates(promisedPrice, {
    ...createMarketWith(0n),
    usdValueOf: (code) => (code === 'EUR' ? inverse(parseRatio('0.92535')) : unitRatio),
  })
  expect([repricedPrice.source, repricedPrice.fee, repricedPrice.total, repricedPrice.target].map(toDecimal)).toEqual([
    '100.00',
    '1.00',
    '101.00',
    '92.53',
  ])
  expect(isWithinPriceTolerance(promisedPrice, repricedPrice, 5000n), '92.535 was the least').toBe(false)
  expect(isWithinPriceTolerance(promisedPrice, { ...repricedPrice, target: money('EUR', 9254n) }, 5000n)).toBe(true)
})

test('a price beyond the storable amounts is refused, naming the field', () => {
  expect(() => price(`1${'0'.repeat(27)}`, 'USD', 'ETH')).toThrowError(Refusal)
  expect(() => price(`1${'0'.repeat(28)}`, 'ETH', 'JPY', { side: 'target' })).toThrowError(Refusal)
})

describe('every price', () => {
  const currencyArbitrary = fc.constantFrom(...currencyCodes)
  const requestArbitrary = fc.record({
    sourceCurrency: currencyArbitrary,
    targetCurrency: currencyArbitrary,
    minor: fc.bigInt({ min: 1n, max: 10n ** 22n }),
    side: fc.constantFrom('source' as const, 'target' as const),
    useStablecoin: fc.boolean(),
    spread: fc.bigInt({ min: 0n, max: 10_000n }),
  })
  const tryPrice = (request: Omit<Parameters<typeof computePrice>[0], 'amount'>, minor: bigint, spread = 0n) => {
    const currency = request.side === 'source' ? request.sourceCurrency : request.targetCurrency
    try {
      return computePrice({ ...request, amount: money(currency, minor) }, createMarketWith(spread))
    } catch (error) {
      if (error instanceof Refusal && ['amount_too_small', 'invalid_request'].includes(error.code)) return undefined
      throw error
    }
  }

  test('costs at most 3 %, its crossing never loses the desk money, and residue is never negative', () => {
    fc.assert(
      fc.property(requestArbitrary, ({ minor, spread, ...request }) => {
        const attemptedPrice = tryPrice(request, minor, spread)
        if (!attemptedPrice) return
        expect(attemptedPrice.costPartsPerMillion).toBeLessThanOrEqual(30_000n)
        expect(attemptedPrice.total.minor).toBe(attemptedPrice.source.minor + attemptedPrice.fee.minor)
        if (attemptedPrice.crossing) {
          expect(attemptedPrice.crossing.residue.minor).toBeGreaterThanOrEqual(0n)
          expect(attemptedPrice.crossing.outflow.minor + attemptedPrice.crossing.residue.minor).toBe(
            attemptedPrice.crossing.inflow.minor,
          )
        }
      }),
      { numRuns: 5_000, seed: 20_261_128 },
    )
  })

  test('allows no profitable round trip, even before fees', () => {
    fc.assert(
      fc.property(requestArbitrary, ({ minor, spread, ...request }) => {
        const firstPrice = tryPrice({ ...request, side: 'source' }, minor, spread)
        if (!firstPrice || firstPrice.target.minor === 0n) return
        const reversePrice = tryPrice(
          {
            sourceCurrency: request.targetCurrency,
            targetCurrency: request.sourceCurrency,
            side: 'source',
            useStablecoin: request.useStablecoin,
          },
          firstPrice.target.minor,
          spread,
        )
        if (!reversePrice) return
        expect(reversePrice.target.minor).toBeLessThanOrEqual(firstPrice.source.minor)
      }),
      { numRuns: 5_000, seed: 20_261_128 },
    )
  })
})
