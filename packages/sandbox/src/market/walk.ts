import { createHash } from 'node:crypto'
import type { CurrencyKind } from '../server/currency.ts'

// The price movement is noise rather than a sum of steps: each value follows from seed, currency and time alone, so
// nothing is stored, and past values cost no more than present ones. The noise adds octaves of value noise. Each octave
// draws a number every 2^k steps and interpolates linearly; its weight grows with the square root of that length, like
// the spread of a random walk. The longest octave spans weeks, over which the value returns to its level. All
// arithmetic is on integers.

/** Time for which a price stays the same, by the sandbox clock. */
export const stepMs = 15_000

/** The longest octave draws a number every 2^17 steps, 23 days. */
const octaves = 18

/** Standard deviation of the price change in a day, in parts per million. */
const dailyMoves: Readonly<Record<CurrencyKind, bigint>> = { fiat: 5000n, stablecoin: 300n, crypto: 25_000n }

/** Measured standard deviation of the noise's change in a day. */
const noisePerDay = 734_000_000_000n

/** Finalizer of MurmurHash3: a change of one input bit changes about half of the output bits. */
function mix(value: number): number {
  let hash = value ^ (value >>> 16)
  hash = Math.imul(hash, 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return hash ^ (hash >>> 16)
}

/** Returns a pseudorandom integer from -2^23 to 2^23, determined by octave and place. */
const randomAt = (octave: number, place: number): number => mix(mix(octave) ^ place) >> 8

/** Returns a pseudorandom integer around zero, determined by stream and step. */
function noise(stream: number, step: number): number {
  let sum = 0
  for (let index = 0; index < octaves; index += 1) {
    const length = 2 ** index
    const place = Math.floor(step / length)
    const elapsedSteps = step - place * length
    const octave = stream ^ Math.imul(index + 1, 0x9e3779b9)
    const blendedValue = randomAt(octave, place) * (length - elapsedSteps) + randomAt(octave, place + 1) * elapsedSteps
    // 1000 times the square root of the length, as an integer.
    const weight = (index % 2 === 0 ? 1000 : 1414) * 2 ** Math.floor(index / 2)
    sum += Math.floor(blendedValue / length) * weight
  }
  return sum
}

export interface WalkShape {
  /** Markets with different seeds have different prices. */
  readonly seed: number
  /** 100 is about the volatility of real markets. */
  readonly volatilityPercent: number
}

/** Returns the deviation of a currency from its level at a moment, in parts per million of the level. */
export function computeDeviation(code: string, kind: CurrencyKind, shape: WalkShape, at: Date): bigint {
  const stream = createHash('sha256')
    .update(JSON.stringify([shape.seed, 'walk', code]))
    .digest()
    .readInt32BE()
  const noiseStep = BigInt(noise(stream, Math.floor(at.getTime() / stepMs)))
  return (noiseStep * dailyMoves[kind] * BigInt(shape.volatilityPercent)) / (noisePerDay * 100n)
}
