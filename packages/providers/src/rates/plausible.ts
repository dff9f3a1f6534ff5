import { parseRatio, type Ratio } from '@tern/money/ratio'

// The bitcoin and the yen lie well within. What is wrong by less is for the bound on jumps to find.
const most = 100_000_000n
const mostPerUnit = 1_000_000n

// The clock of a source may be a little ahead of ours.
const aheadMs = 5 * 60_000

/** Whether a moment lies so far ahead that what is dated so would stay fresh for too long. */
export const isAhead = (at: Date, now: Date): boolean => at.getTime() > now.getTime() + aheadMs

/** A rate in plain decimals, between a millionth and 100 million; undefined for anything else. */
export function readRate(text: string | undefined): Ratio | undefined {
  if (text === undefined || !/^\d{1,20}(\.\d{1,20})?$/.test(text) || !/[1-9]/.test(text)) return undefined
  const rate = parseRatio(text)
  const isPlausible = rate.numerator <= most * rate.denominator && rate.denominator <= mostPerUnit * rate.numerator
  return isPlausible ? rate : undefined
}
