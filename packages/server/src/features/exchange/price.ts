import { bridgeCurrency, type CurrencyCode, scaleOf } from '@tern/money/currency'
import { feeBasisPoints, feeOf, type SendRoute } from '@tern/money/fee'
import { add, largestMinor, type Money, money, subtract } from '@tern/money/money'
import { convert, crossRate } from '@tern/money/rate'
import { inverse, type Ratio, ratio, scaleBy } from '@tern/money/ratio'
import { amountText } from '../../platform/http/amount.ts'
import { refuseField } from '../../platform/refuse.ts'
import { lessSpread } from './rates/pair-rate.ts'
import type { Market } from './rates/rates.ts'

/** What crosses through the stablecoin: `inflow` is bought with the source, `outflow` is sold for the target. */
export interface BridgeCrossing {
  readonly inflow: Money
  readonly outflow: Money
  /** What rounding left over; it goes to the rounding account. Never negative. */
  readonly residue: Money
}

/** One exact price. The ledger, the preview, the review and the receipt all show this and nothing else. */
export interface Price {
  readonly route: SendRoute
  readonly source: Money
  readonly target: Money
  readonly crossing: BridgeCrossing | undefined
  /** Whole target units for one whole source unit: the mid-market rate less the spread. */
  readonly rate: Ratio
  readonly midMarketRate: Ratio
  readonly spreadPartsPerMillion: bigint
  readonly feeBasisPoints: bigint
  /** In the source currency, on top of `source`. */
  readonly fee: Money
  readonly total: Money
  /** What `source` is worth in US dollar cents, rounded up: what it counts against a limit. */
  readonly usdMinor: bigint
  /** Fee, spread and rounding together, in millionths of the source amount. */
  readonly costPartsPerMillion: bigint
}

export interface PriceRequest {
  readonly amount: Money
  /** Whether `amount` is what leaves (`source`) or what arrives (`target`). */
  readonly side: 'source' | 'target'
  readonly sourceCurrency: CurrencyCode
  readonly targetCurrency: CurrencyCode
  readonly useStablecoin: boolean
}

/** No price costs more than this in all; a smaller amount would lose more to the rounding of minor units. */
const highestCostPartsPerMillion = 30_000n

const routeOf = ({ sourceCurrency, targetCurrency, useStablecoin }: PriceRequest): SendRoute =>
  sourceCurrency === targetCurrency ? 'same_currency' : useStablecoin ? 'stablecoin_bridge' : 'direct_conversion'

function amounts(
  request: PriceRequest,
  route: SendRoute,
  market: Market,
): Pick<Price, 'source' | 'target' | 'crossing'> {
  const { amount, side, sourceCurrency, targetCurrency } = request
  if (route === 'same_currency') return { source: amount, target: amount, crossing: undefined }
  if (route === 'direct_conversion') {
    const rate = rateBetween(market, sourceCurrency, targetCurrency)
    return side === 'source'
      ? { source: amount, target: convert(amount, targetCurrency, rate, 'down'), crossing: undefined }
      : {
          source: convert(amount, sourceCurrency, inverse(rate), 'up'),
          target: amount,
          crossing: undefined,
        }
  }
  // The pair's spread is taken where its own money becomes, or ceases to be, the stablecoin.
  const spread = market.spreadOf(sourceCurrency, targetCurrency)
  const midInto = crossRate(market.usdValueOf, sourceCurrency, bridgeCurrency)
  const midOut = crossRate(market.usdValueOf, bridgeCurrency, targetCurrency)
  const intoBridge = sourceCurrency === bridgeCurrency ? midInto : lessSpread(midInto, spread)
  const outOfBridge = sourceCurrency === bridgeCurrency ? lessSpread(midOut, spread) : midOut
  const needed = (target: Money) => convert(target, bridgeCurrency, inverse(outOfBridge), 'up')
  const source = side === 'source' ? amount : convert(needed(amount), sourceCurrency, inverse(intoBridge), 'up')
  const inflow = convert(source, bridgeCurrency, intoBridge, 'down')
  const target = side === 'target' ? amount : convert(inflow, targetCurrency, outOfBridge, 'down')
  const outflow = needed(target)
  return { source, target, crossing: { inflow, outflow, residue: subtract(inflow, outflow) } }
}

/** The mid-market rate of the pair less its spread. */
const rateBetween = ({ usdValueOf, spreadOf }: Market, source: CurrencyCode, target: CurrencyCode): Ratio =>
  lessSpread(crossRate(usdValueOf, source, target), spreadOf(source, target))

/** What `target` is short of `source` at the mid-market `rate`, plus the fee, in millionths of `source`; rounded up. */
function costOf(source: Money, target: Money, rate: Ratio, fee: Money): bigint {
  const minorRate = {
    numerator: rate.numerator * 10n ** BigInt(scaleOf(target.currency)),
    denominator: rate.denominator * 10n ** BigInt(scaleOf(source.currency)),
  }
  // worth = target / minorRate in source minor units; cost = (source + fee − worth) / source
  const worthNumerator = target.minor * minorRate.denominator
  const costNumerator = (source.minor + fee.minor) * minorRate.numerator - worthNumerator
  const wholeNumerator = source.minor * minorRate.numerator
  return costNumerator <= 0n ? 0n : scaleBy(1_000_000n, ratio(costNumerator, wholeNumerator), 'up')
}

