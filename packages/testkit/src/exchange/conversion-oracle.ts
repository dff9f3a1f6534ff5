// Computes every conversion independently, with separate fractions, rounding and scales. Shares no code with
// packages/money or the exchange, so that it cannot repeat their errors.

/** Exact positive fraction, not reduced. */
export type Fraction = readonly [up: bigint, down: bigint]

/** Rates of all currencies at one time. */
export interface OracleMarket {
  /** US dollars per whole unit. */
  readonly usdValues: Readonly<Record<string, Fraction>>
  /** Returns the deduction from the rate of a pair, in millionths. */
  findSpread(from: string, to: string): bigint
}

export interface ConversionOrder {
  readonly from: string
  readonly to: string
  /** In minor units of `from` if `side` is `source`, otherwise of `to`. */
  readonly minor: bigint
  readonly side: 'source' | 'target'
  readonly viaStablecoin: boolean
}

/** Expected result of a conversion; all amounts in minor units. */
export interface ExpectedConversion {
  readonly source: bigint
  readonly target: bigint
  /** Stablecoin bought with the source and sold for the target. */
  readonly bridgeAmounts: { readonly inflow: bigint; readonly outflow: bigint } | undefined
  readonly midMarketRate: Fraction
  readonly rate: Fraction
  readonly spreadMillionths: bigint
  readonly feeBasisPoints: bigint
  readonly fee: bigint
  readonly usdCents: bigint
  readonly costMillionths: bigint
}

export const scales: Readonly<Record<string, bigint>> = {
  ...{ USD: 2n, GBP: 2n, CAD: 2n, AUD: 2n, EUR: 2n, JPY: 0n, SGD: 2n, INR: 2n, BRL: 2n },
  ...{ USDT: 6n, USDC: 6n, BTC: 8n, ETH: 18n },
}

const largestAmount = 10n ** 30n
const million = 1_000_000n
const unity: Fraction = [1n, 1n]

const multiply = (a: Fraction, b: Fraction): Fraction => [a[0] * b[0], a[1] * b[1]]
const divide = (a: Fraction, b: Fraction): Fraction => [a[0] * b[1], a[1] * b[0]]
const floor = ([numerator, denominator]: Fraction): bigint => numerator / denominator
const ceiling = ([numerator, denominator]: Fraction): bigint =>
  numerator % denominator === 0n ? numerator / denominator : numerator / denominator + 1n
/** Rounds to the nearest integer, halves up. */
const roundHalfUp = ([numerator, denominator]: Fraction): bigint => (2n * numerator + denominator) / (2n * denominator)
export const isEqual = (a: Fraction, b: Fraction): boolean => a[0] * b[1] === b[0] * a[1]

const findScale = (currency: string): bigint => scales[currency] ?? fail(`${currency} has no scale`)
const valueOf = ({ usdValues }: OracleMarket, currency: string): Fraction =>
  usdValues[currency] ?? fail(`${currency} has no value`)

function fail(sentence: string): never {
  throw new Error(sentence)
}

const subtractSpread = (rate: Fraction, millionths: bigint): Fraction => multiply(rate, [million - millionths, million])

/** Converts a rate of whole units to a rate of minor units. */
const toMinorRate = (rate: Fraction, from: string, to: string): Fraction =>
  multiply(rate, [10n ** findScale(to), 10n ** findScale(from)])

/** Returns the value of an amount in US dollars. */
export const computeUsdValue = (market: OracleMarket, currency: string, minor: bigint): Fraction =>
  multiply(valueOf(market, currency), [minor, 10n ** findScale(currency)])

type Amounts = Pick<ExpectedConversion, 'source' | 'target' | 'bridgeAmounts'>

/** Applies the rate once. For a fixed target, the source is the smallest sufficient amount. */
function computeDirectAmounts({ from, to, minor, side }: ConversionOrder, rate: Fraction): Amounts {
  const perMinor = toMinorRate(rate, from, to)
  return side === 'source'
    ? { source: minor, target: floor(multiply([minor, 1n], perMinor)), bridgeAmounts: undefined }
    : { source: ceiling(divide([minor, 1n], perMinor)), target: minor, bridgeAmounts: undefined }
}

/** Converts in two steps, each rounded to minor units in the product's favor. */
function computeBridgedAmounts(order: ConversionOrder, market: OracleMarket, spread: bigint): Amounts {
  const { from, to, minor, side } = order
  const stablecoin = valueOf(market, 'USDT')
  const stablecoinPerSource = divide(valueOf(market, from), stablecoin)
  const targetPerStablecoin = divide(stablecoin, valueOf(market, to))
  // If the source is the stablecoin itself, the spread applies when it is sold.
  const rateIntoBridge = toMinorRate(
    from === 'USDT' ? unity : subtractSpread(stablecoinPerSource, spread),
    from,
    'USDT',
  )
  const rateOutOfBridge = toMinorRate(
    from === 'USDT' ? subtractSpread(targetPerStablecoin, spread) : targetPerStablecoin,
    'USDT',
    to,
  )
  const computeBridgeAmount = (target: bigint) => ceiling(divide([target, 1n], rateOutOfBridge))
  const source = side === 'source' ? minor : ceiling(divide([computeBridgeAmount(minor), 1n], rateIntoBridge))
  const inflow = floor(multiply([source, 1n], rateIntoBridge))
  const target = side === 'target' ? minor : floor(multiply([inflow, 1n], rateOutOfBridge))
  return { source, target, bridgeAmounts: { inflow, outflow: computeBridgeAmount(target) } }
}

