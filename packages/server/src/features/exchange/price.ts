import { bridgeCurrency, type CurrencyCode, scaleOf } from '@tern/money/currency'
import { feeBasisPoints, computeFee, type SendRoute } from '@tern/money/fee'
import { add, largestMinor, type Money, money, subtract } from '@tern/money/money'
import { convert, crossRate } from '@tern/money/rate'
import { inverse, type Ratio, ratio, scaleBy } from '@tern/money/ratio'
import { amountText } from '../../platform/http/amount.ts'
import { refuseField } from '../../platform/refuse.ts'
import { subtractSpread } from './rates/pair-rate.ts'
import type { Market } from './rates/rates.ts'

/** Conversion through the stablecoin: `inflow` is bought with the source, `outflow` is sold for the target. */
export interface BridgeCrossing {
  readonly inflow: Money
  readonly outflow: Money
  /** `inflow` minus `outflow`, posted to the rounding account; never negative. */
  readonly residue: Money
}

/** Exact price, from which the ledger, previews and receipts take all amounts. */
export interface Price {
  readonly route: SendRoute
  readonly source: Money
  readonly target: Money
  readonly crossing: BridgeCrossing | undefined
  /** Whole target units per whole source unit: the mid-market rate less the spread. */
  readonly rate: Ratio
  readonly midMarketRate: Ratio
  readonly spreadPartsPerMillion: bigint
  readonly feeBasisPoints: bigint
  /** In the source currency, paid on top of `source`. */
  readonly fee: Money
  readonly total: Money
  /** Value of `source` in US dollar cents, rounded up, for limits. */
  readonly usdMinor: bigint
  /** Total cost (fee, spread and rounding) in millionths of the source amount. */
  readonly costPartsPerMillion: bigint
}

export interface PriceRequest {
  readonly amount: Money
  /** Which amount is given: `source`, which leaves, or `target`, which arrives. */
  readonly side: 'source' | 'target'
  readonly sourceCurrency: CurrencyCode
  readonly targetCurrency: CurrencyCode
  readonly useStablecoin: boolean
}

/** Highest total cost of a new price: 3 %. Amounts so small that fee and rounding exceed it are refused. */
const highestCostPartsPerMillion = 30_000n

const chooseRoute = ({ sourceCurrency, targetCurrency, useStablecoin }: PriceRequest): SendRoute =>
  sourceCurrency === targetCurrency ? 'same_currency' : useStablecoin ? 'stablecoin_bridge' : 'direct_conversion'

function computeAmounts(
  request: PriceRequest,
  route: SendRoute,
  market: Market,
): Pick<Price, 'source' | 'target' | 'crossing'> {
  const { amount, side, sourceCurrency, targetCurrency } = request
  if (route === 'same_currency') return { source: amount, target: amount, crossing: undefined }
  if (route === 'direct_conversion') {
    const rate = customerRate(market, sourceCurrency, targetCurrency)
    return side === 'source'
      ? { source: amount, target: convert(amount, targetCurrency, rate, 'down'), crossing: undefined }
      : {
          source: convert(amount, sourceCurrency, inverse(rate), 'up'),
          target: amount,
          crossing: undefined,
        }
  }
  // The spread applies once: on the way into the stablecoin, or on the way out if the source is the stablecoin.
  const spread = market.spreadOf(sourceCurrency, targetCurrency)
  const midRateToBridge = crossRate(market.usdValueOf, sourceCurrency, bridgeCurrency)
  const midRateFromBridge = crossRate(market.usdValueOf, bridgeCurrency, targetCurrency)
  const rateToBridge = sourceCurrency === bridgeCurrency ? midRateToBridge : subtractSpread(midRateToBridge, spread)
  const rateFromBridge =
    sourceCurrency === bridgeCurrency ? subtractSpread(midRateFromBridge, spread) : midRateFromBridge
  const computeOutflow = (target: Money) => convert(target, bridgeCurrency, inverse(rateFromBridge), 'up')
  const source =
    side === 'source' ? amount : convert(computeOutflow(amount), sourceCurrency, inverse(rateToBridge), 'up')
  const inflow = convert(source, bridgeCurrency, rateToBridge, 'down')
  const target = side === 'target' ? amount : convert(inflow, targetCurrency, rateFromBridge, 'down')
  const outflow = computeOutflow(target)
  return { source, target, crossing: { inflow, outflow, residue: subtract(inflow, outflow) } }
}

/** Returns the mid-market rate of a pair less its spread. */
const customerRate = ({ usdValueOf, spreadOf }: Market, source: CurrencyCode, target: CurrencyCode): Ratio =>
  subtractSpread(crossRate(usdValueOf, source, target), spreadOf(source, target))

/**
 * Returns the total cost in millionths of `source`, rounded up: the fee, and the shortfall of `target` at the
 * mid-market `rate`.
 */
