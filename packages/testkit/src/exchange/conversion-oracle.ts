// Computes every conversion independently, with its own fractions, rounding and scales. It shares no code with
// packages/money or the exchange, so that it repeats none of their errors.

/** An exact positive fraction, not reduced. */
export type Fraction = readonly [up: bigint, down: bigint]

/** Rates at one time, used by all conversions. */
export interface OracleMarket {
  /** US dollars for one whole unit. */
  readonly usdValues: Readonly<Record<string, Fraction>>
  /** Deduction from the rate of a pair, in millionths. */
  spreadOf(from: string, to: string): bigint
}

export interface ConversionOrder {
  readonly from: string
  readonly to: string
  /** Minor units of `from` if `side` is `source`, else of `to`. */
  readonly minor: bigint
  readonly side: 'source' | 'target'
  readonly viaStablecoin: boolean
}

/** All amounts in minor units. */
export interface ExpectedConversion {
  readonly source: bigint
  readonly target: bigint
  /** Stablecoin bought with the source and sold for the target. */
  readonly crossing: { readonly inflow: bigint; readonly outflow: bigint } | undefined
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
const one: Fraction = [1n, 1n]

const times = (a: Fraction, b: Fraction): Fraction => [a[0] * b[0], a[1] * b[1]]
const over = (a: Fraction, b: Fraction): Fraction => [a[0] * b[1], a[1] * b[0]]
const floor = ([up, down]: Fraction): bigint => up / down
const ceiling = ([up, down]: Fraction): bigint => (up % down === 0n ? up / down : up / down + 1n)
/** Rounds to the nearest integer, halves up. */
const nearest = ([up, down]: Fraction): bigint => (2n * up + down) / (2n * down)
/** Exact comparison. */
export const isSame = (a: Fraction, b: Fraction): boolean => a[0] * b[1] === b[0] * a[1]

const scaleOf = (currency: string): bigint => scales[currency] ?? fail(`${currency} has no scale`)
const valueOf = ({ usdValues }: OracleMarket, currency: string): Fraction =>
  usdValues[currency] ?? fail(`${currency} has no value`)

function fail(sentence: string): never {
  throw new Error(sentence)
}

const withoutSpread = (rate: Fraction, millionths: bigint): Fraction => times(rate, [million - millionths, million])

/** Converts a rate between whole units to one between minor units. */
const inMinorUnits = (rate: Fraction, from: string, to: string): Fraction =>
  times(rate, [10n ** scaleOf(to), 10n ** scaleOf(from)])

/** The value of an amount in US dollars. */
export const computeWorth = (market: OracleMarket, currency: string, minor: bigint): Fraction =>
  times(valueOf(market, currency), [minor, 10n ** scaleOf(currency)])

type Amounts = Pick<ExpectedConversion, 'source' | 'target' | 'crossing'>

/** The rate is applied once; for a fixed target, the source is the least sufficient amount. */
function directAmounts({ from, to, minor, side }: ConversionOrder, rate: Fraction): Amounts {
  const perMinor = inMinorUnits(rate, from, to)
  return side === 'source'
    ? { source: minor, target: floor(times([minor, 1n], perMinor)), crossing: undefined }
    : { source: ceiling(over([minor, 1n], perMinor)), target: minor, crossing: undefined }
}

/** Two steps, each rounded to whole minor units in the product's favor. */
function bridgedAmounts(order: ConversionOrder, market: OracleMarket, spread: bigint): Amounts {
  const { from, to, minor, side } = order
  const stablecoin = valueOf(market, 'USDT')
  const bought = over(valueOf(market, from), stablecoin)
  const sold = over(stablecoin, valueOf(market, to))
  // A payer who pays with the stablecoin itself loses the spread when it is sold.
  const into = inMinorUnits(from === 'USDT' ? one : withoutSpread(bought, spread), from, 'USDT')
  const outOf = inMinorUnits(from === 'USDT' ? withoutSpread(sold, spread) : sold, 'USDT', to)
  const neededFor = (target: bigint) => ceiling(over([target, 1n], outOf))
  const source = side === 'source' ? minor : ceiling(over([neededFor(minor), 1n], into))
  const inflow = floor(times([source, 1n], into))
  const target = side === 'target' ? minor : floor(times([inflow, 1n], outOf))
  return { source, target, crossing: { inflow, outflow: neededFor(target) } }
}

function computeAmounts(order: ConversionOrder, market: OracleMarket, rate: Fraction, spread: bigint): Amounts {
  const { from, to, minor, viaStablecoin } = order
  if (from === to) return { source: minor, target: minor, crossing: undefined }
  return viaStablecoin ? bridgedAmounts(order, market, spread) : directAmounts(order, rate)
}

/**
 * Returns the conversion, or why there is none: nothing would arrive, it would cost over 3 %, or an amount is beyond
 * 10^30.
 */
export function expectedConversion(
  order: ConversionOrder,
  market: OracleMarket,
): ExpectedConversion | 'too_small' | 'too_large' {
  const { from, to, viaStablecoin } = order
  const spreadMillionths = from === to ? 0n : market.spreadOf(from, to)
  const midMarketRate = over(valueOf(market, from), valueOf(market, to))
  const rate = withoutSpread(midMarketRate, spreadMillionths)
  const { source, target, crossing } = computeAmounts(order, market, rate, spreadMillionths)
  if (source <= 0n || target <= 0n || crossing?.outflow === 0n) return 'too_small'
  const feeBasisPoints = from === to ? 50n : viaStablecoin ? 100n : 200n
  const fee = nearest([source * feeBasisPoints, 10_000n])
  if ([source + fee, target, crossing?.inflow ?? 0n].some((amount) => amount > largestAmount)) return 'too_large'
  // Loss in dollars: the value paid less the value that arrives.
  const paid = computeWorth(market, from, source + fee)
  const arrived = computeWorth(market, to, target)
  const lost: Fraction = [paid[0] * arrived[1] - arrived[0] * paid[1], paid[1] * arrived[1]]
  const cost = ceiling(over(times(lost, [million, 1n]), computeWorth(market, from, source)))
  const costMillionths = lost[0] <= 0n ? 0n : cost
  if (costMillionths > 30_000n) return 'too_small'
  const usdCents = ceiling(times(over(computeWorth(market, from, source), valueOf(market, 'USD')), [100n, 1n]))
  return {
    ...{ source, target, crossing, midMarketRate, rate, spreadMillionths, feeBasisPoints, fee, usdCents },
    costMillionths,
  }
}

/** Returns the gain or loss of each account, by name. */
export function expectedBookings(
  { from, to }: ConversionOrder,
  { source, target, crossing, fee }: ExpectedConversion,
  { payer, payee }: { readonly payer: string; readonly payee: string },
): Map<string, bigint> {
  const sums = new Map<string, bigint>()
  const book = (account: string, amount: bigint) => sums.set(account, (sums.get(account) ?? 0n) + amount)
  book(payer, -source - fee)
  book(`fee:${from}`, fee)
  // A USDT source enters through its own bridge; a USDT target has no bridge.
  if (from !== to) book(crossing && from === 'USDT' ? 'bridge:USDT/USDT' : `bridge:${from}`, source)
  if (from !== to && !(crossing && to === 'USDT')) book(`bridge:${to}`, -target)
  if (crossing) {
    book(`bridge:${from}/USDT`, -crossing.inflow)
    if (to !== 'USDT') book(`bridge:${to}/USDT`, crossing.outflow)
    book('rounding:USDT', crossing.inflow - crossing.outflow)
  }
  book(payee, target)
  return new Map([...sums].filter(([, amount]) => amount !== 0n))
}

/** Minor units with all decimals of their currency. */
export function formatMinor(currency: string, minor: bigint): string {
  return withPlaces(minor, scaleOf(currency))
}

function withPlaces(whole: bigint, places: bigint): string {
  if (places === 0n) return String(whole)
  const unit = 10n ** places
  const rest = String(whole % unit)
  return `${whole / unit}.${'0'.repeat(String(unit).length - 1 - rest.length)}${rest}`
}

/** Formats a rate for readers: twelve decimals, without trailing zeros beyond the fourth. */
export function rateText([up, down]: Fraction): string {
  let text = withPlaces(nearest([up * 10n ** 12n, down]), 12n)
  while (text.endsWith('0') && text.length - text.indexOf('.') > 5) text = text.slice(0, -1)
  return text
}

/** Millionths as a percentage with two decimals. */
export const percentText = (millionths: bigint): string => withPlaces(nearest([millionths, 100n]), 2n)
