const stepCount = 3n

export interface ChartScale {
  /** Minor units at the ground line. */
  readonly ground: bigint
  /** Minor units between lines; the top is three steps above the ground. */
  readonly step: bigint
}

/** 1, 2, 5, 10, 20, 25, 50, 100, 200, 250, … whole units, in minor units. */
function* roundSteps(unit: bigint): Generator<bigint> {
  for (let size = unit; ; size *= 10n) {
    yield size
    yield size * 2n
    if (size > unit) yield (size * 5n) / 2n
    yield size * 5n
  }
}

/**
 * Scale around a balance: three steps that cover all values. The step is the smallest round one that does so and is at
 * least a twentieth of the highest value, so that small changes do not look large. Starts at zero if the lowest value
 * is under half the highest.
 */
export function scaleAround(values: readonly bigint[], unit: bigint): ChartScale {
  const highest = values.reduce((maximum, value) => (value > maximum ? value : maximum), 0n)
  const lowest = values.reduce((minimum, value) => (value < minimum ? value : minimum), highest)
  for (const step of roundSteps(unit)) {
    if (step * 20n < highest) continue
    const ground = lowest * 2n < highest ? 0n : (lowest / step) * step
    if (ground + stepCount * step >= highest) return { ground, step }
  }
  throw new Error('unreachable: steps grow without end')
}

/** Amounts at the lines in minor units, from top to ground. */
export const listLines = ({ ground, step }: ChartScale): bigint[] =>
  Array.from({ length: Number(stepCount) + 1 }, (_, line) => ground + step * (stepCount - BigInt(line)))

/** Height of a value, from 0 at the ground to 1000 at the top: a coordinate, not an amount. */
export const computeHeight = (value: bigint, { ground, step }: ChartScale): number =>
  Number(((value - ground) * 1000n) / (step * stepCount))
