// Pseudorandom markets and orders for tests of conversions, reproducible by their seed.

import { type ConversionOrder, type Fraction, type OracleMarket, scales } from './conversion-oracle.ts'

/** Creates a pseudorandom number generator (xorshift, 32 bits). */
export function createDice(seed: number) {
  let state = seed >>> 0 || 1
  const nextInteger = (): number => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    state >>>= 0
    return state
  }
  return {
    /** Returns an integer from 0 to below `limit`. */
    below: (limit: number): number => nextInteger() % limit,
    /** Returns an integer from 0 to below `limit`, which may be as large as any amount. */
    bigBelow: (limit: bigint): bigint => {
      let digits = 0n
      for (let word = 0; word < 4; word += 1) digits = (digits << 32n) | BigInt(nextInteger())
      return digits % limit
    },
  }
}

export type Dice = ReturnType<typeof createDice>

/** All ordered pairs of different currencies. */
export const currencyPairs: readonly (readonly [string, string])[] = Object.keys(scales).flatMap((from) =>
  Object.keys(scales).flatMap((to) => (to === from ? [] : [[from, to] as const])),
)

/** Published rates of currencies quoted in units per dollar. */
export const unitsPerDollar: Readonly<Record<string, string>> = {
  ...{ EUR: '0.9543', GBP: '0.7912', CAD: '1.3987', AUD: '1.5364', JPY: '154.41', SGD: '1.3442', INR: '84.433' },
  BRL: '5.8014',
}
/** Published rates of currencies quoted in dollars per unit. */
export const dollarsPerUnit: Readonly<Record<string, string>> = {
  USDT: '1.00021',
  USDC: '0.99994',
  BTC: '98123',
  ETH: '3389.7',
}

/** Parses a decimal such as `154.41` as an exact fraction. */
export const parseFraction = (text: string): Fraction => {
  const [whole = '', decimals = ''] = text.split('.')
  return [BigInt(whole + decimals), 10n ** BigInt(decimals.length)]
}

/** Changes a rate by up to 30 %, and its number of digits. */
const jitter = ([numerator, denominator]: Fraction, dice: Dice): Fraction => {
  const places = 10n ** BigInt(dice.below(9))
  return [
    numerator * (700_000n + dice.bigBelow(600_000n)) * places + dice.bigBelow(places),
    denominator * 1_000_000n * places,
  ]
}

function createUsualValues(dice: Dice): Record<string, Fraction> {
  const values: Record<string, Fraction> = { USD: [1n, 1n] }
  for (const [code, text] of Object.entries(unitsPerDollar)) {
    const [numerator, denominator] = jitter(parseFraction(text), dice)
    values[code] = [denominator, numerator]
  }
  for (const [code, text] of Object.entries(dollarsPerUnit)) values[code] = jitter(parseFraction(text), dice)
  return values
}

/** Returns arbitrary values: fractions whose numerators and denominators have up to twenty digits. */
function createExtremeValues(dice: Dice): Record<string, Fraction> {
  const pickPart = () => 1n + dice.bigBelow(10n ** BigInt(1 + dice.below(20)))
  const values: Record<string, Fraction> = { USD: [1n, 1n] }
  for (const code of [...Object.keys(unitsPerDollar), ...Object.keys(dollarsPerUnit)])
    values[code] = [pickPart(), pickPart()]
  return values
}

/**
 * Returns a market with usual values in three of four cases, otherwise with extreme ones. Spreads are 0 to 1 %,
 * different for each pair, or zero for all pairs.
 */
export function createMarket(dice: Dice): OracleMarket {
  const usdValues = dice.below(4) === 0 ? createExtremeValues(dice) : createUsualValues(dice)
  const hasSpreads = dice.below(4) !== 0
  const spreads = new Map(
    currencyPairs.map(([from, to]) => [`${from}/${to}`, hasSpreads ? BigInt(dice.below(10_001)) : 0n]),
  )
  return { usdValues, findSpread: (from, to) => spreads.get(`${from}/${to}`) ?? 0n }
}

const maxAmount = 10n ** 30n
const edgeAmounts = [
  1n,
  2n,
  3n,
  49n,
  50n,
  51n,
  99n,
  100n,
  101n,
  maxAmount / 2n,
  (maxAmount * 100n) / 101n,
  maxAmount - 1n,
  maxAmount,
]

/**
 * Returns an amount of at least one minor unit and at most the largest amount. All numbers of digits are equally
 * likely; one amount in sixteen is an edge case.
 */
export const pickMinor = (dice: Dice): bigint =>
  dice.below(16) === 0
    ? (edgeAmounts[dice.below(edgeAmounts.length)] ?? 1n)
    : 1n + dice.bigBelow(10n ** BigInt(1 + dice.below(30)))

/** Returns an order for a pair, with pseudorandom amount, side and route. */
export const createOrder = (dice: Dice, [from, to]: readonly [string, string]): ConversionOrder => ({
  from,
  to,
  minor: pickMinor(dice),
  side: dice.below(2) === 0 ? 'source' : 'target',
  viaStablecoin: dice.below(2) === 0,
})
