import type { CurrencyCode } from '@tern/money/currency'
import { money, parseDecimal, toDecimal } from '@tern/money/money'

/** Length of a bar for the largest amount. */
export const fullLength = 1000n

const readMinor = (currency: CurrencyCode, amount: string): bigint => {
  const { minor } = parseDecimal(currency, amount)
  return minor < 0n ? 0n : minor
}

const toLength = (part: bigint, whole: bigint): number => (whole === 0n ? 0 : Number((part * fullLength) / whole)) // not money: a length

/** Lengths of bars for amounts of one currency, the largest at full length; 0 for amounts below zero. */
export function computeLengths(currency: CurrencyCode, amounts: readonly string[]): number[] {
  const parts = amounts.map((amount) => readMinor(currency, amount))
  const largest = parts.reduce((most, part) => (part > most ? part : most), 0n)
  return parts.map((part) => toLength(part, largest))
}

/** Segments of a scale: of 1, 2 or 5 times a power of ten, at most twelve of them. */
export interface Scale {
  /** Decimal string of one segment. */
  readonly segment: string
  /** Length of one segment. */
  readonly length: number
}

const maxSegments = 12n

/** Returns the scale of a bar of full length for an amount above zero. */
export function chooseScale(currency: CurrencyCode, amount: string): Scale {
  const whole = readMinor(currency, amount)
  let power = 1n
  for (;;) {
    for (const factor of [1n, 2n, 5n]) {
      const segment = factor * power
      if (segment * maxSegments >= whole)
        return { segment: toDecimal(money(currency, segment)), length: toLength(segment, whole) }
    }
    power *= 10n
  }
}
