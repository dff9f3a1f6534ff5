// Sums of balances: at most one positive amount for each currency, in the order of currencies.

import { type ByteReader, formatNumber, readByte } from '../byte-format.ts'
import { concat } from '../bytes.ts'
import { type ExactAmount, formatAmount, readAmount } from '../exact-amount.ts'
import { FormatError } from '../format-error.ts'

export type Sums = readonly ExactAmount[]

const mostCurrencies = 255
const largestSum = 10n ** 40n - 1n

const isInOrder = (sums: Sums): boolean =>
  sums.every(({ currency }, place) => place === 0 || (sums[place - 1]?.currency ?? '') < currency)

const isPositive = ({ minor }: ExactAmount): boolean => minor > 0n && minor <= largestSum

/** Sorts amounts into sums and leaves out zeroes. Refuses negative amounts and a currency that comes twice. */
export function toSums(amounts: readonly ExactAmount[]): Sums {
  const sums = amounts.filter(({ minor }) => minor !== 0n).toSorted((a, b) => (a.currency < b.currency ? -1 : 1))
  requireSums(sums)
  return sums
}

function requireSums(sums: Sums): void {
  if (sums.length > mostCurrencies || !sums.every(isPositive) || !isInOrder(sums))
    throw new RangeError('sums are out of range')
}

/** Adds the sums of two subtrees. Refuses a currency with different decimals. */
export function addSums(left: Sums, right: Sums): Sums {
  const added = new Map(left.map((amount) => [amount.currency, amount]))
  for (const amount of right) {
    const before = added.get(amount.currency)
    if (before && before.scale !== amount.scale) throw new FormatError('decimals of a currency differ')
    added.set(amount.currency, { ...amount, minor: (before?.minor ?? 0n) + amount.minor })
  }
  return toSums([...added.values()])
}

export const areSumsEqual = (a: Sums, b: Sums): boolean =>
  a.length === b.length &&
  a.every(({ currency, scale, minor }, place) => {
    const other = b[place]
    return other?.currency === currency && other.scale === scale && other.minor === minor
  })

export function formatSums(sums: Sums): Uint8Array {
  requireSums(sums)
  return concat(formatNumber(sums.length, 1), ...sums.map((amount) => formatAmount(amount)))
}

/** Reads sums; refuses zeroes, negative amounts, and any other order. */
export function readSums(reader: ByteReader): Sums {
  const sums = Array.from({ length: readByte(reader) }, () => readAmount(reader))
  if (!sums.every(isPositive) || !isInOrder(sums)) throw new FormatError('sums are out of range')
  return sums
}
