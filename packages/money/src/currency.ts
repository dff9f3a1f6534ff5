/** A supported currency: ISO 4217 or ticker code, decimals of its minor unit, and kind. */
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

/** The stablecoin every cross-currency send passes through. */
export const bridgeCurrency = 'USDT' satisfies CryptoCode

// Fiat scales: ISO 4217 table A.1. USDT and USDC use 6 decimals on their main chains, BTC 8 (satoshi), ETH 18 (wei).
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

/** Whether `code` is a supported currency code (upper case). */
export const isCurrencyCode = (code: string): code is CurrencyCode => Object.hasOwn(scales, code)

/** Whether a wallet can have this base currency. */
export const isFiatCode = (code: string): code is FiatCode => (fiatCodes as readonly string[]).includes(code)

/** Decimals of the minor unit: 2 for USD, 0 for JPY, 18 for ETH. */
export const scaleOf = (code: CurrencyCode): number => scales[code]

/** A currency's facts. */
export const currencyOf = (code: CurrencyCode): Currency => ({
  code,
  scale: scales[code],
  kind: isFiatCode(code) ? 'fiat' : code === 'USDT' || code === 'USDC' ? 'stablecoin' : 'crypto',
})
