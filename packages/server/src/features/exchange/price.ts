import { bridgeCurrency, type CurrencyCode, scaleOf } from '@tern/money/currency'
import { feeBasisPoints, feeOf, type SendRoute } from '@tern/money/fee'
import { add, largestMinor, type Money, subtract } from '@tern/money/money'
import { convert, crossRate, type UsdValues } from '@tern/money/rate'
import { type Ratio, ratio, scaleBy } from '@tern/money/ratio'
import { refuseField } from '../../platform/refuse.ts'

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
  /** Whole target units for one whole source unit; the mid-market rate, with nothing folded into it. */
  readonly rate: Ratio
  readonly feeBasisPoints: bigint
  /** In the source currency, on top of `source`. */
  readonly fee: Money
  readonly total: Money
  /** What `source` is worth in US dollar cents, rounded up: what it counts against a limit. */
  readonly usdMinor: bigint
  /** Fee and rounding together, in millionths of the source amount. */
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
  values: UsdValues,
): Pick<Price, 'source' | 'target' | 'crossing'> {
  const { amount, side, sourceCurrency, targetCurrency } = request
  if (route === 'same_currency') return { source: amount, target: amount, crossing: undefined }
  if (route === 'direct_conversion') {
    const rate = crossRate(values, sourceCurrency, targetCurrency)
    return side === 'source'
      ? { source: amount, target: convert(amount, targetCurrency, rate, 'down'), crossing: undefined }
      : {
          source: convert(amount, sourceCurrency, crossRate(values, targetCurrency, sourceCurrency), 'up'),
          target: amount,
          crossing: undefined,
        }
  }
  const intoBridge = crossRate(values, sourceCurrency, bridgeCurrency)
  const outOfBridge = crossRate(values, bridgeCurrency, targetCurrency)
  const needed = (target: Money) =>
    convert(target, bridgeCurrency, crossRate(values, targetCurrency, bridgeCurrency), 'up')
  const source =
    side === 'source'
      ? amount
      : convert(needed(amount), sourceCurrency, crossRate(values, bridgeCurrency, sourceCurrency), 'up')
  const inflow = convert(source, bridgeCurrency, intoBridge, 'down')
  const target = side === 'target' ? amount : convert(inflow, targetCurrency, outOfBridge, 'down')
  const outflow = needed(target)
  return { source, target, crossing: { inflow, outflow, residue: subtract(inflow, outflow) } }
}

/** What `target` is short of `source` at `rate`, plus the fee, in millionths of `source`; rounded up. */
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
export function priceOf(request: PriceRequest, values: UsdValues): Price {
  const route = routeOf(request)
  const { source, target, crossing } = amounts(request, route, values)
  if (source.minor <= 0n || target.minor <= 0n || crossing?.outflow.minor === 0n)
    return refuseField('amount_too_small', 'amount')
  const rate = crossRate(values, request.sourceCurrency, request.targetCurrency)
  const basisPoints = feeBasisPoints[route]
  const fee = feeOf(source, basisPoints)
  const total = add(source, fee)
  if ([total, target, crossing?.inflow].some((amount) => amount !== undefined && amount.minor > largestMinor)) {
    return refuseField('invalid_request', 'amount', 'amount_too_large')
  }
  const costPartsPerMillion = costOf(source, target, rate, fee)
  if (costPartsPerMillion > highestCostPartsPerMillion) return refuseField('amount_too_small', 'amount')
  return {
    route,
    source,
    target,
    crossing,
    rate,
    feeBasisPoints: basisPoints,
    fee,
    total,
    usdMinor: convert(source, 'USD', crossRate(values, source.currency, 'USD'), 'up').minor,
    costPartsPerMillion,
  }
}
