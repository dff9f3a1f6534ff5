import { type Money, money } from './money.ts'

// 2 %: what a currency of the product has hardly ever lost against another in the days that a bank takes to pay.
const usualDropBasisPoints = 200n

/**
 * The least that a recipient is to get of a send that is priced when its money comes, unless its sender chooses another: the
 * estimate less 2 %, rounded down to the minor unit, and at least one of them.
 */
export function usualLeast({ currency, minor }: Money): Money {
  const least = (minor * (10_000n - usualDropBasisPoints)) / 10_000n
  return money(currency, least > 0n ? least : 1n)
}
