// Tests the terms and fills of orders against arithmetic independent of the product's.

import { type CurrencyCode, currencyCodes } from '@tern/money/currency'
import { money } from '@tern/money/money'
import { ratio } from '@tern/money/ratio'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { computePrice } from '@tern/server/features/exchange/price'
import { computeTerms } from '@tern/server/features/orders/order-terms'
import { computeExpectedPrice, parseMinor } from '../../../../simulation/oracle/pricing.ts'

/** Values of the currencies in millionths of a dollar, over a wide range. */
const values = fc.record(
  Object.fromEntries(currencyCodes.map((code) => [code, fc.bigInt({ min: 10n, max: 200_000_000_000n })])),
)

test('a limit order is never filled below its rate, by independent arithmetic', () => {
  const pair = fc
    .tuple(fc.constantFrom(...currencyCodes), fc.constantFrom(...currencyCodes))
    .filter(([source, target]) => source !== target)
  fc.assert(
    fc.property(
      ...[pair, values, fc.bigInt({ min: 1n, max: 10n ** 12n }), fc.bigInt({ min: 1n, max: 10n ** 15n }), fc.boolean()],
      ([source, target], usdValues, minor, scaledRate, isInSource) => {
        const rate = `${scaledRate / 10n ** 12n}.${String(scaledRate % 10n ** 12n).padStart(12, '0')}`
        const amount = money(source, minor)
        const rateCurrency = isInSource ? source : target
        // Excludes amounts that are too large to store.
        const whole = (isInSource ? minor * scaledRate : (minor * 10n ** 24n) / scaledRate) / 10n ** 12n
        fc.pre((whole * parseMinor(target, '1')) / parseMinor(source, '1') < 10n ** 30n)
        const terms = computeTerms({ kind: 'limit', amount, targetCurrency: target, rateCurrency, rate })
        const units = [parseMinor(source, '1'), parseMinor(target, '1')] as const
        // `minimum` is the smallest amount for which minimum / targetUnit ≥ amount / sourceUnit × rate.
        const [rateNumerator, rateDenominator] = isInSource ? [scaledRate, 10n ** 12n] : [10n ** 12n, scaledRate]
        const isEnough = (targetMinor: bigint) =>
          targetMinor * units[0] * rateDenominator >= minor * units[1] * rateNumerator
        expect(isEnough(terms.minimum.minor)).toBe(true)
        expect(isEnough(terms.minimum.minor - 1n)).toBe(false)
        const usd = (code: CurrencyCode) => (code === 'USD' ? ratio(1n, 1n) : ratio(usdValues[code] ?? 1n, 1_000_000n))
        const price = (() => {
          try {
            return computePrice(
              { amount, side: 'source', sourceCurrency: source, targetCurrency: target, useStablecoin: true },
              { usdValueOf: usd, spreadOf: () => 0n },
            )
          } catch {
            return undefined
          }
        })()
        if (!price) return
        const rates = Object.fromEntries(
          currencyCodes.map((code) => [code, [usd(code).numerator, usd(code).denominator] as const]),
        )
        const order = { sourceCurrency: source, targetCurrency: target, source: minor, viaStablecoin: true }
        expect(price.target.minor).toBe(computeExpectedPrice(order, rates).target)
        // Every order that would be filled is found by its trigger.
        const isTriggered =
          terms.trigger.numerator * usd(source).denominator * usd(target).numerator <=
          usd(source).numerator * usd(target).denominator * terms.trigger.denominator
        if (price.target.minor >= terms.minimum.minor) {
          expect(isTriggered).toBe(true)
          expect(isEnough(price.target.minor)).toBe(true)
        }
      },
    ),
    { numRuns: 3000, seed: 20_261_128 },
  )
})
