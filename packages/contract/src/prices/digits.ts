import type { Ratio } from '@tern/money/ratio'

/** Decimal digits of a number: those shown, those cut off by rounding, and whether further digits follow. */
export interface Digits {
  readonly shownDigits: string
  readonly cutDigits?: string
  readonly isEndless: boolean
}

/** Number or operator of a formula, as displayed. */
export type Figure = string

const shownPlaces = 12
const cutPlaces = 10

/** Formats minor units as a decimal with `scale` places. */
export function formatMinorDigits(minor: bigint, scale: number): Digits {
  const digits = (minor < 0n ? -minor : minor).toString().padStart(scale + 1, '0')
  const sign = minor < 0n ? '-' : ''
  const decimal = scale === 0 ? digits : `${digits.slice(0, -scale)}.${digits.slice(-scale)}`
  return { shownDigits: sign + decimal, isEndless: false }
}

/** Expands a fraction to at most twelve places: truncated if it has more, otherwise without trailing zeros. */
export function expandFraction({ numerator, denominator }: Ratio): Digits {
  const scaledNumerator = numerator * 10n ** BigInt(shownPlaces)
  const { shownDigits } = formatMinorDigits(scaledNumerator / denominator, shownPlaces)
  const isEndless = scaledNumerator % denominator !== 0n
  return { shownDigits: isEndless ? shownDigits : shownDigits.replace(/\.?0+$/, ''), isEndless }
}

/** Expands a fraction of minor units, truncated at the currency's `scale`, with up to ten of the digits cut off. */
export function truncateFraction(numerator: bigint, denominator: bigint, scale: number): Digits {
  const { shownDigits } = formatMinorDigits(numerator / denominator, scale)
  const remainder = (numerator % denominator) * 10n ** BigInt(cutPlaces)
  const isEndless = remainder % denominator !== 0n
  const digits = (remainder / denominator).toString().padStart(cutPlaces, '0')
  const cutDigits = isEndless ? digits : digits.replace(/0+$/, '')
  return { shownDigits, ...(cutDigits === '' ? {} : { cutDigits }), isEndless }
}

export const formatFigure = ({ shownDigits, isEndless }: Digits): Figure =>
  isEndless ? `${shownDigits}…` : shownDigits
