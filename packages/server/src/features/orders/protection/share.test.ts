import type { CurrencyCode } from '@tern/money/currency'
import { feeBasisPoints, computeFee } from '@tern/money/fee'
import { money, parseDecimal, toDecimal } from '@tern/money/money'
import { parseRatio, type Ratio } from '@tern/money/ratio'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { largestWithin, neededExchange, shareNow } from './share.ts'

const worth: Partial<Record<CurrencyCode, string>> = { EUR: '1.08', USDC: '1', BTC: '90000' }
const usdValueOf = (code: CurrencyCode): Ratio => parseRatio(worth[code] ?? '1')
const balances = (eur: string, usdc: string, btc = '0') => [
  parseDecimal('EUR', eur),
  parseDecimal('USDC', usdc),
  parseDecimal('BTC', btc),
]
const thirty = { currency: 'USDC', baseCurrency: 'EUR', percent: 30 } as const

test.each([
  ['1000.00', '0', '0', '0.00'],
  ['0.00', '5', '0', '100.00'],
  ['700.00', '324', '0', '30.00'],
  ['700.00', '324', '0.01', '16.36'],
])('of %s EUR, %s USDC and %s BTC the USDC are %s percent', (eur, usdc, btc, percent) => {
  expect(shareNow('USDC', balances(eur, usdc, btc), usdValueOf)).toBe(percent)
})

test('empty balances have no share', () => {
  expect(shareNow('USDC', balances('0.00', '0'), usdValueOf)).toBeNull()
  expect(neededExchange(thirty, balances('0.00', '0'), usdValueOf)).toBeUndefined()
})

test.each<readonly [eur: string, usdc: string, needed: string | undefined]>([
  ['1000.00', '0', '300.00 EUR into USDC'],
  // 28 and 32 % are within the tolerance; one cent more is not.
  ['720.00', '302.4', undefined],
  ['680.00', '345.6', undefined],
  ['720.01', '302.4', '20.00 EUR into USDC'],
  ['680.00', '345.606', '21.604200 USDC into EUR'],
  ['0.00', '1000', '700.000000 USDC into EUR'],
])('%s EUR and %s USDC need %s', (eur, usdc, needed) => {
  const found = neededExchange(thirty, balances(eur, usdc), usdValueOf)
  expect(found && `${toDecimal(found.amount)} ${found.amount.currency} into ${found.targetCurrency}`).toBe(needed)
})

test('an exchange with its fee never exceeds the balance', () => {
  const bitcoin = balances('10.00', '0', '1')
  expect(neededExchange(thirty, bitcoin, usdValueOf)?.amount).toEqual(parseDecimal('EUR', '9.90'))
  expect(neededExchange(thirty, balances('0.00', '0', '1'), usdValueOf)).toBeUndefined()
})

test('the largest exchange leaves less than another minor unit with its fee', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 1n, max: 10n ** 20n }), (minor) => {
      const amount = largestWithin(money('EUR', minor))?.minor ?? 0n
      const cost = (some: bigint) => some + computeFee(money('EUR', some), feeBasisPoints.stablecoin_bridge).minor
      expect(cost(amount)).toBeLessThanOrEqual(minor)
      expect(cost(amount + 1n)).toBeGreaterThan(minor)
    }),
    { seed: 20_261_128 },
  )
})
