import { computeMiddle, computePosition, type LineFacts } from './rate-line.ts'
import { computeDepth, type RateScale } from './rate-scale.ts'

/** Placement of a label relative to its point; undefined if there is no room. */
export type LabelSide = 'center' | 'start' | 'end' | undefined

/** Half the width of a label such as "1.0904 Nov 4", as a share of the plot. */
export type HalfWidth = number

/**
 * Side on which the label of a point fits within the plot and clear of the crosshair. `start`: the label begins at the
 * point; `end`: it ends there.
 */
export function labelSide(x: number, half: HalfWidth, crosshair: number | undefined): LabelSide {
  const isFree = (from: number, until: number) =>
    from >= 0 && until <= 1 && (crosshair === undefined || crosshair < from || crosshair > until)
  if (isFree(x - half, x + half)) return 'center'
  if (isFree(x, x + 2 * half)) return 'start'
  if (isFree(x - 2 * half, x)) return 'end'
  return undefined
}

/** Indices of the highest and the lowest step outside gaps; undefined if the line is flat or empty. */
export function findExtremes(facts: LineFacts): { high: number; low: number } | undefined {
  const segments = facts.steps.flatMap((step, index) => {
    const end = facts.steps[index + 1]?.at ?? facts.until
    return facts.gaps.some((gap) => gap.from <= step.at && gap.until >= end) ? [] : [{ index, units: step.units }]
  })
  const [first] = segments
  if (!first) return undefined
  let [high, low] = [first, first]
  for (const segment of segments) {
    if (segment.units > high.units) high = segment
    if (segment.units < low.units) low = segment
  }
  return high.units === low.units ? undefined : { high: high.index, low: low.index }
}

/** Box on the plot in shares of its width and height, from the start and the top. */
export interface Box {
  readonly start: number
  readonly end: number
  readonly top: number
  readonly bottom: number
}

const overlap = (a: Box, b: Box): boolean => a.start < b.end && b.start < a.end && a.top < b.bottom && b.top < a.bottom

/** Boxes covered by the line of rates: one per run, as high as the jump that ends it. */
function listRuns(facts: LineFacts, scale: RateScale): Box[] {
  return facts.steps.map((step, index) => {
    const next = facts.steps[index + 1]
    const depths = [computeDepth(step.units, scale), computeDepth(next?.units ?? step.units, scale)]
    return {
      start: computePosition(step.at, facts),
      end: computePosition(next?.at ?? facts.until, facts),
      top: Math.min(...depths),
      bottom: Math.max(...depths),
    }
  })
}

/** Number of intervals between the positions tried along a line. */
const positionCount = 40
const edge = 0.02

/** A horizontal line with the width of its name, in shares of the plot. */
export interface NamedLine {
  readonly depth: number
  readonly width: number
}

/**
 * Positions of the names of horizontal lines, in shares of the width and in the order of `lines`. Each is the first
 * place from the start that is clear of the rates and of earlier names, else the one with the fewest collisions.
 * `height` is that of a name with its margin.
 */
export function placeNames(lines: readonly NamedLine[], height: number, facts: LineFacts, scale: RateScale): number[] {
  const runs = listRuns(facts, scale)
  const takenBoxes: Box[] = []
  return lines.map(({ depth, width }) => {
    const boxes = Array.from({ length: positionCount + 1 }, (_, index) => {
      const start = edge + (index / positionCount) * Math.max(0, 1 - 2 * edge - width)
      return { start, end: start + width, top: depth - height / 2, bottom: depth + height / 2 }
    })
    const countCollisions = (box: Box) =>
      runs.filter((run) => overlap(box, run)).length +
      1000 * takenBoxes.filter((otherBox) => overlap(box, otherBox)).length
    const best = boxes.reduce((lowest, box) => (countCollisions(box) < countCollisions(lowest) ? box : lowest))
    takenBoxes.push(best)
    return best.start
  })
}

/**
 * Moves depths apart by as little as needed, so that their labels neither overlap nor leave the plot. Returns them in
 * input order.
 */
export function spreadDepths(depths: readonly number[], gap: number): number[] {
  const order = depths.map((depth, index) => ({ depth, index })).toSorted((a, b) => a.depth - b.depth)
  const places: number[] = []
  let minDepth = 0
  for (const { depth, index } of order) {
    const place = Math.max(depth, minDepth)
    places[index] = place
    minDepth = place + gap
  }
  // Labels pushed past the lower edge move back up, along with those in their way.
  let maxDepth = 1
  for (const { index } of order.toReversed()) {
    const place = Math.min(places[index] ?? 0, maxDepth)
    places[index] = place
    maxDepth = place - gap
  }
  return places
}

/** Maximum distance of a long run's label from the beginning of the run, as a share of the plot. */
const maxInset = 0.02

/** Point of a step's label: the middle of its run, or near the beginning of a long run. */
export const locateLabel = (index: number, facts: LineFacts, scale: RateScale): { x: number; y: number } => ({
  x: Math.min(computeMiddle(index, facts), computePosition(facts.steps[index]?.at ?? facts.from, facts) + maxInset),
  y: computeDepth(facts.steps[index]?.units ?? scale.ground, scale),
})
