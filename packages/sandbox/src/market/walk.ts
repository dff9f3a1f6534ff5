import { createHash } from 'node:crypto'
import type { CurrencyKind } from '../server/currency.ts'

// The walk is noise, not a sum of steps: each value is computed from seed, currency and time alone, so past values cost
// as little as present ones and nothing is stored. It adds octaves of value noise. An octave draws a number every 2^k
// steps and interpolates linearly; its weight grows with the square root of that length, like the spread of a random
// walk. The longest octave spans weeks: beyond it nothing accumulates, so the value keeps returning to its level. All
// arithmetic is on integers.

/** Duration of a price, by the sandbox clock. */
export const stepMs = 15_000

/** The longest octave draws a number every 2^17 steps, 23 days. */
const octaves = 18

/** Standard deviation of a day's price change, in parts per million. */
const dailyMoves: Readonly<Record<CurrencyKind, bigint>> = { fiat: 5000n, stablecoin: 300n, crypto: 25_000n }

/** Measured standard deviation of the noise's change over one day. */
const noisePerDay = 734_000_000_000n

/** Finalizer of MurmurHash3: flipping one input bit flips about half of the output bits. */
function mix(value: number): number {
  let hash = value ^ (value >>> 16)
  hash = Math.imul(hash, 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return hash ^ (hash >>> 16)
}

/** Returns a number from -2^23 to 2^23, repeatable by octave and place. */
const randomAt = (octave: number, place: number): number => mix(mix(octave) ^ place) >> 8

/** Returns an integer around zero, repeatable by stream and step. */
function noise(stream: number, step: number): number {
  let sum = 0
  for (let index = 0; index < octaves; index += 1) {
    const length = 2 ** index
    const place = Math.floor(step / length)
    const elapsedSteps = step - place * length
    const octave = stream ^ Math.imul(index + 1, 0x9e3779b9)
    const blendedValue = randomAt(octave, place) * (length - elapsedSteps) + randomAt(octave, place + 1) * elapsedSteps
    // 1000 times the square root of the length, in integers
    const weight = (index % 2 === 0 ? 1000 : 1414) * 2 ** Math.floor(index / 2)
    sum += Math.floor(blendedValue / length) * weight
  }
  return sum
}

export interface WalkShape {
  /** Each seed is a different market. */
  readonly seed: number
  /** 100 matches real markets. */
  readonly volatilityPercent: number
}

/** Returns a currency's distance from its level at a moment, in parts per million of the level. */
export function computeDeviation(code: string, kind: CurrencyKind, shape: WalkShape, at: Date): bigint {
  const stream = createHash('sha256')
    .update(JSON.stringify([shape.seed, 'walk', code]))
    .digest()
    .readInt32BE()
  const noiseStep = BigInt(noise(stream, Math.floor(at.getTime() / stepMs)))
  return (noiseStep * dailyMoves[kind] * BigInt(shape.volatilityPercent)) / (noisePerDay * 100n)
}
