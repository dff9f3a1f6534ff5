import { computeDepth, type RateScale } from './rate-scale.ts'

export interface Step {
  /** Milliseconds since 1970. */
  readonly at: number
  /** Rate as an integer in units of 1e-12. */
  readonly units: bigint
}

/** Period in milliseconds since 1970. */
export interface Period {
  readonly from: number
  readonly until: number
}

export interface LineFacts {
  /** In order of time: each holds until the next, the last until the end. */
  readonly steps: readonly Step[]
  readonly from: number
  readonly until: number
  /** Periods without a fix, where the line is dotted. */
  readonly rests: readonly Period[]
  /** Periods without stored rates, where the line breaks. */
  readonly gaps: readonly Period[]
}

/** Break of the line, in shares of the width. */
export interface Break {
  readonly start: number
  readonly end: number
}

export interface DrawnLine {
  /** Paths on a square of 1000 units. */
  readonly line: string
  readonly dottedLine: string
  readonly breaks: readonly Break[]
}

const side = 1000
/** Rests narrower than this share of the width, about three dots, are drawn solid. */
const minRestWidth = 0.012
const toCoordinate = (share: number): number => Math.round(share * side * 10) / 10

/** Position of a moment, from 0 at the beginning to 1 at the end. */
export const computePosition = (at: number, { from, until }: Pick<LineFacts, 'from' | 'until'>): number =>
  Math.min(1, Math.max(0, (at - from) / (until - from)))

type Ink = 'line' | 'dotted' | 'none'

/** Cuts a run of one rate where the line is dotted or breaks. */
function splitRun(from: number, until: number, { rests, gaps }: Pick<LineFacts, 'rests' | 'gaps'>) {
  const marks = [
    ...gaps.map((period) => ({ ...period, ink: 'none' as Ink })),
    ...rests.map((period) => ({ ...period, ink: 'dotted' as Ink })),
  ]
  const boundaries = new Set([from, until])
  for (const mark of marks)
    for (const edge of [mark.from, mark.until]) if (edge > from && edge < until) boundaries.add(edge)
  const times = [...boundaries].toSorted((a, b) => a - b)
  return times.slice(1).map((end, index) => {
    const start = times[index] ?? from
    const mark = marks.find((candidate) => candidate.from <= start && candidate.until >= end)
    return { start, end, ink: mark?.ink ?? 'line' }
  })
}

/** Draws the line as steps: a rate is constant between two fixes. */
export function drawLine(facts: LineFacts, scale: RateScale): DrawnLine {
  const { steps, until, gaps } = facts
  const x = (at: number) => computePosition(at, facts)
  const rests = facts.rests.filter((rest) => x(rest.until) - x(rest.from) >= minRestWidth)
  let [line, dottedLine] = ['', '']
  let previous: { y: number; ink: Ink } | undefined
  for (const [index, step] of steps.entries()) {
    const y = toCoordinate(computeDepth(step.units, scale))
    for (const { start, end, ink } of splitRun(step.at, steps[index + 1]?.at ?? until, { rests, gaps })) {
      const [left, right] = [toCoordinate(x(start)), toCoordinate(x(end))]
      if (ink === 'dotted') dottedLine += `M${left} ${y}H${right}`
      if (ink === 'line') {
        const continuesLine = previous?.ink === 'line'
        if (!continuesLine) line += previous?.ink === 'dotted' ? `M${left} ${previous.y}` : `M${left} ${y}`
        if (previous && previous.ink !== 'none' && previous.y !== y) line += `V${y}`
        line += `H${right}`
      }
      previous = { y, ink }
    }
  }
  const breaks = gaps.map((gap) => ({ start: x(gap.from), end: x(gap.until) }))
  return { line, dottedLine, breaks }
}

/** Index of the step in force at a share of the width; 0 before the first one. */
export function findStep(share: number, facts: LineFacts): number {
  const at = facts.from + share * (facts.until - facts.from)
  return Math.max(
    0,
    facts.steps.findLastIndex((step) => step.at <= at),
  )
}

/** Middle of a step's run, as a share of the width. */
export function computeMiddle(index: number, facts: LineFacts): number {
  const start = facts.steps[index]?.at ?? facts.from
  const end = facts.steps[index + 1]?.at ?? facts.until
  return computePosition((start + end) / 2, facts)
}
