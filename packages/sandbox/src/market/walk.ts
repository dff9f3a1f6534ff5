import { createHash } from 'node:crypto'
import type { CurrencyKind } from '../server/currency.ts'

// The walk is noise, not a sum of steps: each moment's value is computed from seed, currency and time alone, so the past
// costs as little as the present and nothing has to be remembered. It adds octaves of value noise. An octave draws a
// number every 2^k steps and goes straight from one to the next; its weight grows with the square root of that length,
// as the spread of a random walk does. The longest octave takes weeks: beyond it nothing adds up, so the value returns
// to its level again and again. All arithmetic is in whole numbers.

/** The time a price stands, by the sandbox's clock. */
export const stepMs = 15_000

/** The longest octave draws a number every 2^17 steps, 23 days. */
const octaves = 18

/** How far a price moves in a day, as a standard deviation in parts per million. */
const dayMoves: Readonly<Record<CurrencyKind, bigint>> = { fiat: 5000n, stablecoin: 300n, crypto: 25_000n }

/** The standard deviation of the noise's change over a day of steps, as measured. */
const noisePerDay = 734_000_000_000n

/** Changes about half of the bits when one changes: the finalizer of MurmurHash3. */
function mix(value: number): number {
  let mixed = value ^ (value >>> 16)
  mixed = Math.imul(mixed, 0x85ebca6b)
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35)
  return mixed ^ (mixed >>> 16)
}

/** A number from -2^23 to 2^23, repeatable by octave and place. */
const drawn = (octave: number, place: number): number => mix(mix(octave) ^ place) >> 8

/** A whole number around zero, repeatable by stream and step. */
function noise(stream: number, step: number): number {
  let sum = 0
  for (let index = 0; index < octaves; index += 1) {
    const length = 2 ** index
    const place = Math.floor(step / length)
    const passed = step - place * length
    const octave = stream ^ Math.imul(index + 1, 0x9e3779b9)
    const between = drawn(octave, place) * (length - passed) + drawn(octave, place + 1) * passed
    // 1000 times the square root of the length, in whole numbers
    const weight = (index % 2 === 0 ? 1000 : 1414) * 2 ** Math.floor(index / 2)
    sum += Math.floor(between / length) * weight
  }
  return sum
}

export interface WalkShape {
  /** Another seed is another market. */
  readonly seed: number
  /** 100 is as much as real markets move. */
  readonly volatilityPercent: number
}

/** How far a currency is from its level at a moment, in parts per million of it. */
export function deviationAt(code: string, kind: CurrencyKind, shape: WalkShape, at: Date): bigint {
  const stream = createHash('sha256')
    .update(JSON.stringify([shape.seed, 'walk', code]))
    .digest()
    .readInt32BE()
  const moved = BigInt(noise(stream, Math.floor(at.getTime() / stepMs)))
  return (moved * dayMoves[kind] * BigInt(shape.volatilityPercent)) / (noisePerDay * 100n)
}
