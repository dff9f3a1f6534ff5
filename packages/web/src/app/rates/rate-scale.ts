/** Decimal places kept of a rate; the server sends at most as many. */
const places = 12

/** Rate as an integer in units of 1e-12: exact and comparable. */
export function toUnits(rate: string): bigint {
  const [integerPart = '0', fraction = ''] = rate.split('.')
  return BigInt(integerPart + fraction.slice(0, places).padEnd(places, '0'))
}

/** Inverse of `toUnits`, without trailing zeros. */
export function fromUnits(units: bigint): string {
  const digits = units.toString().padStart(places + 1, '0')
  return `${digits.slice(0, -places)}.${digits.slice(-places)}`.replace(/\.?0+$/, '')
}

export interface RateScale {
  readonly ground: bigint
  readonly top: bigint
  /** Three to five round values in between, from the top down. */
  readonly lines: readonly bigint[]
  /** Distance between two lines. */
  readonly step: bigint
}

/** 1, 2, 5, 10, 20, 25, 50, 100, 200, 250, … units of the last decimal place. */
function* roundSteps(): Generator<bigint> {
  for (let size = 1n; ; size *= 10n) {
    yield size
    yield size * 2n
    if (size > 1n) yield (size * 5n) / 2n
    yield size * 5n
  }
}

const minLines = 3
const maxLines = 5
/** The margin above and below the rates, for labels, is the spread divided by this. */
const margin = 8n
/** The margin above and below a constant rate is the rate divided by this. */
const flatDivisor = 100n

function listLines(ground: bigint, top: bigint, step: bigint): bigint[] {
  const lines: bigint[] = []
  for (let line = (top / step) * step; line >= ground; line -= step) lines.push(line)
  return lines
}

/** Scale around rates: round lines inside, and a margin above and below. */
export function scaleAround(values: readonly bigint[]): RateScale {
  const highest = values.reduce((maximum, value) => (value > maximum ? value : maximum), values[0] ?? 1n)
  const lowest = values.reduce((minimum, value) => (value < minimum ? value : minimum), highest)
  const spread = highest - lowest
  const marginSize = spread === 0n ? highest / flatDivisor + 1n : spread / margin + 1n
  let [ground, top] = [lowest > marginSize ? lowest - marginSize : 0n, highest + marginSize]
  for (const step of roundSteps()) {
    if ((top - ground) / step > BigInt(maxLines + 1)) continue
    let lines = listLines(ground, top, step)
    if (lines.length > maxLines) continue
    while (lines.length < minLines) {
      const [upperLine, lowerLine] = [(top / step + 1n) * step, ground === 0n ? 0n : ((ground - 1n) / step) * step]
      if (lowerLine > 0n && ground - lowerLine < upperLine - top) ground = lowerLine
      else top = upperLine
      lines = listLines(ground, top, step)
    }
    return { ground, top, lines, step }
  }
  throw new Error('unreachable: steps grow without end')
}

const precision = 1_000_000n

/** Depth of a rate, from 0 at the top to 1 at the ground: a coordinate, not an amount. */
export const computeDepth = (value: bigint, { ground, top }: RateScale): number =>
  Number(((top - value) * precision) / (top - ground)) / Number(precision)

/** Rate at a depth, rounded to a hundredth of the scale's step. */
export function computeValue(depth: number, { ground, top, step }: RateScale): bigint {
  const exactValue = top - ((top - ground) * BigInt(Math.round(depth * Number(precision)))) / precision
  const roundingStep = step > 100n ? step / 100n : 1n
  return ((exactValue + roundingStep / 2n) / roundingStep) * roundingStep
}

/** Decimals needed to distinguish the lines of a scale. */
export function countDecimals(step: bigint): number {
  const digits = step.toString()
  const zeros = /0*$/.exec(digits)?.[0].length ?? 0
  return Math.max(0, places - zeros)
}

/** Change of a rate in hundredths of a percent, rounded half away from zero. */
export function computeRateChange(before: bigint, after: bigint): number {
  if (before === 0n) return 0
  const basisPoints = (after - before) * 20_000n
  return Number((basisPoints + (basisPoints < 0n ? -before : before)) / (2n * before))
}
