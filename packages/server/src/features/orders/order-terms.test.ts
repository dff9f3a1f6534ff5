import type { CurrencyCode } from '@tern/money/currency'
import { money, parseDecimal, toDecimal } from '@tern/money/money'
import { parseRatio } from '@tern/money/ratio'
import { describe, expect, test } from 'vitest'
import { distancePercent, chooseRateSide, computeTerms, toTargetRate, type RequestedTerms } from './order-terms.ts'

const usdt = (decimal: string) => parseDecimal('USDT', decimal)
const buildTerms = (changes: Partial<RequestedTerms> = {}) =>
  computeTerms({
    ...{ kind: 'limit', amount: usdt('600'), targetCurrency: 'EUR', rateCurrency: 'USDT', rate: '0.9550' },
    ...changes,
  })

describe('the minimum amount to receive', () => {
  test.each<readonly [amount: string, rate: string, rateCurrency: CurrencyCode, minimum: string]>([
    ['600', '0.9550', 'USDT', '573.00'],
    ['601.37', '0.9550', 'USDT', '574.31'],
    ['0.01', '0.9550', 'USDT', '0.01'],
    ['600', '1.0471', 'EUR', '573.02'],
    ['1000000', '0.000000000000001', 'USDT', '0.01'],
  ])('for %s USDT at %s for one %s is %s EUR', (amount, rate, rateCurrency, minimum) => {
    expect(toDecimal(buildTerms({ amount: usdt(amount), rate, rateCurrency }).minimum)).toBe(minimum)
  })
})

describe('the worst rate of a stop order', () => {
  test.each<readonly [rate: string, rateCurrency: CurrencyCode, worst: string]>([
    ['0.9300', 'USDT', '0.9207'],
    ['1.0700', 'EUR', '1.0807'],
    ['1', 'USDT', '0.99'],
    ['0.000000000000001', 'USDT', '0.000000000000001'],
    ['0.000000000000001', 'EUR', '0.000000000000001'],
  ])('of %s for one %s is %s unless given, 1 percent worse', (rate, rateCurrency, worstRate) => {
    const stopTerms = buildTerms({ kind: 'stop', rate, rateCurrency })
    expect(stopTerms.worstRate).toBe(worstRate)
    expect(stopTerms.rate).toBe(rate)
  })

  test('may equal the rate, and is stored as written', () => {
    expect(buildTerms({ kind: 'stop', worstRate: '0.9550' }).worstRate).toBe('0.9550')
    expect(buildTerms({ kind: 'stop', rate: '000.9550', worstRate: '0.90' })).toMatchObject({
      ...{ rate: '0.9550', worstRate: '0.90' },
      minimum: money('EUR', 54_000n),
      trigger: parseRatio('0.955'),
    })
  })
})

// Limit orders are filled at better rates, stop orders at worse ones. Per target unit, a better rate is lower.
test.each([
  ['limit', 'USDT', 'at_least'],
  ['limit', 'EUR', 'at_most'],
  ['stop', 'USDT', 'at_most'],
  ['stop', 'EUR', 'at_least'],
] as const)('a %s order for one %s is filled %s', (kind, rateCurrency, side) => {
  expect(chooseRateSide(kind, rateCurrency, 'USDT')).toBe(side)
})

test.each([
  ['0.9550', '0.9468', '0.87'],
  ['0.9300', '0.9468', '-1.77'],
  ['0.9468', '0.9468', '0.00'],
  ['0.94679999', '0.9468', '0.00'],
  ['2', '1', '100.00'],
])('%s beside %s is away by %s percent', (rate, now, percent) => {
  expect(distancePercent(parseRatio(rate), parseRatio(now))).toBe(percent)
})

test('a rate in the other currency is inverted exactly', () => {
  expect(toTargetRate('1.0471', 'EUR', 'USDT')).toEqual({ numerator: 10_000n, denominator: 10_471n })
  expect(toTargetRate('0.955', 'USDT', 'USDT')).toEqual({ numerator: 191n, denominator: 200n })
})
