import type { FiatCode } from './currency.ts'

/** Signs of the currencies as English writes them beside other currencies; coins have none. */
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
 * The sign that stands beside amounts of a currency; undefined where amounts carry the code instead: for coins, and for
 * currencies of `signs` that share theirs, such as Mexico's peso beside the US dollar.
 */
export function symbolOf(code: string, signs: Readonly<Record<string, string>> = symbols): string | undefined {
  const sign = signs[code]
  return Object.values(signs).filter((other) => other === sign).length === 1 ? sign : undefined
}
