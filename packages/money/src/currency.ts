/** Supported currency; `scale`: decimals of its minor unit. */
export interface Currency {
  readonly code: CurrencyCode
  readonly scale: number
  readonly kind: 'fiat' | 'stablecoin' | 'crypto'
}

/**
 * Registry of currencies, also the source of the table `ledger.currency`. `scale`: ISO 4217 table A.1 for fiat; 6 for
 * USDT and USDC on their main chains, 8 for BTC (satoshi), 18 for ETH (wei). Scales never change, since stored amounts
 * are minor units.
 */
const registry = {
  USD: { kind: 'fiat', scale: 2 },
  GBP: { kind: 'fiat', scale: 2 },
  CAD: { kind: 'fiat', scale: 2 },
  AUD: { kind: 'fiat', scale: 2 },
  EUR: { kind: 'fiat', scale: 2 },
  JPY: { kind: 'fiat', scale: 0 },
  SGD: { kind: 'fiat', scale: 2 },
  INR: { kind: 'fiat', scale: 2 },
  BRL: { kind: 'fiat', scale: 2 },
  USDT: { kind: 'stablecoin', scale: 6 },
  USDC: { kind: 'stablecoin', scale: 6 },
  BTC: { kind: 'crypto', scale: 8 },
  ETH: { kind: 'crypto', scale: 18 },
} as const satisfies Record<string, Omit<Currency, 'code'>>

type Registry = typeof registry
export type CurrencyCode = keyof Registry
export type FiatCode = { [C in CurrencyCode]: Registry[C]['kind'] extends 'fiat' ? C : never }[CurrencyCode]
export type CryptoCode = Exclude<CurrencyCode, FiatCode>

export const currencyCodes = Object.keys(registry) as readonly CurrencyCode[] as readonly [
  CurrencyCode,
  ...CurrencyCode[],
]
export const fiatCodes = currencyCodes.filter(
  (code) => registry[code].kind === 'fiat',
) as readonly FiatCode[] as readonly [FiatCode, ...FiatCode[]]
export const cryptoCodes = currencyCodes.filter(
  (code) => registry[code].kind !== 'fiat',
) as readonly CryptoCode[] as readonly [CryptoCode, ...CryptoCode[]]

/** Stablecoin between the two legs of bridged sends. */
export const bridgeCurrency = 'USDT' satisfies CryptoCode

/** Returns whether `code` is a supported currency code (upper case). */
export const isCurrencyCode = (code: string): code is CurrencyCode => Object.hasOwn(registry, code)

/** Returns whether `code` is a supported fiat currency, the kind that a wallet can have as its base currency. */
export const isFiatCode = (code: string): code is FiatCode => isCurrencyCode(code) && registry[code].kind === 'fiat'

/** Returns the decimals of the minor unit: 2 for USD, 0 for JPY, 18 for ETH. */
export const scaleOf = (code: CurrencyCode): number => registry[code].scale

export const currencyOf = (code: CurrencyCode): Currency => ({ code, ...registry[code] })
