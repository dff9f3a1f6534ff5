// Exact share of a currency in all balances, and the exchange that restores it.

import { type CurrencyCode, scaleOf } from '@tern/money/currency'
import { feeBasisPoints, computeFee } from '@tern/money/fee'
import { type Money, money } from '@tern/money/money'
import type { UsdRateReader } from '@tern/money/rate'
import { ratio, toDecimalPlaces } from '@tern/money/ratio'

/** Deviation in percentage points that is tolerated. */
export const tolerancePercent = 2

export interface Share {
  readonly currency: CurrencyCode
  readonly baseCurrency: CurrencyCode
  /** Target share as a whole percentage. */
  readonly percent: number
}

/** Non-negative amount in US dollars, as a fraction. */
interface UsdFraction {
  readonly numerator: bigint
  readonly denominator: bigint
}

const zeroWorth: UsdFraction = { numerator: 0n, denominator: 1n }

const plus = (a: UsdFraction, b: UsdFraction): UsdFraction => ({
  numerator: a.numerator * b.denominator + b.numerator * a.denominator,
  denominator: a.denominator * b.denominator,
})

function toUsdFraction({ currency, minor }: Money, usdValueOf: UsdRateReader): UsdFraction {
  const { numerator, denominator } = usdValueOf(currency)
  return { numerator: minor * numerator, denominator: denominator * 10n ** BigInt(scaleOf(currency)) }
}

/** Returns how many minor units of a currency an amount of dollars buys at the mid-market rate, rounded down. */
function buyableAmount(
  { numerator, denominator }: UsdFraction,
  currency: CurrencyCode,
  usdValueOf: UsdRateReader,
): bigint {
  const value = usdValueOf(currency)
  return (numerator * value.denominator * 10n ** BigInt(scaleOf(currency))) / (denominator * value.numerator)
}

/** Returns the dollar worth of a currency's balance and of all balances; undefined if all are empty. */
function computeWorths(currency: CurrencyCode, balances: readonly Money[], usdValueOf: UsdRateReader) {
  const worths = balances
    .filter(({ minor }) => minor > 0n)
    .map((each) => ({ each, worth: toUsdFraction(each, usdValueOf) }))
  const total = worths.map(({ worth }) => worth).reduce(plus, zeroWorth)
  const ownFractions = worths.filter(({ each }) => each.currency === currency).map(({ worth }) => worth)
  return total.numerator === 0n ? undefined : { own: ownFractions.reduce(plus, zeroWorth), total }
}

/**
 * Returns the share of a currency in percent with two decimals; null if all balances are empty. Refuses
 * `rates_unavailable`.
 */
export function computeShare(
  currency: CurrencyCode,
  balances: readonly Money[],
  usdValueOf: UsdRateReader,
): string | null {
  const shareParts = computeWorths(currency, balances, usdValueOf)
  if (!shareParts) return null
  const { own, total } = shareParts
  if (own.numerator === 0n) return '0.00'
  return toDecimalPlaces(ratio(own.numerator * total.denominator * 100n, own.denominator * total.numerator), 2)
}

/** Returns the largest amount that can be exchanged if the fee is paid from the same balance; undefined if none. */
export function computeMaxExchange(available: Money): Money | undefined {
  const basisPoints = feeBasisPoints.stablecoin_bridge
  // Upper bound: the fee is rounded by at most half a minor unit.
  let minor = ((2n * available.minor + 1n) * 10_000n) / (2n * (10_000n + basisPoints))
  while (minor > 0n) {
    const amount = money(available.currency, minor)
    const excess = minor + computeFee(amount, basisPoints).minor - available.minor
    if (excess <= 0n) return amount
    minor -= excess
  }
  return undefined
}

/**
 * Returns the exchange that restores the share; undefined within the tolerance, or if nothing can be exchanged. Refuses
 * `rates_unavailable`.
 */
export function neededExchange(
  { currency, baseCurrency, percent }: Share,
  balances: readonly Money[],
  usdValueOf: UsdRateReader,
): { amount: Money; targetCurrency: CurrencyCode } | undefined {
  const shareParts = computeWorths(currency, balances, usdValueOf)
  if (!shareParts) return undefined
  const { own, total } = shareParts
  // Worth of the currency times 100, and total worth, over a common denominator.
  const ownParts = own.numerator * total.denominator * 100n
  const totalParts = total.numerator * own.denominator
  const isBelow = ownParts < totalParts * BigInt(percent - tolerancePercent)
  const isAbove = ownParts > totalParts * BigInt(percent + tolerancePercent)
  if (!isBelow && !isAbove) return undefined
  const difference = totalParts * BigInt(percent) - ownParts
  const worth: UsdFraction = {
    numerator: difference < 0n ? -difference : difference,
    denominator: total.denominator * own.denominator * 100n,
  }
  const [source, targetCurrency] = isBelow ? [baseCurrency, currency] : [currency, baseCurrency]
  const available = balances.find((balance) => balance.currency === source)
  const maxExchange = available && computeMaxExchange(available)
  const sellAmount = money(source, buyableAmount(worth, source, usdValueOf))
  if (!maxExchange || sellAmount.minor === 0n) return undefined
  return { amount: sellAmount.minor < maxExchange.minor ? sellAmount : maxExchange, targetCurrency }
}
