import { bridgeCurrency, type CurrencyCode, scaleOf } from '@tern/money/currency'
import { feeBasisPoints, feeOf, type SendRoute } from '@tern/money/fee'
import { add, largestMinor, type Money, subtract } from '@tern/money/money'
import { convert, crossRate } from '@tern/money/rate'
import { inverse, type Ratio, ratio, scaleBy } from '@tern/money/ratio'
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

/**
 * The one formula for what a send or an exchange costs. Same currency 0.5 %, through the stablecoin bridge 1 %,
 * direct 2 %, of the source amount, on top. What arrives is rounded down, what is charged half up; a price given by the
 * target side rounds the source up. Refuses `amount_too_small` (field `amount`) when nothing would arrive or when
 * rounding would make it cost more than 3 %.
 */
export function priceOf(request: PriceRequest, market: Market): Price {
  const route = routeOf(request)
  const { source, target, crossing } = amounts(request, route, market)
  if (source.minor <= 0n || target.minor <= 0n || crossing?.outflow.minor === 0n)
    return refuseField('amount_too_small', 'amount')
  const midMarketRate = crossRate(market.usdValueOf, source.currency, target.currency)
  const spreadPartsPerMillion = route === 'same_currency' ? 0n : market.spreadOf(source.currency, target.currency)
  const basisPoints = feeBasisPoints[route]
  const fee = feeOf(source, basisPoints)
  const total = add(source, fee)
  if ([total, target, crossing?.inflow].some((amount) => amount !== undefined && amount.minor > largestMinor)) {
    return refuseField('invalid_request', 'amount', 'amount_too_large')
  }
  const costPartsPerMillion = costOf(source, target, midMarketRate, fee)
  if (costPartsPerMillion > highestCostPartsPerMillion) return refuseField('amount_too_small', 'amount')
  return {
    route,
    source,
    target,
    crossing,
    rate: lessSpread(midMarketRate, spreadPartsPerMillion),
    midMarketRate,
    spreadPartsPerMillion,
    feeBasisPoints: basisPoints,
    fee,
    total,
    usdMinor: convert(source, 'USD', crossRate(market.usdValueOf, source.currency, 'USD'), 'up').minor,
    costPartsPerMillion,
  }
}
