/** Value of one unit in US dollars, as a fraction of two integers in decimal digits. */
export interface Rate {
  readonly numerator: string
  readonly denominator: string
}

/** Kind of a currency. Cards and banks accept fiat only; the volatility of a price depends on the kind. */
export type CurrencyKind = 'fiat' | 'stablecoin' | 'crypto'

interface CurrencyFacts {
  readonly kind: CurrencyKind
  /** Decimals of the minor unit: by ISO 4217 for fiat, by the main chain for others. */
  readonly decimals: number
  /** Countries (ISO 3166-1 alpha-2) whose bank accounts are in this currency by default. */
  readonly countries?: readonly string[]
  /** Initial rate in US dollars, as an exact fraction. */
  readonly usd: readonly [numerator: string, denominator: string]
}

const currencies: Readonly<Record<string, CurrencyFacts>> = {
  USD: { kind: 'fiat', decimals: 2, countries: ['US'], usd: ['1', '1'] },
  EUR: { kind: 'fiat', decimals: 2, countries: ['DE', 'FR'], usd: ['100', '93'] },
  GBP: { kind: 'fiat', decimals: 2, countries: ['GB'], usd: ['100', '79'] },
  CAD: { kind: 'fiat', decimals: 2, countries: ['CA'], usd: ['100', '137'] },
  AUD: { kind: 'fiat', decimals: 2, countries: ['AU'], usd: ['100', '152'] },
  JPY: { kind: 'fiat', decimals: 0, countries: ['JP'], usd: ['67', '10000'] },
  SGD: { kind: 'fiat', decimals: 2, countries: ['SG'], usd: ['100', '134'] },
  INR: { kind: 'fiat', decimals: 2, countries: ['IN'], usd: ['100', '8345'] },
  BRL: { kind: 'fiat', decimals: 2, countries: ['BR'], usd: ['100', '535'] },
  USDT: { kind: 'stablecoin', decimals: 6, usd: ['1', '1'] },
  USDC: { kind: 'stablecoin', decimals: 6, usd: ['1', '1'] },
  BTC: { kind: 'crypto', decimals: 8, usd: ['65000', '1'] },
  ETH: { kind: 'crypto', decimals: 18, usd: ['3200', '1'] },
}

/** Decimals of the minor unit, by currency that cards and banks accept. */
export const currencyDecimals: ReadonlyMap<string, number> = new Map(
  Object.entries(currencies).flatMap(([code, { kind, decimals }]) => (kind === 'fiat' ? [[code, decimals]] : [])),
)

/** Decimals of the minor unit, by currency of the market. */
export const marketDecimals: ReadonlyMap<string, number> = new Map(
  Object.entries(currencies).map(([code, { decimals }]) => [code, decimals]),
)

export const currencyKinds: ReadonlyMap<string, CurrencyKind> = new Map(
  Object.entries(currencies).map(([code, { kind }]) => [code, kind]),
)

/** Default currency of bank accounts, by country. */
export const currencyByCountry: ReadonlyMap<string, string> = new Map(
  Object.entries(currencies).flatMap(([code, { countries = [] }]) => countries.map((country) => [country, code])),
)

export const startingRates: ReadonlyMap<string, Rate> = new Map(
  Object.entries(currencies).map(([code, { usd }]) => [code, { numerator: usd[0], denominator: usd[1] }]),
)

/** Formats an amount in minor units: `123456` USD is `$1,234.56`. */
export function formatAmount(amountMinor: string, currency: string): string {
  const decimals = currencyDecimals.get(currency) ?? 0
  const digits = amountMinor.padStart(decimals + 1, '0')
  const decimal = decimals === 0 ? digits : `${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`
  const format = new Intl.NumberFormat('en-US', { style: 'currency', currency, currencyDisplay: 'narrowSymbol' })
  // A string is formatted exactly; a number would be rounded.
  return format.format(decimal as Intl.StringNumericLiteral)
}

/** Formats an amount of any market currency in minor units: `150000000` BTC is `1.5 BTC`. */
export function formatUnits(amountMinor: string, currency: string): string {
  const decimals = marketDecimals.get(currency) ?? 0
  return `${formatFraction(amountMinor, (10n ** BigInt(decimals)).toString(), decimals)} ${currency}`
}

/** Formats a fraction as a decimal with up to `places` digits, rounded half up, without trailing zeros. */
export function formatFraction(numerator: string, denominator: string, places: number): string {
  const scale = 10n ** BigInt(places)
  const divisor = BigInt(denominator)
  const scaledValue = (2n * BigInt(numerator) * scale + divisor) / (2n * divisor)
  const fraction = (scaledValue % scale).toString().padStart(places, '0').replace(/0+$/, '')
  return `${(scaledValue / scale).toLocaleString('en-US')}${fraction ? `.${fraction}` : ''}`
}
