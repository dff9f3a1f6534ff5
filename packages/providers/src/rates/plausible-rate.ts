import { parseRatio, type Ratio } from '@tern/money/ratio'

// Bounds of a plausible rate, far from those of bitcoin and the yen. The check for sudden jumps finds smaller errors.
const maxRate = 100_000_000n
const maxPerUnit = 1_000_000n

// A source's clock may be slightly ahead of ours.
const clockToleranceMs = 5 * 60_000

/** Returns whether a time is too far ahead: a rate with this date would count as fresh for too long. */
export const isAhead = (at: Date, now: Date): boolean => at.getTime() > now.getTime() + clockToleranceMs

/** Parses a rate in plain decimals, between a millionth and 100 million; undefined for anything else. */
export function readRate(text: string | undefined): Ratio | undefined {
  if (text === undefined || !/^\d{1,20}(\.\d{1,20})?$/.test(text) || !/[1-9]/.test(text)) return undefined
  const rate = parseRatio(text)
  const isPlausible = rate.numerator <= maxRate * rate.denominator && rate.denominator <= maxPerUnit * rate.numerator
  return isPlausible ? rate : undefined
}
