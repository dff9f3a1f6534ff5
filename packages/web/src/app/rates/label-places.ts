import { middleOf, placeOf, type LineFacts } from './rate-line.ts'
import { depthOf, type RateScale } from './rate-scale.ts'

/** On which side of its point a label stands; undefined where no side is free. */
export type LabelSide = 'center' | 'start' | 'end' | undefined

/** Half the width of a label such as "1.0904 Nov 4", as a share of the plot. */
export type HalfWidth = number

/**
 * Where the label of a point may stand so that it stays within the plot and off the crosshair. `start`: from the point on
 * towards the end of the line; `end`: up to the point.
 */
export function labelSide(x: number, half: HalfWidth, crosshair: number | undefined): LabelSide {
  const isFree = (from: number, until: number) =>
    from >= 0 && until <= 1 && (crosshair === undefined || crosshair < from || crosshair > until)
  if (isFree(x - half, x + half)) return 'center'
  if (isFree(x, x + 2 * half)) return 'start'
  if (isFree(x - 2 * half, x)) return 'end'
  return undefined
}

/** The highest and the lowest step of a line, in the middle of their runs; undefined where it is flat. */
export function extremesOf(facts: LineFacts): { high: number; low: number } | undefined {
  const shown = facts.steps.flatMap((step, index) => {
    const end = facts.steps[index + 1]?.at ?? facts.until
    return facts.gaps.some((gap) => gap.from <= step.at && gap.until >= end) ? [] : [{ index, units: step.units }]
  })
  const [first] = shown
  if (!first) return undefined
  let [high, low] = [first, first]
  for (const one of shown) {
    if (one.units > high.units) high = one
    if (one.units < low.units) low = one
  }
  return high.units === low.units ? undefined : { high: high.index, low: low.index }
}

/** A box on the plot in shares of its width and height, from the start and the top. */
export interface Box {
  readonly start: number
  readonly end: number
  readonly top: number
  readonly bottom: number
}

const meets = (a: Box, b: Box): boolean => a.start < b.end && b.start < a.end && a.top < b.bottom && b.top < a.bottom

/** Boxes that the line of rates passes through: one for each run, as high as the jump that ends it. */
function runsOf(facts: LineFacts, scale: RateScale): Box[] {
  return facts.steps.map((step, index) => {
    const next = facts.steps[index + 1]
    const depths = [depthOf(step.units, scale), depthOf(next?.units ?? step.units, scale)]
    return {
      start: placeOf(step.at, facts),
      end: placeOf(next?.at ?? facts.until, facts),
      top: Math.min(...depths),
      bottom: Math.max(...depths),
    }
  })
}

/** How many places along a line are tried. */
const tries = 40
const edge = 0.02

/** A horizontal line with the width of its name, in shares of the plot. */
export interface NamedLine {
  readonly depth: number
  readonly width: number
}

/**
 * Where the names of horizontal lines stand: each in a break of its line, the first place from the start that neither the
 * rates, nor another line, nor a name before it comes close to; where there is none, the place that meets the least. `height`:
 * of a name with its room. In shares of the width, in the order of `lines`.
 */
export function namePlaces(lines: readonly NamedLine[], height: number, facts: LineFacts, scale: RateScale): number[] {
  const runs = runsOf(facts, scale)
  const taken: Box[] = []
  return lines.map(({ depth, width }) => {
    const boxes = Array.from({ length: tries + 1 }, (_, index) => {
      const start = edge + (index / tries) * Math.max(0, 1 - 2 * edge - width)
      return { start, end: start + width, top: depth - height / 2, bottom: depth + height / 2 }
    })
    const troubleOf = (box: Box) =>
      runs.filter((run) => meets(box, run)).length + 1000 * taken.filter((other) => meets(box, other)).length
    const best = boxes.reduce((least, box) => (troubleOf(box) < troubleOf(least) ? box : least))
    taken.push(best)
    return best.start
  })
}

/**
 * Depths moved apart, each as little as its neighbors allow, so that what stands at them does not overlap; none leaves the
 * plot. In the order they came.
 */
export function movedApart(depths: readonly number[], gap: number): number[] {
  const order = depths.map((depth, index) => ({ depth, index })).toSorted((a, b) => a.depth - b.depth)
  const places: number[] = []
  let least = 0
  for (const { depth, index } of order) {
    const place = Math.max(depth, least)
    places[index] = place
    least = place + gap
  }
  // What was pushed over the lower edge comes back, and takes along what is in its way.
  let most = 1
  for (const { index } of order.toReversed()) {
    const place = Math.min(places[index] ?? 0, most)
    places[index] = place
    most = place - gap
  }
  return places
}

/** Of a long run, its beginning is named: that is the moment that the label tells. */
const farthestIn = 0.02

/** Where the label of a step points to: the middle of its run, or near its beginning where it is long. */
export const pointOf = (index: number, facts: LineFacts, scale: RateScale): { x: number; y: number } => ({
  x: Math.min(middleOf(index, facts), placeOf(facts.steps[index]?.at ?? facts.from, facts) + farthestIn),
  y: depthOf(facts.steps[index]?.units ?? scale.ground, scale),
})
