import { verifyPrice } from '@tern/contract/prices/verify-price'
import type { PriceFacts, ProofFix, ProofValue } from '@tern/contract/prices/proof'
import { recompute } from '@tern/contract/prices/recompute'
import { currencyCodes, type CurrencyCode, scaleOf } from '@tern/money/currency'
import { money, toDecimal } from '@tern/money/money'
import { inverse, multiply, parseRatio, type Ratio, ratio } from '@tern/money/ratio'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Refusal } from '../../platform/refuse.ts'
import { computePrice, type PriceRequest } from './price.ts'
import { priceText } from './quote.ts'

const at = '2026-11-24T15:00:00.000Z'

/** Units per euro, as the European Central Bank publishes them. */
const ratesPerEuro: Partial<Record<CurrencyCode, string>> = {
  ...{
    USD: '1.0562',
    GBP: '0.83388',
    CAD: '1.4767',
    AUD: '1.6244',
    JPY: '163.96',
    SGD: '1.4166',
    INR: '89.1025',
    BRL: '6.1046',
  },
}
const dollarRates: Partial<Record<CurrencyCode, string>> = {
  USDT: '0.9997',
  USDC: '1.00003',
  BTC: '94217.5',
  ETH: '3110.27',
}

const toFraction = ([numerator, denominator]: readonly [string, string]) => ({ numerator, denominator })

const buildFix = (base: CurrencyCode, quote: CurrencyCode, text: string): ProofFix => {
  const { numerator, denominator } = parseRatio(text)
  const rate = toFraction([numerator.toString(), denominator.toString()])
  return { source: 'test', base, quote, rate, as_of: at, received_at: at, is_accepted: true }
}

const eurUsd = buildFix('EUR', 'USD', ratesPerEuro.USD ?? '')
function listFixes(currency: CurrencyCode): ProofFix[] {
  if (currency === 'EUR') return [eurUsd]
  const directRate = dollarRates[currency]
  return directRate
    ? [buildFix(currency, 'USD', directRate)]
    : [buildFix('EUR', currency, ratesPerEuro[currency] ?? ''), eurUsd]
}

const unitRatio = ratio(1n, 1n)
const usdValueOf = (currency: CurrencyCode): Ratio => {
  if (currency === 'USD') return unitRatio
  if (currency === 'EUR') return parseRatio(ratesPerEuro.USD ?? '')
  const directRate = dollarRates[currency]
  return directRate
    ? parseRatio(directRate)
    : multiply(inverse(parseRatio(ratesPerEuro[currency] ?? '')), parseRatio(ratesPerEuro.USD ?? ''))
}

const cases = fc.record({
  sourceCurrency: fc.constantFrom(...currencyCodes),
  targetCurrency: fc.constantFrom(...currencyCodes),
  side: fc.constantFrom('source' as const, 'target' as const),
  useStablecoin: fc.boolean(),
  spread: fc.constantFrom(0n, 1n, 333n, 1000n, 10_000n),
  minor: fc.bigInt({ min: 1n, max: 10n ** 12n }),
})

test('every route, spread and side is recomputed as priced, to the last minor unit', () => {
  let pricedCount = 0
  fc.assert(
    fc.property(cases, ({ sourceCurrency, targetCurrency, side, useStablecoin, spread, minor }) => {
      const currency = side === 'source' ? sourceCurrency : targetCurrency
      const amount = money(currency, minor * 10n ** BigInt(Math.max(0, scaleOf(currency) - 4)))
      const request: PriceRequest = { amount, side, sourceCurrency, targetCurrency, useStablecoin }
      let text: ReturnType<typeof priceText>
      try {
        text = priceText(computePrice(request, { usdValueOf, spreadOf: () => spread }))
      } catch (error) {
        if (error instanceof Refusal) return
        throw error
      }
      pricedCount += 1
      const isConverted = sourceCurrency !== targetCurrency
      const usedCurrencies = [...new Set<CurrencyCode>([sourceCurrency, targetCurrency, 'USDT'])].filter(
        (code) => code !== 'USD',
      )
      const values: ProofValue[] = usedCurrencies.map((code) => ({ currency: code, fixes: listFixes(code) }))
      const residue =
        text.inflow === null || text.outflow === null
          ? null
          : toDecimal(money('USDT', parseMicroUnits(text.inflow) - parseMicroUnits(text.outflow)))
      const facts: PriceFacts = {
        ...{
          reference: 'TRN-0000-0000-0000',
          kind: 'SEND',
          status: 'COMPLETED',
          made_at: at,
          values,
          reference_rate: null,
        },
        ...{ source_currency: sourceCurrency, target_currency: targetCurrency },
        terms: {
          ...{ route: text.route, side, is_authentic: true, may_be_late: false, made_at: at, accepted_at: at },
          ...{ expires_at: at, rate_as_of: at, source_amount: text.source, target_amount: text.target },
          ...{ inflow: text.inflow, outflow: text.outflow, fee: text.fee, rate: toFraction(text.rate) },
          mid_market_rate: toFraction(text.midMarketRate ?? text.rate),
          spread_parts_per_million: text.spreadPartsPerMillion ?? '0',
          fee_basis_points: text.feeBasisPoints,
          smallest_fee: '1',
          cost_parts_per_million: text.costPartsPerMillion,
        },
        receipt: {
          ...{ source_amount: text.source, target_amount: text.target, stablecoin_amount: text.inflow, fee: text.fee },
          rate: isConverted ? toFraction(text.rate) : null,
        },
        ledger: { source_amount: text.source, target_amount: text.target, fee: text.fee, residue },
      }
      expect(verifyPrice(facts, recompute(facts))).toMatchObject({ verdict: 'match' })
    }),
    { numRuns: 1500, seed: 20_261_128 },
  )
  expect(pricedCount).toBeGreaterThan(500)
})

const parseMicroUnits = (usdt: string): bigint => BigInt(usdt.replace('.', ''))
