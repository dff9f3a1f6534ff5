/**
 * Rewrites a JSON number (RFC 8259) without exponent, leading zeros or trailing zeros, so that equal numbers are equal
 * strings. Writes out exponents of any size, so pass only numbers as JavaScript formats them.
 */
export function normalizeDecimal(number: string): string {
  const [, sign = '', integerPart = '', fraction = '', exponent = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/i.exec(number) ?? []
  const digits = integerPart + fraction
  const point = integerPart.length + Number(exponent) // not money: the place of the decimal point
  const paddedDigits = point > 0 ? digits.padEnd(point, '0') : '0'.repeat(1 - point) + digits
  const pointIndex = Math.max(1, point)
  const integerDigits = paddedDigits.slice(0, pointIndex).replace(/^0+(?=\d)/, '')
  const fractionDigits = paddedDigits.slice(pointIndex).replace(/0+$/, '')
  const plain = fractionDigits === '' ? integerDigits : `${integerDigits}.${fractionDigits}`
  return plain === '0' ? plain : sign + plain
}

/** Compares two JSON numbers without expanding their exponents. Zeros are equal regardless of sign. */
export function isSameNumber(a: string, b: string): boolean {
  return formatSignificant(a) === formatSignificant(b)
}

/** Returns the digits from the first to the last nonzero digit, and the exponent of the last. */
function formatSignificant(number: string): string {
  const [, sign = '', integerPart = '', fraction = '', exponent = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/i.exec(number) ?? []
  const digits = integerPart + fraction
  const withoutTrailingZeros = /^.*[1-9]/.exec(digits)?.[0] ?? ''
  const place = Number(exponent) - fraction.length + digits.length - withoutTrailingZeros.length // not money: a place
  const significantDigits = withoutTrailingZeros.replace(/^0+/, '')
  return significantDigits === '' ? '0' : `${sign}${significantDigits}e${place}`
}