function computeAmounts(order: ConversionOrder, market: OracleMarket, rate: Fraction, spread: bigint): Amounts {
  const { from, to, minor, viaStablecoin } = order
  if (from === to) return { source: minor, target: minor, bridgeAmounts: undefined }
  return viaStablecoin ? computeBridgedAmounts(order, market, spread) : computeDirectAmounts(order, rate)
}

/**
 * Returns the conversion. Refused as `too_small` if nothing would arrive or if it would cost over 3 %, and as
 * `too_large` for an amount above 10^30.
 */
export function computeExpectedConversion(
  order: ConversionOrder,
  market: OracleMarket,
): ExpectedConversion | 'too_small' | 'too_large' {
  const { from, to, viaStablecoin } = order
  const spreadMillionths = from === to ? 0n : market.findSpread(from, to)
  const midMarketRate = divide(valueOf(market, from), valueOf(market, to))
  const rate = subtractSpread(midMarketRate, spreadMillionths)
  const { source, target, bridgeAmounts } = computeAmounts(order, market, rate, spreadMillionths)
  if (source <= 0n || target <= 0n || bridgeAmounts?.outflow === 0n) return 'too_small'
  const feeBasisPoints = from === to ? 50n : viaStablecoin ? 100n : 200n
  const fee = roundHalfUp([source * feeBasisPoints, 10_000n])
  if ([source + fee, target, bridgeAmounts?.inflow ?? 0n].some((amount) => amount > largestAmount)) return 'too_large'
  // Loss in dollars: the value paid minus the value that arrives.
  const paidValue = computeUsdValue(market, from, source + fee)
  const arrivedValue = computeUsdValue(market, to, target)
  const loss: Fraction = [
    paidValue[0] * arrivedValue[1] - arrivedValue[0] * paidValue[1],
    paidValue[1] * arrivedValue[1],
  ]
  const cost = ceiling(divide(multiply(loss, [million, 1n]), computeUsdValue(market, from, source)))
  const costMillionths = loss[0] <= 0n ? 0n : cost
  if (costMillionths > 30_000n) return 'too_small'
  const usdCents = ceiling(multiply(divide(computeUsdValue(market, from, source), valueOf(market, 'USD')), [100n, 1n]))
  return {
    ...{ source, target, bridgeAmounts, midMarketRate, rate, spreadMillionths, feeBasisPoints, fee, usdCents },
    costMillionths,
  }
}

/** Returns the change of each account by name, in minor units. */
export function computeExpectedBookings(
  { from, to }: ConversionOrder,
  { source, target, bridgeAmounts, fee }: ExpectedConversion,
  { payer, payee }: { readonly payer: string; readonly payee: string },
): Map<string, bigint> {
  const gains = new Map<string, bigint>()
  const addGain = (account: string, amount: bigint) => gains.set(account, (gains.get(account) ?? 0n) + amount)
  addGain(payer, -source - fee)
  addGain(`fee:${from}`, fee)
  // With a USDT source, the USDT enter through the bridge USDT/USDT; with a USDT target, no bridge account pays them
  // out.
  if (from !== to) addGain(bridgeAmounts && from === 'USDT' ? 'bridge:USDT/USDT' : `bridge:${from}`, source)
  if (from !== to && !(bridgeAmounts && to === 'USDT')) addGain(`bridge:${to}`, -target)
  if (bridgeAmounts) {
    addGain(`bridge:${from}/USDT`, -bridgeAmounts.inflow)
    if (to !== 'USDT') addGain(`bridge:${to}/USDT`, bridgeAmounts.outflow)
    addGain('rounding:USDT', bridgeAmounts.inflow - bridgeAmounts.outflow)
  }
  addGain(payee, target)
  return new Map([...gains].filter(([, amount]) => amount !== 0n))
}

/** Formats minor units with all decimals of their currency. */
export function formatMinor(currency: string, minor: bigint): string {
  return formatWithPlaces(minor, findScale(currency))
}

function formatWithPlaces(scaledValue: bigint, places: bigint): string {
  if (places === 0n) return String(scaledValue)
  const unit = 10n ** places
  const fraction = String(scaledValue % unit)
  return `${scaledValue / unit}.${'0'.repeat(String(unit).length - 1 - fraction.length)}${fraction}`
}

/** Formats a rate for display: twelve decimals, without trailing zeros beyond the fourth. */
export function formatRate([numerator, denominator]: Fraction): string {
  let text = formatWithPlaces(roundHalfUp([numerator * 10n ** 12n, denominator]), 12n)
  while (text.endsWith('0') && text.length - text.indexOf('.') > 5) text = text.slice(0, -1)
  return text
}

/** Formats millionths as a percentage with two decimals. */
export const formatPercent = (millionths: bigint): string => formatWithPlaces(roundHalfUp([millionths, 100n]), 2n)
