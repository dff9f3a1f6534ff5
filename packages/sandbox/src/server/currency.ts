/** Card currencies, with the decimals of their minor units (ISO 4217). */
export const currencyDecimals: ReadonlyMap<string, number> = new Map([
  ['USD', 2],
  ['EUR', 2],
  ['GBP', 2],
  ['CAD', 2],
  ['AUD', 2],
  ['JPY', 0],
  ['SGD', 2],
  ['INR', 2],
  ['BRL', 2],
])

/** A readable amount from minor units: `123456` USD is `$1,234.56`. */
export function formatAmount(amountMinor: string, currency: string): string {
  const decimals = currencyDecimals.get(currency) ?? 0
  const digits = amountMinor.padStart(decimals + 1, '0')
  const decimal = decimals === 0 ? digits : `${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`
  const format = new Intl.NumberFormat('en-US', { style: 'currency', currency, currencyDisplay: 'narrowSymbol' })
  // Formatting a string is exact; no floating point.
  return format.format(decimal as Intl.StringNumericLiteral)
}

/** A fraction as a decimal with up to `places` digits, rounded half up, without trailing zeros. */
export function formatFraction(numerator: string, denominator: string, places: number): string {
  const scale = 10n ** BigInt(places)
  const divisor = BigInt(denominator)
  const scaled = (2n * BigInt(numerator) * scale + divisor) / (2n * divisor)
  const fraction = (scaled % scale).toString().padStart(places, '0').replace(/0+$/, '')
  return `${(scaled / scale).toLocaleString('en-US')}${fraction ? `.${fraction}` : ''}`
}
