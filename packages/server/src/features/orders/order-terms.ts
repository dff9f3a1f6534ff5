// Exact terms of orders: rates as entered, as fractions, and as the minimum amount to receive.

import type { OrderKind } from '@tern/contract/orders/orders'
import { type CurrencyCode, scaleOf } from '@tern/money/currency'
import { feeBasisPoints, computeFee } from '@tern/money/fee'
import { largestMinor, type Money } from '@tern/money/money'
import { convert } from '@tern/money/rate'
import { inverse, parseRatio, type Ratio, ratio, toDecimalPlaces } from '@tern/money/ratio'
import { refuseField } from '../../platform/refuse.ts'

/** Requested terms. Rates are whole units of the pair's other currency per unit of `rateCurrency`. */
export interface RequestedTerms {
  readonly kind: OrderKind
  /** Amount to exchange, without the fee. */
  readonly amount: Money
  readonly targetCurrency: CurrencyCode
  readonly rateCurrency: CurrencyCode
  readonly rate: string
  readonly worstRate?: string | undefined
}

export interface OrderTerms {
  readonly rate: string
  readonly worstRate: string
  /** Minimum amount to receive, rounded up, so that the rate is at least the worst rate. */
  readonly minimum: Money
  /** Rate at which the order is triggered, in whole target units per source unit. */
  readonly trigger: Ratio
  readonly fee: Money
  readonly feeBasisPoints: bigint
}

const rateDecimals = 15

/** Removes leading zeros; decimals stay as entered. */
const stripLeadingZeros = (text: string): string => text.replace(/^0+(?=\d)/, '')

/** Formats a fixed-point number of `rateDecimals`, without trailing zeros. */
function formatRate(scaledRate: bigint): string {
  const digits = scaledRate.toString().padStart(rateDecimals + 1, '0')
  return `${digits.slice(0, -rateDecimals)}.${digits.slice(-rateDecimals)}`.replace(/\.?0+$/, '')
}

/**
 * Returns a rate that is 1 % worse for the account holder: lower per source unit, or higher per target unit. Rounded in
 * the holder's favour.
 */
function worsenByOnePercent(rate: string, isSourceRate: boolean): string {
  const exactRate = parseRatio(rate)
  const scaledRate = (exactRate.numerator * 10n ** BigInt(rateDecimals)) / exactRate.denominator
  return formatRate(isSourceRate ? (scaledRate * 99n + 99n) / 100n : (scaledRate * 101n) / 100n)
}

/** Returns a rate as exact target units per source unit, both in major units. */
export const toTargetRate = (rate: string, rateCurrency: CurrencyCode, sourceCurrency: CurrencyCode): Ratio =>
  rateCurrency === sourceCurrency ? parseRatio(rate) : inverse(parseRatio(rate))

/** Negative if `a` is lower than `b`, zero if equal, else positive. */
export const compareRates = (a: Ratio, b: Ratio): bigint => a.numerator * b.denominator - b.numerator * a.denominator

/** Returns the rate that converts `source` to exactly `target`, in whole target units per source unit. */
export const rateBetween = (source: Money, target: Money): Ratio =>
  ratio(target.minor * 10n ** BigInt(scaleOf(source.currency)), source.minor * 10n ** BigInt(scaleOf(target.currency)))

/**
 * Computes the exact terms of an order. The fee is the list fee for an exchange through the stablecoin bridge. Refuses
 * `invalid_request` for invalid currencies or rates, and for amounts that are too large.
 */
export function computeTerms({ kind, amount, targetCurrency, rateCurrency, ...rates }: RequestedTerms): OrderTerms {
  const { currency: sourceCurrency } = amount
  if (sourceCurrency === targetCurrency) refuseField('invalid_request', 'target_currency', 'same_currency_twice')
  if (rateCurrency !== sourceCurrency && rateCurrency !== targetCurrency) {
    refuseField('invalid_request', 'rate_currency', 'rate_currency_of_pair')
  }
  const rate = stripLeadingZeros(rates.rate)
  if (kind === 'limit' && rates.worstRate !== undefined) {
    refuseField('invalid_request', 'worst_rate', 'worst_rate_of_stop')
  }
  const rateLimit = kind === 'limit' ? rate : rates.worstRate && stripLeadingZeros(rates.worstRate)
  const worstRate = rateLimit ?? worsenByOnePercent(rate, rateCurrency === sourceCurrency)
  const requestedRate = toTargetRate(rate, rateCurrency, sourceCurrency)
  const worst = toTargetRate(worstRate, rateCurrency, sourceCurrency)
  if (compareRates(worst, requestedRate) > 0n) refuseField('invalid_request', 'worst_rate', 'worst_rate_better')
  const minimum = computeMinimum(amount, targetCurrency, worst)
  const basisPoints = feeBasisPoints.stablecoin_bridge
  const fee = computeFee(amount, basisPoints)
  if (amount.minor + fee.minor > largestMinor) refuseField('invalid_request', 'amount', 'amount_too_large')
  // A limit order is triggered at the rate that yields its rounded minimum.
  const trigger = kind === 'limit' ? rateBetween(amount, minimum) : requestedRate
  return { rate, worstRate, minimum, trigger, fee, feeBasisPoints: basisPoints }
}

function computeMinimum(amount: Money, targetCurrency: CurrencyCode, worst: Ratio): Money {
  const minimum = convert(amount, targetCurrency, worst, 'up')
  return minimum.minor > largestMinor ? refuseField('invalid_request', 'amount', 'amount_too_large') : minimum
}

/** Returns from which side of its rate an order is filled. Limit orders fill at better rates, stop orders at worse. */
export const chooseRateSide = (
  kind: OrderKind,
  rateCurrency: CurrencyCode,
  sourceCurrency: CurrencyCode,
): 'at_least' | 'at_most' => ((kind === 'limit') === (rateCurrency === sourceCurrency) ? 'at_least' : 'at_most')

const rankFactor = 10n ** 30n

/** Rounds a rate down to 30 decimals. The index compares these ranks before exact fractions decide. */
export const rankRate = ({ numerator, denominator }: Ratio): bigint => (numerator * rankFactor) / denominator

/** SQL: rank of a row's trigger rate, as in the index. */
export const rankSql = (row: string): string =>
  `div(${row}.trigger_numerator * ${String(rankFactor)}, ${row}.trigger_denominator)`

const percentDecimals = 2

/** Returns the distance from `now` to `rate` in percent of `now`, negative if `rate` is lower. */
export function distancePercent(rate: Ratio, now: Ratio): string {
  const difference = compareRates(rate, now)
  if (difference === 0n) return toDecimalPlaces(ratio(1n, 10_000n), percentDecimals)
  const size = difference < 0n ? -difference : difference
  const text = toDecimalPlaces(ratio(size * 100n, now.numerator * rate.denominator), percentDecimals)
  return difference < 0n && /[1-9]/.test(text) ? `-${text}` : text
}
