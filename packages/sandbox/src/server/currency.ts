/** The currencies cards are charged in, with how many decimals their smallest unit stands for (ISO 4217). */
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

/** An amount in the smallest unit as a person reads it: `123456` USD is `$1,234.56`. */
export function formatAmount(amountMinor: string, currency: string): string {
  const decimals = currencyDecimals.get(currency) ?? 0
  const digits = amountMinor.padStart(decimals + 1, '0')
  const decimal = decimals === 0 ? digits : `${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`
  const format = new Intl.NumberFormat('en-US', { style: 'currency', currency, currencyDisplay: 'narrowSymbol' })
  // A text is formatted exactly, digit by digit; it is never turned into a floating-point number.
  return format.format(decimal as Intl.StringNumericLiteral)
}

/** A fraction as a decimal with up to `places` digits after the point, rounded half up, trailing zeros left out. */
export function formatFraction(numerator: string, denominator: string, places: number): string {
  const scale = 10n ** BigInt(places)
  const divisor = BigInt(denominator)
  const scaled = (2n * BigInt(numerator) * scale + divisor) / (2n * divisor)
  const fraction = (scaled % scale).toString().padStart(places, '0').replace(/0+$/, '')
  return `${(scaled / scale).toLocaleString('en-US')}${fraction ? `.${fraction}` : ''}`
}