/** What is priced apart from the fee, whatever it costs. Refuses `amount_too_small` when nothing would arrive. */
function partsOf(request: PriceRequest, market: Market) {
  const route = routeOf(request)
  const { source, target, crossing } = amounts(request, route, market)
  if (source.minor <= 0n || target.minor <= 0n || crossing?.outflow.minor === 0n)
    return refuseField('amount_too_small', 'amount')
  const midMarketRate = crossRate(market.usdValueOf, source.currency, target.currency)
  const spreadPartsPerMillion = route === 'same_currency' ? 0n : market.spreadOf(source.currency, target.currency)
  const rate = lessSpread(midMarketRate, spreadPartsPerMillion)
  return { route, source, target, crossing, rate, midMarketRate, spreadPartsPerMillion }
}

/** With a fee on top of the source amount. */
function withFee(parts: ReturnType<typeof partsOf>, fee: Money) {
  const { source, target, midMarketRate } = parts
  const costPartsPerMillion = costOf(source, target, midMarketRate, fee)
  return { ...parts, fee, total: add(source, fee), costPartsPerMillion }
}

/** By the price list, but at least `smallestFee` minor units. */
const feeFor = ({ route, source }: Pick<Price, 'route' | 'source'>, smallestFee: bigint): Money => {
  const fee = feeOf(source, feeBasisPoints[route])
  return fee.minor < smallestFee ? money(source.currency, smallestFee) : fee
}

/**
 * The one formula for what a send or an exchange costs. Same currency 0.5 %, through the stablecoin bridge 1 %,
 * direct 2 %, of the source amount, on top, and at least `smallestFee` minor units. What arrives is rounded down, what is
 * charged half up; a price given by the target side rounds the source up. Refuses `amount_too_small` (field `amount`) when
 * nothing would arrive or when rounding, or the smallest fee, would make it cost more than 3 %.
 */
export function priceOf(request: PriceRequest, market: Market, smallestFee = 0n): Price {
  const parts = partsOf(request, market)
  const { route, source, target, crossing } = parts
  const price = withFee(parts, feeFor(parts, smallestFee))
  if ([price.total, target, crossing?.inflow].some((amount) => amount !== undefined && amount.minor > largestMinor)) {
    return refuseField('invalid_request', 'amount', 'amount_too_large')
  }
  if (price.costPartsPerMillion > highestCostPartsPerMillion) return refuseSmall(request, market, parts, smallestFee)
  return {
    ...price,
    feeBasisPoints: feeBasisPoints[route],
    usdMinor: convert(source, 'USD', crossRate(market.usdValueOf, source.currency, 'USD'), 'up').minor,
  }
}

/**
 * What was promised before, at the market of this moment: the same source amount, route and fee, and the same value towards
 * limits; only what arrives changes. It may cost more than 3 %. Refuses `amount_too_small` when nothing would arrive.
 */
export function priceAgain(promised: Price, market: Market): Price {
  return { ...promised, ...withFee(partsOf(requestAgain(promised), market), promised.fee) }
}

/** What `priceAgain` prices. */
export const requestAgain = ({ source, target, route }: Price): PriceRequest => ({
  ...{ amount: source, side: 'source', sourceCurrency: source.currency, targetCurrency: target.currency },
  useStablecoin: route !== 'direct_conversion',
})

/** Whether `now` gives as much as was promised, or falls short of it by at most so many millionths of the promise. */
export const keepsPromise = (promised: Price, now: Price, partsPerMillion: bigint): boolean =>
  now.target.minor * 1_000_000n >= promised.target.minor * (1_000_000n - partsPerMillion)

/** Refuses `amount_too_small`. Says how much is enough where it is the smallest fee that costs too much. */
function refuseSmall(
  request: PriceRequest,
  market: Market,
  parts: ReturnType<typeof partsOf>,
  smallestFee: bigint,
): never {
  const { source } = parts
  const isItsFee = withFee(parts, feeFor(parts, 0n)).costPartsPerMillion <= highestCostPartsPerMillion
  const least = isItsFee ? leastSource(request, market, source.currency, smallestFee) : undefined
  if (!least) return refuseField('amount_too_small', 'amount')
  return refuseField('amount_too_small', 'amount', { code: 'smallest_fee', params: { least: amountText(least) } })
}

/** Rounding makes the cost jump from one minor unit to the next; within so many of them it has settled. */
const mostTried = 1000n

/** The smallest source amount that costs no more than 3 % with the smallest fee; undefined when none is found. */
function leastSource(request: PriceRequest, market: Market, currency: CurrencyCode, smallestFee: bigint) {
  // Fewer minor units than these cost too much by the fee alone.
  const first = (smallestFee * 1_000_000n + highestCostPartsPerMillion - 1n) / highestCostPartsPerMillion
  for (let minor = first; minor < first + mostTried; minor += 1n) {
    const { source, target } = amounts(
      { ...request, amount: money(currency, minor), side: 'source' },
      routeOf(request),
      market,
    )
    if (target.minor <= 0n) continue
    const midMarketRate = crossRate(market.usdValueOf, source.currency, target.currency)
    const fee = feeFor({ route: routeOf(request), source }, smallestFee)
    if (costOf(source, target, midMarketRate, fee) <= highestCostPartsPerMillion) return source
  }
  return undefined
}
