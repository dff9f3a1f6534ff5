// What an order says, exactly: its rates as its owner wrote them, as fractions, and as an amount that has to arrive.

import type { OrderKind } from '@tern/contract/orders/orders'
import { type CurrencyCode, scaleOf } from '@tern/money/currency'
import { feeBasisPoints, feeOf } from '@tern/money/fee'
import { largestMinor, type Money } from '@tern/money/money'
import { convert } from '@tern/money/rate'
import { inverse, parseRatio, type Ratio, ratio, toDecimalPlaces } from '@tern/money/ratio'
import { refuseField } from '../../platform/refuse.ts'

/** What its owner asks for. Rates are whole units of the other currency for one of `rateCurrency`. */
export interface Wanted {
  readonly kind: OrderKind
  /** Without the fee. */
  readonly amount: Money
  readonly targetCurrency: CurrencyCode
  readonly rateCurrency: CurrencyCode
  readonly rate: string
  readonly worstRate?: string | undefined
}

export interface OrderTerms {
  readonly rate: string
  readonly worstRate: string
  /** What arrives at least; rounded up, so that no less than the worst rate is ever given. */
  readonly minimum: Money
  /** Whole target units for one whole source unit, from where on it is looked at. */
  readonly trigger: Ratio
  readonly fee: Money
  readonly feeBasisPoints: bigint
}

const rateDecimals = 15

/** A rate without leading zeros, its decimals as they were written. */
const asWritten = (text: string): string => text.replace(/^0+(?=\d)/, '')

/** A fixed-point number of `rateDecimals` as a decimal without needless zeros. */
function rateTextOf(scaled: bigint): string {
  const digits = scaled.toString().padStart(rateDecimals + 1, '0')
  return `${digits.slice(0, -rateDecimals)}.${digits.slice(-rateDecimals)}`.replace(/\.?0+$/, '')
}

/** 1 % worse than `rate` for whoever exchanges: lower for one source unit, higher for one target unit. Rounded to the better. */
function worseByOnePercent(rate: string, isOfSource: boolean): string {
  const exact = parseRatio(rate)
  const scaled = (exact.numerator * 10n ** BigInt(rateDecimals)) / exact.denominator
  return rateTextOf(isOfSource ? (scaled * 99n + 99n) / 100n : (scaled * 101n) / 100n)
}

/** A rate as whole target units for one whole source unit. */
export const towardsTarget = (rate: string, rateCurrency: CurrencyCode, sourceCurrency: CurrencyCode): Ratio =>
  rateCurrency === sourceCurrency ? parseRatio(rate) : inverse(parseRatio(rate))

/** Compares two rates: negative when `a` is lower. */
export const compareRates = (a: Ratio, b: Ratio): bigint => a.numerator * b.denominator - b.numerator * a.denominator

/** The rate at which this amount becomes exactly that one, in whole units. */
export const rateBetween = (source: Money, target: Money): Ratio =>
  ratio(target.minor * 10n ** BigInt(scaleOf(source.currency)), source.minor * 10n ** BigInt(scaleOf(target.currency)))

/**
 * What an order means. Refuses `invalid_request` for what is wrong with its rates, and amounts that are too large. The fee
 * is that of the price list through the bridge.
 */
export function termsOf({ kind, amount, targetCurrency, rateCurrency, ...wanted }: Wanted): OrderTerms {
  const { currency: sourceCurrency } = amount
  if (sourceCurrency === targetCurrency) refuseField('invalid_request', 'target_currency', 'same_currency_twice')
  if (rateCurrency !== sourceCurrency && rateCurrency !== targetCurrency) {
    refuseField('invalid_request', 'rate_currency', 'rate_currency_of_pair')
  }
  const rate = asWritten(wanted.rate)
  if (kind === 'limit' && wanted.worstRate !== undefined) {
    refuseField('invalid_request', 'worst_rate', 'worst_rate_of_stop')
  }
  const given = kind === 'limit' ? rate : wanted.worstRate && asWritten(wanted.worstRate)
  const worstRate = given ?? worseByOnePercent(rate, rateCurrency === sourceCurrency)
  const [asked, worst] = [rate, worstRate].map((text) => towardsTarget(text, rateCurrency, sourceCurrency))
  if (!asked || !worst) throw new Error('an order has two rates')
  if (compareRates(worst, asked) > 0n) refuseField('invalid_request', 'worst_rate', 'worst_rate_better')
  const minimum = minimumOf(amount, targetCurrency, worst)
  const basisPoints = feeBasisPoints.stablecoin_bridge
  const fee = feeOf(amount, basisPoints)
  if (amount.minor + fee.minor > largestMinor) refuseField('invalid_request', 'amount', 'amount_too_large')
  // Of a limit order, what decides is the rate at which the least that has to arrive does arrive.
  const trigger = kind === 'limit' ? rateBetween(amount, minimum) : asked
  return { rate, worstRate, minimum, trigger, fee, feeBasisPoints: basisPoints }
}

function minimumOf(amount: Money, targetCurrency: CurrencyCode, worst: Ratio): Money {
  const minimum = convert(amount, targetCurrency, worst, 'up')
  return minimum.minor > largestMinor ? refuseField('invalid_request', 'amount', 'amount_too_large') : minimum
}

/** On which side of its rate an order is filled: limits at better ones, stops at worse ones. */
export const rateSideOf = (
  kind: OrderKind,
  rateCurrency: CurrencyCode,
  sourceCurrency: CurrencyCode,
): 'at_least' | 'at_most' => ((kind === 'limit') === (rateCurrency === sourceCurrency) ? 'at_least' : 'at_most')

const rankFactor = 10n ** 30n

/** A rate rounded down to 30 decimals: what an index finds triggers by, in order that their fractions decide. */
export const rankAt = ({ numerator, denominator }: Ratio): bigint => (numerator * rankFactor) / denominator

/** The same of the trigger of a row, as its index has it. */
export const rankOf = (row: string): string =>
  `div(${row}.trigger_numerator * ${String(rankFactor)}, ${row}.trigger_denominator)`

const percentPlaces = 2

/** How far `rate` is from `now`, in percent of that, with a sign where it is below. */
export function distancePercent(rate: Ratio, now: Ratio): string {
  const difference = compareRates(rate, now)
  if (difference === 0n) return toDecimalPlaces(ratio(1n, 10_000n), percentPlaces)
  const size = difference < 0n ? -difference : difference
  const text = toDecimalPlaces(ratio(size * 100n, now.numerator * rate.denominator), percentPlaces)
  return difference < 0n && /[1-9]/.test(text) ? `-${text}` : text
}
