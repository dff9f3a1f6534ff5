import { MoneyError } from './money.ts'

/** Exact positive fraction. Rates and fees become money only with an explicit rounding. */
export interface Ratio {
  readonly numerator: bigint
  readonly denominator: bigint
}

export type Rounding = 'down' | 'up' | 'half_up'

const gcd = (a: bigint, b: bigint): bigint => (b === 0n ? a : gcd(b, a % b))

/** Returns a fraction in lowest terms. Throws MoneyError `malformed` unless both parts are positive. */
export function ratio(numerator: bigint, denominator: bigint): Ratio {
  if (numerator <= 0n || denominator <= 0n) throw new MoneyError('malformed', 'A ratio has two positive parts')
  const divisor = gcd(numerator, denominator)
  return { numerator: numerator / divisor, denominator: denominator / divisor }
}

/** Parses a positive decimal exactly. Throws MoneyError `malformed`. */
export function parseRatio(text: string): Ratio {
  const match = /^(\d{1,40})(?:\.(\d{1,40}))?$/.exec(text)
  if (!match) throw new MoneyError('malformed', `"${text.slice(0, 60)}" is not a rate`)
  const [, integerPart = '', fraction = ''] = match
  return ratio(BigInt(integerPart + fraction), 10n ** BigInt(fraction.length))
}

export const inverse = (value: Ratio): Ratio => ({
  numerator: value.denominator,
  denominator: value.numerator,
})

export const multiply = (a: Ratio, b: Ratio): Ratio => ratio(a.numerator * b.numerator, a.denominator * b.denominator)

export const divide = (a: Ratio, b: Ratio): Ratio => multiply(a, inverse(b))

/** Returns `amount × value`, rounded as specified. Throws MoneyError `malformed` if `amount` is negative. */
export function scaleBy(amount: bigint, value: Ratio, rounding: Rounding): bigint {
  if (amount < 0n) throw new MoneyError('malformed', 'Only amounts of zero or more are scaled')
  const product = amount * value.numerator
  switch (rounding) {
    case 'down':
      return product / value.denominator
    case 'up':
      return (product + value.denominator - 1n) / value.denominator
    case 'half_up':
      return (2n * product + value.denominator) / (2n * value.denominator)
  }
}

/** Formats a ratio for display with exactly `places` decimals, rounded half up. */
export function toDecimalPlaces(value: Ratio, places: number): string {
  const digits = scaleBy(10n ** BigInt(places), value, 'half_up')
    .toString()
    .padStart(places + 1, '0')
  return places === 0 ? digits : `${digits.slice(0, -places)}.${digits.slice(-places)}`
}

/** Formats a rate for display: four to twelve decimals, without trailing zeros after the fourth. */
export const toRateText = (value: Ratio): string => toDecimalPlaces(value, 12).replace(/(\.\d{4}\d*?)0+$/, '$1')