function computeCost(source: Money, target: Money, rate: Ratio, fee: Money): bigint {
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

/** Returns a price without its fee, whatever it costs. Refuses `amount_too_small` if nothing would arrive. */
function computeParts(request: PriceRequest, market: Market) {
  const route = chooseRoute(request)
  const { source, target, crossing } = computeAmounts(request, route, market)
  if (source.minor <= 0n || target.minor <= 0n || crossing?.outflow.minor === 0n)
    return refuseField('amount_too_small', 'amount')
  const midMarketRate = crossRate(market.usdValueOf, source.currency, target.currency)
  const spreadPartsPerMillion = route === 'same_currency' ? 0n : market.spreadOf(source.currency, target.currency)
  const rate = subtractSpread(midMarketRate, spreadPartsPerMillion)
  return { route, source, target, crossing, rate, midMarketRate, spreadPartsPerMillion }
}

/** Adds a fee, the total with the fee, and the total cost. */
function addFee(parts: ReturnType<typeof computeParts>, fee: Money) {
  const { source, target, midMarketRate } = parts
  const costPartsPerMillion = computeCost(source, target, midMarketRate, fee)
  return { ...parts, fee, total: add(source, fee), costPartsPerMillion }
}

/** Returns the fee of the price list, but at least `smallestFee` minor units. */
const computePriceFee = ({ route, source }: Pick<Price, 'route' | 'source'>, smallestFee: bigint): Money => {
  const fee = computeFee(source, feeBasisPoints[route])
  return fee.minor < smallestFee ? money(source.currency, smallestFee) : fee
}

/**
 * Returns the price of a send or exchange. The fee is added to the source amount: 0.5 % within a currency, 1 % through
 * the stablecoin bridge, 2 % for a direct conversion, and at least `smallestFee` minor units. Rounds the target down,
 * the fee half up, and a computed source up. Refuses `amount_too_small` (field `amount`) if nothing would arrive or the
 * total cost would exceed 3 %, and `invalid_request` above the largest amount of the ledger.
 */
export function computePrice(request: PriceRequest, market: Market, smallestFee = 0n): Price {
  const parts = computeParts(request, market)
  const { route, source, target, crossing } = parts
  const price = addFee(parts, computePriceFee(parts, smallestFee))
  if ([price.total, target, crossing?.inflow].some((amount) => amount !== undefined && amount.minor > largestMinor)) {
    return refuseField('invalid_request', 'amount', 'amount_too_large')
  }
  if (price.costPartsPerMillion > highestCostPartsPerMillion) return refuseTooSmall(request, market, parts, smallestFee)
  return {
    ...price,
    feeBasisPoints: feeBasisPoints[route],
    usdMinor: convert(source, 'USD', crossRate(market.usdValueOf, source.currency, 'USD'), 'up').minor,
  }
}

/**
 * Reprices a promised price at current rates. Source amount, route, fee and US dollar value stay; the rates and the
 * target change. The cost may exceed 3 %. Refuses `amount_too_small` if nothing would arrive.
 */
export function repriceAtCurrentRates(promisedPrice: Price, market: Market): Price {
  return { ...promisedPrice, ...addFee(computeParts(repriceRequest(promisedPrice), market), promisedPrice.fee) }
}

export const repriceRequest = ({ source, target, route }: Price): PriceRequest => ({
  ...{ amount: source, side: 'source', sourceCurrency: source.currency, targetCurrency: target.currency },
  useStablecoin: route !== 'direct_conversion',
})

/** Returns whether `now` gives at least the promised target amount, less a tolerance in millionths. */
export const isWithinPriceTolerance = (promisedPrice: Price, now: Price, partsPerMillion: bigint): boolean =>
  now.target.minor * 1_000_000n >= promisedPrice.target.minor * (1_000_000n - partsPerMillion)

/** Refuses `amount_too_small`, with the least possible amount if the smallest fee is the cause. */
function refuseTooSmall(
  request: PriceRequest,
  market: Market,
  parts: ReturnType<typeof computeParts>,
  smallestFee: bigint,
): never {
  const { source } = parts
  const isFeeTheCause = addFee(parts, computePriceFee(parts, 0n)).costPartsPerMillion <= highestCostPartsPerMillion
  const minSource = isFeeTheCause ? findMinSource(request, market, source.currency, smallestFee) : undefined
  if (!minSource) return refuseField('amount_too_small', 'amount')
  return refuseField('amount_too_small', 'amount', { code: 'smallest_fee', params: { least: amountText(minSource) } })
}

/** Number of amounts to try: rounding makes the cost rise and fall between neighbouring small amounts. */
const maxAttempts = 1000n

/** Returns the smallest source amount whose cost with the smallest fee is at most 3 %; undefined if none is found. */
function findMinSource(request: PriceRequest, market: Market, currency: CurrencyCode, smallestFee: bigint) {
  // Below this amount, the smallest fee alone costs more than 3 %.
  const first = (smallestFee * 1_000_000n + highestCostPartsPerMillion - 1n) / highestCostPartsPerMillion
  for (let minor = first; minor < first + maxAttempts; minor += 1n) {
    const { source, target } = computeAmounts(
      { ...request, amount: money(currency, minor), side: 'source' },
      chooseRoute(request),
      market,
    )
    if (target.minor <= 0n) continue
    const midMarketRate = crossRate(market.usdValueOf, source.currency, target.currency)
    const fee = computePriceFee({ route: chooseRoute(request), source }, smallestFee)
    if (computeCost(source, target, midMarketRate, fee) <= highestCostPartsPerMillion) return source
  }
  return undefined
}
