import { type Box, contains, crosses, overlap, type Segment } from './boxes.ts'

interface Point {
  readonly x: number
  readonly y: number
}

/** Label to be placed near a dot; `height` defaults to `labelHeight`. */
export interface LabelRequest extends Point {
  readonly width: number
  readonly height?: number
}

/** Position of a label; `leader` is the line that connects a distant label to its dot. */
export interface PlacedLabel {
  readonly box: Box
  readonly leader: Segment | undefined
}

export const labelHeight = 14
export const labelMargin = 3
export const dotRadius = 7
export const labelGaps = [11, 18, 28, 40, 54, 70, 88, 108, 130]
/** Directions in degrees, clockwise from the right, in order of preference. */
export const labelDirections = [0, 180, -45, 45, -135, 135, -90, 90, -20, 20, 160, -160, -10, 10, 170, -170]
export const leaderFrom = 18

const side = ([x1, y1, x2, y2]: Segment, x: number, y: number): number =>
  Math.sign((x2 - x1) * (y - y1) - (y2 - y1) * (x - x1))

const segmentsCross = (a: Segment, b: Segment): boolean =>
  side(a, b[0], b[1]) !== side(a, b[2], b[3]) && side(b, a[0], a[1]) !== side(b, a[2], a[3])

export const dotBox = ({ x, y }: Point): Box => ({
  left: x - dotRadius,
  top: y - dotRadius,
  right: x + dotRadius,
  bottom: y + dotRadius,
})

/** Returns the position of a label, padding included, in one direction and at one distance from its dot. */
export function labelCandidate(
  { x, y, width, height = labelHeight }: LabelRequest,
  gap: number,
  degrees: number,
): PlacedLabel {
  const [c, s] = [Math.cos((degrees * Math.PI) / 180), Math.sin((degrees * Math.PI) / 180)]
  const [px, py] = [x + gap * c, y + gap * s]
  const left = c > 0.35 ? px : c < -0.35 ? px - width : px - width / 2
  const top = s > 0.6 ? py : s < -0.6 ? py - height : py - height / 2
  const end = {
    x: c > 0.35 ? left - labelMargin : c < -0.35 ? left + width + labelMargin : px,
    y: s > 0.6 ? top : s < -0.6 ? top + height : top + height / 2,
  }
  return {
    box: { left: left - labelMargin, top: top - 1, right: left + width + labelMargin, bottom: top + height + 1 },
    leader: gap > leaderFrom ? [x, y, end.x, end.y] : undefined,
  }
}

/** Lines already drawn. A leader may cross a coast, but not a route, except a route of its own dot. */
export interface Lines {
  readonly coast: readonly Segment[]
  readonly routes: readonly Segment[]
}

const computeDistance = ({ left, top, right, bottom }: Box, { x, y }: Point): number =>
  Math.hypot(Math.max(left - x, 0, x - right), Math.max(top - y, 0, y - bottom))

/**
 * Reports whether a reader could take a label for that of a nearer dot. A label above the upper of two dots, or below
 * the lower one, is never ambiguous.
 */
const isAmbiguous = (box: Box, dot: Point, points: readonly Point[]): boolean => {
  const middle = (box.top + box.bottom) / 2
  return points.some(
    (point) => computeDistance(box, point) < computeDistance(box, dot) && (middle - dot.y) * (dot.y - point.y) <= 0,
  )
}

const isAtDot = ([x1, y1, x2, y2]: Segment, { x, y }: Point): boolean =>
  Math.min(Math.hypot(x1 - x, y1 - y), Math.hypot(x2 - x, y2 - y)) < 2 * dotRadius

/**
 * Returns a position for each label, in order of priority: inside `frame`, clear of coasts, routes, dots, `takenBoxes`
 * and other labels. Prefers positions near the dot, then farther ones with a leader, then ambiguous ones; undefined for
 * a label that fits nowhere.
 */
export function placeLabels(
  requests: readonly LabelRequest[],
  { coast, routes }: Lines,
  frame: Box,
  takenBoxes: readonly Box[] = [],
): (PlacedLabel | undefined)[] {
  const dots = requests.map(dotBox)
  const occupiedBoxes = [...takenBoxes, ...dots]
  return requests.map((request, index) => {
    const otherDots = dots.filter((_, otherIndex) => otherIndex !== index)
    const otherRoutes = routes.filter((route) => !isAtDot(route, request))
    const otherRequests = requests.filter((_, otherIndex) => otherIndex !== index)
    const isFree = ({ box, leader }: PlacedLabel): boolean =>
      contains(frame, box) &&
      !occupiedBoxes.some((placedBox) => overlap(box, placedBox)) &&
      !coast.some((segment) => crosses(segment, box)) &&
      !routes.some((segment) => crosses(segment, box)) &&
      !(leader && otherDots.some((dot) => crosses(leader, dot))) &&
      !(leader && otherRoutes.some((route) => segmentsCross(leader, route)))
    const places = labelGaps.flatMap((gap) => labelDirections.map((degrees) => labelCandidate(request, gap, degrees)))
    const label =
      places.find((place) => !isAmbiguous(place.box, request, otherRequests) && isFree(place)) ?? places.find(isFree)
    if (label) occupiedBoxes.push(label.box)
    return label
  })
}
