import { type Money, money, MoneyError } from './money.ts'

/**
 * Splits an amount by whole shares into parts that sum to it, each within one minor unit of its exact share. Odd units
 * go to the largest remainders, and for equal remainders to the first in the list. Throws MoneyError `indivisible`
 * unless there are shares, all of them positive, and the amount is not negative.
 */
export function splitByShares(amount: Money, shares: readonly bigint[]): Money[] {
  if (shares.length === 0 || shares.some((share) => share <= 0n)) {
    throw new MoneyError('indivisible', 'shares must be 1 or more')
  }
  if (amount.minor < 0n) throw new MoneyError('indivisible', 'Only amounts of zero or more are split by shares')
  const sum = shares.reduce((total, share) => total + share, 0n)
  const parts = shares.map((share) => (amount.minor * share) / sum)
  const remainder = amount.minor - parts.reduce((total, part) => total + part, 0n)
  const indexesByRemainder = shares
    .map((share, index) => ({ index, remainder: (amount.minor * share) % sum }))
    .toSorted((a, b) => (a.remainder === b.remainder ? a.index - b.index : a.remainder > b.remainder ? -1 : 1))
  const largerIndexes = new Set(
    indexesByRemainder.filter((_, rank) => BigInt(rank) < remainder).map(({ index }) => index),
  )
  return parts.map((part, index) => money(amount.currency, largerIndexes.has(index) ? part + 1n : part))
}
