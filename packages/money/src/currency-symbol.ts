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
 * Returns the symbol for amounts of a currency; undefined if amounts carry the code instead: for cryptocurrencies, and
 * for currencies of `signs` that share their symbol, such as Mexico's peso and the US dollar.
 */
export function findSymbol(code: string, signs: Readonly<Record<string, string>> = symbols): string | undefined {
  const sign = signs[code]
  return Object.values(signs).filter((other) => other === sign).length === 1 ? sign : undefined
}
