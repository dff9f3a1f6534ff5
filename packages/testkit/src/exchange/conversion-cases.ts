// Markets and orders for tests of conversions, repeatable by seed.

import { type ConversionOrder, type Fraction, type OracleMarket, scales } from './conversion-oracle.ts'

/** Pseudorandom numbers, repeatable by seed (xorshift, 32 bits). */
export function createDice(seed: number) {
  let state = seed >>> 0 || 1
  const next = (): number => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    state >>>= 0
    return state
  }
  return {
    /** From 0, below `limit`. */
    below: (limit: number): number => next() % limit,
    /** From 0, below `limit`, which may be as large as an amount. */
    bigBelow: (limit: bigint): bigint => {
      let digits = 0n
      for (let word = 0; word < 4; word += 1) digits = (digits << 32n) | BigInt(next())
      return digits % limit
    },
  }
}

export type Dice = ReturnType<typeof createDice>

/** All pairs of two currencies, both ways. */
export const orderedPairs: readonly (readonly [string, string])[] = Object.keys(scales).flatMap((from) =>
  Object.keys(scales).flatMap((to) => (to === from ? [] : [[from, to] as const])),
)

/** Published rates: units per dollar. */
export const unitsPerDollar: Readonly<Record<string, string>> = {
  ...{ EUR: '0.9543', GBP: '0.7912', CAD: '1.3987', AUD: '1.5364', JPY: '154.41', SGD: '1.3442', INR: '84.433' },
  BRL: '5.8014',
}
/** Published rates: dollars per unit. */
export const dollarsPerUnit: Readonly<Record<string, string>> = {
  USDT: '1.00021',
  USDC: '0.99994',
  BTC: '98123',
  ETH: '3389.7',
}

/** Reads `154.41` exactly. */
export const parseFraction = (text: string): Fraction => {
  const [whole = '', decimals = ''] = text.split('.')
  return [BigInt(whole + decimals), 10n ** BigInt(decimals.length)]
}

/** Moves a rate by up to 30 %, and changes its number of digits. */
const jittered = ([up, down]: Fraction, dice: Dice): Fraction => {
  const places = 10n ** BigInt(dice.below(9))
  return [up * (700_000n + dice.bigBelow(600_000n)) * places + dice.bigBelow(places), down * 1_000_000n * places]
}

function usualValues(dice: Dice): Record<string, Fraction> {
  const values: Record<string, Fraction> = { USD: [1n, 1n] }
  for (const [code, text] of Object.entries(unitsPerDollar)) {
    const [up, down] = jittered(parseFraction(text), dice)
    values[code] = [down, up]
  }
  for (const [code, text] of Object.entries(dollarsPerUnit)) values[code] = jittered(parseFraction(text), dice)
  return values
}

/** Returns arbitrary values: fractions with up to twenty digits in numerator and denominator. */
function extremeValues(dice: Dice): Record<string, Fraction> {
  const part = () => 1n + dice.bigBelow(10n ** BigInt(1 + dice.below(20)))
  const values: Record<string, Fraction> = { USD: [1n, 1n] }
  for (const code of [...Object.keys(unitsPerDollar), ...Object.keys(dollarsPerUnit)]) values[code] = [part(), part()]
  return values
}

/**
 * Returns a market: usual in three of four cases, otherwise extreme. Spreads are 0 to 1 %, different for each pair, or
 * zero for all.
 */
export function marketBy(dice: Dice): OracleMarket {
  const usdValues = dice.below(4) === 0 ? extremeValues(dice) : usualValues(dice)
  const hasSpreads = dice.below(4) !== 0
  const spreads = new Map(
    orderedPairs.map(([from, to]) => [`${from}/${to}`, hasSpreads ? BigInt(dice.below(10_001)) : 0n]),
  )
  return { usdValues, spreadOf: (from, to) => spreads.get(`${from}/${to}`) ?? 0n }
}

const largest = 10n ** 30n
const edges = [1n, 2n, 3n, 49n, 50n, 51n, 99n, 100n, 101n, largest / 2n, (largest * 100n) / 101n, largest - 1n, largest]

/**
 * Returns an amount from one minor unit to the largest amount: every number of digits is equally likely, and limits are
 * included now and then.
 */
export const minorBy = (dice: Dice): bigint =>
  dice.below(16) === 0 ? (edges[dice.below(edges.length)] ?? 1n) : 1n + dice.bigBelow(10n ** BigInt(1 + dice.below(30)))

/** Returns an order for a pair, with any amount, side and route. */
export const orderBy = (dice: Dice, [from, to]: readonly [string, string]): ConversionOrder => ({
  from,
  to,
  minor: minorBy(dice),
  side: dice.below(2) === 0 ? 'source' : 'target',
  viaStablecoin: dice.below(2) === 0,
})
