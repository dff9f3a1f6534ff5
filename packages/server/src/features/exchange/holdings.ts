import type { Reply } from '@tern/contract/protocol/endpoint'
import type { Holding, walletHoldings } from '@tern/contract/exchange/rates'
import type { Wallet } from '@tern/contract/wallets'
import type { CurrencyCode } from '@tern/money/currency'
import { add, isPositive, type Money, money, parseDecimal, toDecimal } from '@tern/money/money'
import { convert } from '@tern/money/rate'
import { ratio, toDecimalPlaces, toRateText } from '@tern/money/ratio'
import { splitByShares } from '@tern/money/shares'
import { Refusal } from '../../platform/refuse.ts'
import type { PairRate } from './rates/pair-rate.ts'
import type { Rates } from './rates/rates.ts'

type Prices = Pick<Rates, 'pairRate' | 'lastRate'>

/** Shares are in tenths of a percent. */
const shareScale = 1000n

/**
 * Returns the value of a wallet's balances in its base currency, held amounts included, at the mid-market rate, rounded
 * down. A balance without a usable rate has no value and is not in the total.
 */
export function valueHoldings(
  wallet: Pick<Wallet, 'base_currency' | 'assets'>,
  prices: Prices,
): Reply<typeof walletHoldings> {
  const { base_currency: base } = wallet
  const valuedAssets = wallet.assets.map(({ currency, available, held }) => {
    const total = add(parseDecimal(currency, available), parseDecimal(currency, held))
    const price = currency === base ? undefined : usablePrice(prices, currency, base)
    const value = currency === base ? total : price && convert(total, base, price.midMarket, 'down')
    return { currency, available, held, total, price, value }
  })
  const values = valuedAssets.flatMap(({ value }) => (value ? [value] : []))
  const total = values.reduce(add, money(base, 0n))
  const shares = computeShares(values, total)
  return {
    currency: base,
    total: toDecimal(total),
    is_complete: valuedAssets.every(({ value, total }) => value !== undefined || !isPositive(total)),
    holdings: valuedAssets.map(({ currency, available, held, price, value }): Holding => {
      const last = price || currency === base ? undefined : prices.lastRate(currency, base)
      return {
        currency,
        available,
        held,
        price: price ? toView(price) : null,
        last_price: last ? toView(last) : null,
        value: value ? toDecimal(value) : null,
        share_percent: (value && shares.get(value)) ?? null,
      }
    }),
  }
}

/** Returns the rate of a pair; undefined if there is no usable one. */
function usablePrice(prices: Prices, from: CurrencyCode, to: CurrencyCode): PairRate | undefined {
  try {
    return prices.pairRate(from, to)
  } catch (error) {
    if (error instanceof Refusal) return undefined
    throw error
  }
}

const toView = ({ midMarket, sources, asOf }: PairRate) => ({
  rate: toRateText(midMarket),
  source: sources.join('+'),
  time: asOf.toISOString(),
})

/** Returns the share of each value in percent with one decimal. The shares sum to 100. */
function computeShares(values: readonly Money[], total: Money): Map<Money, string> {
  const positiveValues = values.filter(isPositive)
  if (positiveValues.length === 0) return new Map()
  const parts = splitByShares(
    money(total.currency, shareScale),
    positiveValues.map(({ minor }) => minor),
  )
  const shareTexts = parts.map(({ minor }) => (minor === 0n ? '0.0' : toDecimalPlaces(ratio(minor, 10n), 1)))
  return new Map(values.map((value) => [value, shareTexts[positiveValues.indexOf(value)] ?? '0.0']))
}
