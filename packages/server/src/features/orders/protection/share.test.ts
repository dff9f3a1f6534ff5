import type { CurrencyCode } from '@tern/money/currency'
import { feeBasisPoints, computeFee } from '@tern/money/fee'
import { money, parseDecimal, toDecimal } from '@tern/money/money'
import { parseRatio, type Ratio } from '@tern/money/ratio'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { computeMaxExchange, neededExchange, computeShare } from './share.ts'

const usdValues: Partial<Record<CurrencyCode, string>> = { EUR: '1.08', USDC: '1', BTC: '90000' }
const usdValueOf = (code: CurrencyCode): Ratio => parseRatio(usdValues[code] ?? '1')
const buildBalances = (eur: string, usdc: string, btc = '0') => [
  parseDecimal('EUR', eur),
  parseDecimal('USDC', usdc),
  parseDecimal('BTC', btc),
]
const thirtyPercentRule = { currency: 'USDC', baseCurrency: 'EUR', percent: 30 } as const

test.each([
  ['1000.00', '0', '0', '0.00'],
  ['0.00', '5', '0', '100.00'],
  ['700.00', '324', '0', '30.00'],
  ['700.00', '324', '0.01', '16.36'],
])('of %s EUR, %s USDC and %s BTC the USDC are %s percent', (eur, usdc, btc, percent) => {
  expect(computeShare('USDC', buildBalances(eur, usdc, btc), usdValueOf)).toBe(percent)
})

test('empty balances have no share', () => {
  expect(computeShare('USDC', buildBalances('0.00', '0'), usdValueOf)).toBeNull()
  expect(neededExchange(thirtyPercentRule, buildBalances('0.00', '0'), usdValueOf)).toBeUndefined()
})

test.each<readonly [eur: string, usdc: string, needed: string | undefined]>([
  ['1000.00', '0', '300.00 EUR into USDC'],
  // Shares of exactly 28 and 32 % are within the tolerance. The next two rows are just outside it.
  ['720.00', '302.4', undefined],
  ['680.00', '345.6', undefined],
  ['720.01', '302.4', '20.00 EUR into USDC'],
  ['680.00', '345.606', '21.604200 USDC into EUR'],
  ['0.00', '1000', '700.000000 USDC into EUR'],
])('%s EUR and %s USDC need %s', (eur, usdc, expectedNeed) => {
  const exchange = neededExchange(thirtyPercentRule, buildBalances(eur, usdc), usdValueOf)
  expect(exchange && `${toDecimal(exchange.amount)} ${exchange.amount.currency} into ${exchange.targetCurrency}`).toBe(
    expectedNeed,
  )
})

test('an exchange with its fee never exceeds the balance', () => {
  const bitcoin = buildBalances('10.00', '0', '1')
  expect(neededExchange(thirtyPercentRule, bitcoin, usdValueOf)?.amount).toEqual(parseDecimal('EUR', '9.90'))
  expect(neededExchange(thirtyPercentRule, buildBalances('0.00', '0', '1'), usdValueOf)).toBeUndefined()
})

test('the largest exchange leaves less than another minor unit with its fee', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 1n, max: 10n ** 20n }), (minor) => {
      const amount = computeMaxExchange(money('EUR', minor))?.minor ?? 0n
      const computeCost = (minor: bigint) =>
        minor + computeFee(money('EUR', minor), feeBasisPoints.stablecoin_bridge).minor
      expect(computeCost(amount)).toBeLessThanOrEqual(minor)
      expect(computeCost(amount + 1n)).toBeGreaterThan(minor)
    }),
    { seed: 20_261_128 },
  )
})
