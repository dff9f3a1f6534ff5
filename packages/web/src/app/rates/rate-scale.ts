/** Decimals of the whole numbers in which rates are compared and drawn; the server writes no more. */
const places = 12

/** A rate as a whole number of its last decimal place: exact, and comparable with every other. */
export function unitsOf(rate: string): bigint {
  const [whole = '0', fraction = ''] = rate.split('.')
  return BigInt(whole + fraction.slice(0, places).padEnd(places, '0'))
}

/** The rate of a whole number of last decimal places, without zeros that say nothing. */
export function rateOf(units: bigint): string {
  const digits = units.toString().padStart(places + 1, '0')
  return `${digits.slice(0, -places)}.${digits.slice(-places)}`.replace(/\.?0+$/, '')
}

export interface RateScale {
  readonly ground: bigint
  readonly top: bigint
  /** Three to five round values between them, from the top down. */
  readonly lines: readonly bigint[]
  /** The distance of two lines. */
  readonly step: bigint
}

/** 1, 2, 2.5, 5, 10, 20, 25, … of the last decimal place. */
function* roundSteps(): Generator<bigint> {
  for (let size = 1n; ; size *= 10n) {
    yield size
    yield size * 2n
    if (size > 1n) yield (size * 5n) / 2n
    yield size * 5n
  }
}

const fewestLines = 3
const mostLines = 5
/** Above and below the line is room for the names of its highest and lowest value: an eighth of what it spans. */
const margin = 8n
/** A rate that never changed is drawn in the middle of two hundredths of itself. */
const flat = 100n

function linesBetween(ground: bigint, top: bigint, step: bigint): bigint[] {
  const lines: bigint[] = []
  for (let line = (top / step) * step; line >= ground; line -= step) lines.push(line)
  return lines
}

/** A scale around rates: round lines inside, and some room above and below. */
export function scaleAround(values: readonly bigint[]): RateScale {
  const highest = values.reduce((most, value) => (value > most ? value : most), values[0] ?? 1n)
  const lowest = values.reduce((least, value) => (value < least ? value : least), highest)
  const spread = highest - lowest
  const room = spread === 0n ? highest / flat + 1n : spread / margin + 1n
  let [ground, top] = [lowest > room ? lowest - room : 0n, highest + room]
  for (const step of roundSteps()) {
    if ((top - ground) / step > BigInt(mostLines + 1)) continue
    let lines = linesBetween(ground, top, step)
    if (lines.length > mostLines) continue
    while (lines.length < fewestLines) {
      const [above, below] = [(top / step + 1n) * step, ground === 0n ? 0n : ((ground - 1n) / step) * step]
      if (below > 0n && ground - below < above - top) ground = below
      else top = above
      lines = linesBetween(ground, top, step)
    }
    return { ground, top, lines, step }
  }
  throw new Error('unreachable: steps grow without end')
}

const fine = 1_000_000n

/** How far below the top a rate stands, from 0 at the top to 1 at the ground: a place on the drawing, not an amount. */
export const depthOf = (value: bigint, { ground, top }: RateScale): number =>
  Number(((top - value) * fine) / (top - ground)) / Number(fine)

/** The rate at a depth, to the last place that the scale's step tells apart by a hundred. */
export function valueAt(depth: number, { ground, top, step }: RateScale): bigint {
  const exact = top - ((top - ground) * BigInt(Math.round(depth * Number(fine)))) / fine
  const grain = step > 100n ? step / 100n : 1n
  return ((exact + grain / 2n) / grain) * grain
}

/** How many decimals tell the lines of a scale apart. */
export function decimalsOf(step: bigint): number {
  const digits = step.toString()
  const zeros = /0*$/.exec(digits)?.[0].length ?? 0
  return Math.max(0, places - zeros)
}

/** How much a rate changed, in hundredths of a percent, rounded half away from zero. */
export function changeOf(before: bigint, after: bigint): number {
  if (before === 0n) return 0
  const scaled = (after - before) * 20_000n
  return Number((scaled + (scaled < 0n ? -before : before)) / (2n * before))
}
