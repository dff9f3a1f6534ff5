import type { FiatCode } from './currency.ts'

/** Currency symbols as written in English alongside other currencies; cryptocurrencies have none. */
const symbols: Readonly<Record<FiatCode, string>> = {
  USD: '$',
  GBP: '£',
  CAD: 'CA$',
  AUD: 'A$',
  EUR: '€',
  JPY: '¥',
  SGD: 'S$',
  INR: '₹',
  BRL: 'R$',
}

/**
 * Returns a currency's symbol in `signs`; undefined for a cryptocurrency, which has none, and for a symbol that several
 * currencies share.
 */
export function findSymbol(code: string, signs: Readonly<Record<string, string>> = symbols): string | undefined {
  const sign = signs[code]
  return Object.values(signs).filter((other) => other === sign).length === 1 ? sign : undefined
}
