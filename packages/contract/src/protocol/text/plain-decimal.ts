/**
 * Rewrites a JSON number (RFC 8259) without exponent, leading zeros or trailing zeros: equal numbers give equal texts.
 * The exponent must be small enough to be written out, and the number no longer than JavaScript writes its own.
 */
export function plainDecimal(number: string): string {
  const [, sign = '', integerPart = '', fraction = '', exponent = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/i.exec(number) ?? []
  const digits = integerPart + fraction
  const point = integerPart.length + Number(exponent) // not money: the place of the decimal point
  const filled = point > 0 ? digits.padEnd(point, '0') : '0'.repeat(1 - point) + digits
  const at = Math.max(1, point)
  const before = filled.slice(0, at).replace(/^0+(?=\d)/, '')
  const after = filled.slice(at).replace(/0+$/, '')
  const plain = after === '' ? before : `${before}.${after}`
  return plain === '0' ? plain : sign + plain
}

/** Compares two JSON numbers without writing out their exponents. Zeros are equal regardless of sign. */
export function isSameNumber(one: string, other: string): boolean {
  return significant(one) === significant(other)
}

/** Returns the digits from the first to the last nonzero one, and the exponent of the last. */
function significant(number: string): string {
  const [, sign = '', integerPart = '', fraction = '', exponent = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/i.exec(number) ?? []
  const digits = integerPart + fraction
  const trimmed = /^.*[1-9]/.exec(digits)?.[0] ?? ''
  const place = Number(exponent) - fraction.length + digits.length - trimmed.length // not money: a place
  const significantDigits = trimmed.replace(/^0+/, '')
  return significantDigits === '' ? '0' : `${sign}${significantDigits}e${place}`
}
