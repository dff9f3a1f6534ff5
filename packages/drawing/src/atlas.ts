// Decoding of the stored outlines of land and countries.

import type { Land } from './globe.ts'
import { type Direction, toDirection } from './sphere.ts'

/** Outlines of land and of countries, as directions. */
export interface Atlas {
  readonly land: Land
  /** Keyed by ISO 3166-1 alpha-2. */
  readonly countries: Readonly<Partial<Record<string, Land>>>
}

/**
 * Stored atlas: each line is a list of coordinate differences in tenths of a degree, each ring a list of line numbers.
 */
export interface StoredAtlas {
  /** A line to be traversed backwards is the bitwise complement of its number. */
  readonly land: readonly (readonly number[])[]
  readonly countries: Readonly<Record<string, readonly (readonly number[])[]>>
  readonly lines: readonly (readonly number[])[]
}

/** Decodes the atlas of `land.json`, in which rings of land and of countries share their lines. */
export function readAtlas({ land, countries, lines }: StoredAtlas): Atlas {
  const read = lines.map(readLine)
  const decodeRing = (numbers: readonly number[]): Direction[] =>
    numbers.flatMap((number) => {
      const line = number < 0 ? (read[~number] ?? []).toReversed() : (read[number] ?? [])
      return line.slice(0, -1)
    })
  return {
    land: land.map(decodeRing),
    countries: Object.fromEntries(Object.entries(countries).map(([code, rings]) => [code, rings.map(decodeRing)])),
  }
}

function readLine(steps: readonly number[]): Direction[] {
  const line: Direction[] = []
  let [x, y] = [0, 0]
  for (let index = 0; index + 1 < steps.length; index += 2) {
    x += steps[index] ?? 0
    y += steps[index + 1] ?? 0
    line.push(toDirection([x / 10, y / 10]))
  }
  return line
}
