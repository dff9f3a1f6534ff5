/** A currency the product knows: its ISO 4217 or ticker code, how many decimals its minor unit has, and what it is. */
export interface Currency {
  readonly code: CurrencyCode
  readonly scale: number
  readonly kind: 'fiat' | 'stablecoin' | 'crypto'
}

export const fiatCodes = ['USD', 'GBP', 'CAD', 'AUD', 'EUR', 'JPY', 'SGD', 'INR', 'BRL'] as const
export const cryptoCodes = ['USDT', 'USDC', 'BTC', 'ETH'] as const
export const currencyCodes = [...fiatCodes, ...cryptoCodes] as const

export type FiatCode = (typeof fiatCodes)[number]
export type CryptoCode = (typeof cryptoCodes)[number]
export type CurrencyCode = FiatCode | CryptoCode

/** The stablecoin every cross-currency send travels through. */
export const bridgeCurrency = 'USDT' satisfies CryptoCode

// Fiat scales: ISO 4217 table A.1. USDT and USDC have 6 decimals on their main chains, BTC 8 (satoshi), ETH 18 (wei).
const scales: Record<CurrencyCode, number> = {
  USD: 2,
  GBP: 2,
  CAD: 2,
  AUD: 2,
  EUR: 2,
  JPY: 0,
  SGD: 2,
  INR: 2,
  BRL: 2,
  USDT: 6,
  USDC: 6,
  BTC: 8,
  ETH: 18,
}

/** True when `code` is exactly one of the product's currency codes (upper case). */
export const isCurrencyCode = (code: string): code is CurrencyCode => Object.hasOwn(scales, code)

/** True for the nine currencies a wallet can have as its base. */
export const isFiatCode = (code: string): code is FiatCode => (fiatCodes as readonly string[]).includes(code)

/** How many decimals the currency's minor unit has: 2 for USD, 0 for JPY, 18 for ETH. */
export const scaleOf = (code: CurrencyCode): number => scales[code]

/** Everything known about a currency. */
export const currencyOf = (code: CurrencyCode): Currency => ({
  code,
  scale: scales[code],
  kind: isFiatCode(code) ? 'fiat' : code === 'USDT' || code === 'USDC' ? 'stablecoin' : 'crypto',
})
