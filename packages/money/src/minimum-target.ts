import { type Money, money } from './money.ts'

// 2 %: the product's currencies rarely lose more against each other within the days that a bank takes to pay.
const defaultDropBasisPoints = 200n

/**
 * Returns the default minimum for the recipient of a send priced on funding: the estimate less 2 %, rounded down to the
 * minor unit, and at least one minor unit.
 */
export function defaultMinimum({ currency, minor }: Money): Money {
  const minMinor = (minor * (10_000n - defaultDropBasisPoints)) / 10_000n
  return money(currency, minMinor > 0n ? minMinor : 1n)
}
