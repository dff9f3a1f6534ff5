import { type CurrencyCode, cryptoCodes } from '@tern/money/currency'
import { parseDecimal } from '@tern/money/money'
import { parseRatio } from '@tern/money/ratio'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { refuse } from '../../platform/refuse.ts'
import { valueHoldings } from './holdings.ts'

const asOf = new Date('2026-11-24T12:00:00Z')
const euros: Partial<Record<CurrencyCode, string>> = { USDT: '0.9468', USDC: '0.9468', BTC: '89319.26', ETH: '3000' }

/** Returns prices in euros; the given currencies have no usable price. */
function buildPricesWithout(...unpricedCurrencies: CurrencyCode[]) {
  const lastRate = (source: CurrencyCode) => {
    const rate = parseRatio(euros[source] ?? '1')
    const facts = {
      spreadPartsPerMillion: 0n,
      sources: ['ecb'],
      asOf,
      fixIds: [],
      reference: undefined,
      policy: undefined,
    }
    return { rate, midMarket: rate, ...facts }
  }
  const pairRate = (source: CurrencyCode) =>
    unpricedCurrencies.includes(source) ? refuse('rates_unavailable', {}) : lastRate(source)
  return { lastRate, pairRate }
}

const buildWallet = (amounts: Partial<Record<CurrencyCode, [available: string, held?: string]>>) => ({
  base_currency: 'EUR' as const,
  assets: (['EUR', ...cryptoCodes] as const).map((currency) => {
    const [available = '0', heldAmount = '0'] = amounts[currency] ?? []
    return { currency, available, held: heldAmount }
  }),
})

test('each balance is valued as a whole at the current rate, rounded down, and shares match', () => {
  const wallet = buildWallet({
    EUR: ['3180.42'],
    USDC: ['2050.000000'],
    USDT: ['230.500000', '1010.000000'],
    BTC: ['0.00450000'],
  })
  const { total, is_complete: isComplete, holdings } = valueHoldings(wallet, buildPricesWithout())
  expect(holdings.map(({ currency, value, share_percent: share }) => [currency, value, share])).toEqual([
    ['EUR', '3180.42', '47.5'],
    ['USDT', '1174.50', '17.5'],
    ['USDC', '1940.94', '29.0'],
    ['BTC', '401.93', '6.0'],
    ['ETH', '0.00', '0.0'],
  ])
  expect([total, isComplete]).toEqual(['6697.79', true])
  expect(holdings[0]?.price).toBeNull()
  expect(holdings[3]?.price).toEqual({ rate: '89319.2600', source: 'ecb', time: asOf.toISOString() })
})

test('a balance whose rate is too old has no value, keeps its last price, and is left out of the total', () => {
  const wallet = buildWallet({ EUR: ['100.00'], BTC: ['1.00000000'] })
  const { total, is_complete: isComplete, holdings } = valueHoldings(wallet, buildPricesWithout('BTC'))
  expect(holdings.find(({ currency }) => currency === 'BTC')).toMatchObject({
    price: null,
    last_price: { rate: '89319.2600' },
    value: null,
    share_percent: null,
  })
  expect([total, isComplete, holdings[0]?.share_percent]).toEqual(['100.00', false, '100.0'])
  // A currency without a balance needs no rate.
  expect(valueHoldings(buildWallet({ EUR: ['1.00'] }), buildPricesWithout('BTC')).is_complete).toBe(true)
})

test('an empty wallet has no value and no shares', () => {
  const { total, holdings } = valueHoldings(buildWallet({}), buildPricesWithout())
  expect([total, holdings.every(({ share_percent: share }) => share === null)]).toEqual(['0.00', true])
})

test('for any balances, the values add up to the total and the shares to 100', () => {
  const minor = fc.bigInt({ min: 0n, max: 10n ** 12n })
  fc.assert(
    fc.property(minor, minor, minor, (euro, tether, bitcoin) => {
      const formatMinor = (amount: bigint, decimals: number) => {
        const digits = amount.toString().padStart(decimals + 1, '0')
        return `${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`
      }
      const wallet = buildWallet({
        EUR: [formatMinor(euro, 2)],
        USDT: [formatMinor(tether, 6)],
        BTC: [formatMinor(bitcoin, 8)],
      })
      const { total, holdings } = valueHoldings(wallet, buildPricesWithout())
      const sum = holdings.reduce((total, { value }) => total + parseDecimal('EUR', value ?? '0').minor, 0n)
      expect(parseDecimal('EUR', total).minor).toBe(sum)
      const shares = holdings.map(({ share_percent: share }) => BigInt((share ?? '0.0').replace('.', '')))
      expect(shares.reduce((total, share) => total + share, 0n)).toBe(sum > 0n ? 1000n : 0n)
    }),
    { seed: 20_261_128 },
  )
})
