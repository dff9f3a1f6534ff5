// Second implementation of prices, independent of the product's so that it does not repeat its errors.

/** US dollar value of one whole unit, as numerator and denominator. */
export type Rates = Readonly<Record<string, readonly [numerator: bigint, denominator: bigint]>>

export interface PricedOrder {
  readonly sourceCurrency: string
  /** In minor units. */
  readonly source: bigint
  readonly targetCurrency: string
  readonly viaStablecoin: boolean
}

/** Price in minor units: `target` of the target currency, `fee` of the source currency, `usd` in US cents. */
export interface ExpectedPrice {
  readonly target: bigint
  readonly fee: bigint
  /** Limit usage of the source amount, in US cents. */
  readonly usd: bigint
}

const cryptoDecimals: Readonly<Record<string, number>> = { USDT: 6, USDC: 6, BTC: 8, ETH: 18 }
const decimals: Readonly<Record<string, number>> = {
  ...{ USD: 2, GBP: 2, CAD: 2, AUD: 2, EUR: 2, SGD: 2, INR: 2, BRL: 2, JPY: 0 },
  ...cryptoDecimals,
}

export const isCrypto = (currency: string): boolean => currency in cryptoDecimals

/** Parses `12.34` as 1234 for two decimals. */
export function parseMinor(currency: string, decimal: string): bigint {
  const [integerPart = '', fraction = ''] = decimal.split('.')
  return BigInt(integerPart + fraction.padEnd(requireDecimals(currency), '0'))
}

/** Formats 1234 as `12.34` for two decimals. */
export function formatMinor(currency: string, minor: bigint): string {
  const places = requireDecimals(currency)
  const digits = String(minor).padStart(places + 1, '0')
  return places === 0 ? digits : `${digits.slice(0, -places)}.${digits.slice(-places)}`
}

function requireDecimals(currency: string): number {
  const places = decimals[currency]
  if (places === undefined) throw new Error(`${currency} is no currency of the product`)
  return places
}

const computeUnit = (currency: string): bigint => 10n ** BigInt(requireDecimals(currency))

/** Converts minor units to another currency's, as an unrounded fraction. */
function convertMinor(minor: bigint, from: string, to: string, rates: Rates): [numerator: bigint, denominator: bigint] {
  const [fromNumerator, fromDenominator] = rates[from] ?? []
  const [toNumerator, toDenominator] = rates[to] ?? []
  if (!fromNumerator || !fromDenominator || !toNumerator || !toDenominator)
    throw new Error(`there is no rate of ${from} to ${to}`)
  return [minor * fromNumerator * toDenominator * computeUnit(to), fromDenominator * toNumerator * computeUnit(from)]
}

function convertRoundedDown(minor: bigint, from: string, to: string, rates: Rates): bigint {
  const [numerator, denominator] = convertMinor(minor, from, to, rates)
  return numerator / denominator
}

/** Returns the price of a send or exchange: target rounded down, fee half up, dollar value up. */
export function computeExpectedPrice(order: PricedOrder, rates: Rates): ExpectedPrice {
  const { source, sourceCurrency, targetCurrency, viaStablecoin } = order
  const [numerator, denominator] = convertMinor(source, sourceCurrency, 'USD', rates)
  const usd = numerator % denominator === 0n ? numerator / denominator : numerator / denominator + 1n
  const computeFee = (basisPoints: bigint) => (source * basisPoints + 5000n) / 10_000n
  if (sourceCurrency === targetCurrency) return { target: source, fee: computeFee(50n), usd }
  if (!viaStablecoin)
    return { target: convertRoundedDown(source, sourceCurrency, targetCurrency, rates), fee: computeFee(200n), usd }
  const stablecoinMinor = convertRoundedDown(source, sourceCurrency, 'USDT', rates)
  return { target: convertRoundedDown(stablecoinMinor, 'USDT', targetCurrency, rates), fee: computeFee(100n), usd }
}

/** Returns the usage of a pull in US cents: proportional to the order's dollar value, rounded up. */
export const computePulledUsd = (
  pulled: bigint,
  { source }: Pick<PricedOrder, 'source'>,
  { usd }: ExpectedPrice,
): bigint => (pulled * usd + source - 1n) / source

export async function fetchRates(sandboxUrl: string): Promise<Rates> {
  const answer = await fetch(`${sandboxUrl}/api/rates`)
  const body = (await answer.json()) as { usd_per_unit: Record<string, { numerator: string; denominator: string }> }
  const entries = Object.entries(body.usd_per_unit)
  return Object.fromEntries(
    entries.map(([code, { numerator, denominator }]) => [code, [BigInt(numerator), BigInt(denominator)] as const]),
  )
}
