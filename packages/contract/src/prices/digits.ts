import type { Ratio } from '@tern/money/ratio'

/** Decimal digits of a figure: those kept, those cut off by rounding, and whether the expansion is infinite. */
export interface Digits {
  readonly kept: string
  readonly cut?: string
  readonly isEndless: boolean
}

/** Figure or operator of a formula. */
export type Figure = string

const shownPlaces = 12
const cutPlaces = 10

/** Formats minor units as a decimal with `scale` places. */
export function wholeDigits(minor: bigint, scale: number): Digits {
  const digits = (minor < 0n ? -minor : minor).toString().padStart(scale + 1, '0')
  const sign = minor < 0n ? '-' : ''
  const decimal = scale === 0 ? digits : `${digits.slice(0, -scale)}.${digits.slice(-scale)}`
  return { kept: sign + decimal, isEndless: false }
}

/** Expands a fraction to twelve places, without trailing zeros; later digits are cut, not rounded. */
export function exactDigits({ numerator, denominator }: Ratio): Digits {
  const scaled = numerator * 10n ** BigInt(shownPlaces)
  const { kept } = wholeDigits(scaled / denominator, shownPlaces)
  const isEndless = scaled % denominator !== 0n
  return { kept: isEndless ? kept : kept.replace(/\.?0+$/, ''), isEndless }
}

/** Expands a fraction of minor units, cut at the currency's `scale`, with up to ten of the digits cut off. */
export function cutAt(numerator: bigint, denominator: bigint, scale: number): Digits {
  const { kept } = wholeDigits(numerator / denominator, scale)
  const rest = (numerator % denominator) * 10n ** BigInt(cutPlaces)
  const isEndless = rest % denominator !== 0n
  const digits = (rest / denominator).toString().padStart(cutPlaces, '0')
  const cut = isEndless ? digits : digits.replace(/0+$/, '')
  return { kept, ...(cut === '' ? {} : { cut }), isEndless }
}

export const formatFigure = ({ kept, isEndless }: Digits): Figure => (isEndless ? `${kept}…` : kept)
