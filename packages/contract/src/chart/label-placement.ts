interface Point {
  readonly x: number
  readonly y: number
}

/** A straight piece of a coast or a route. */
export type Segment = readonly [x1: number, y1: number, x2: number, y2: number]

export interface Box {
  readonly left: number
  readonly top: number
  readonly right: number
  readonly bottom: number
}

/** A dot that wants a label of this width, and of another height than most. */
export interface LabelRequest extends Point {
  readonly width: number
  readonly height?: number
}

/** Where the lettering stands; `leader` is the line to its dot where it stands further away. */
export interface PlacedLabel {
  readonly box: Box
  readonly leader: Segment | undefined
}

export const labelHeight = 14
const air = 3
const dotRadius = 7
const gaps = [11, 18, 28, 40, 54, 70, 88, 108, 130]
/** Degrees, clockwise from the right: level first, then slanted, then above and below. */
const directions = [0, 180, -45, 45, -135, 135, -90, 90, -20, 20, 160, -160, -10, 10, 170, -170]
const leaderFrom = 18

const meet = (a: Box, b: Box): boolean => a.left < b.right && a.right > b.left && a.top < b.bottom && a.bottom > b.top

const holds = (outer: Box, inner: Box): boolean =>
  inner.left >= outer.left && inner.top >= outer.top && inner.right <= outer.right && inner.bottom <= outer.bottom

/** Whether a straight line touches a box (Liang and Barsky). */
export function crosses([x1, y1, x2, y2]: Segment, { left, top, right, bottom }: Box): boolean {
  const [dx, dy] = [x2 - x1, y2 - y1]
  let [from, to] = [0, 1]
  for (const [step, room] of [
    [-dx, x1 - left],
    [dx, right - x1],
    [-dy, y1 - top],
    [dy, bottom - y1],
  ] as const) {
    if (step === 0) {
      if (room < 0) return false
      continue
    }
    const at = room / step
    if (step < 0) from = Math.max(from, at)
    else to = Math.min(to, at)
    if (from > to) return false
  }
  return true
}

const side = ([x1, y1, x2, y2]: Segment, x: number, y: number): number =>
  Math.sign((x2 - x1) * (y - y1) - (y2 - y1) * (x - x1))

/** Whether two straight lines cross. */
const cross = (a: Segment, b: Segment): boolean =>
  side(a, b[0], b[1]) !== side(a, b[2], b[3]) && side(b, a[0], a[1]) !== side(b, a[2], a[3])

/** A label's place in one direction and distance from its dot, with air around it. */
function candidate({ x, y, width, height = labelHeight }: LabelRequest, gap: number, degrees: number): PlacedLabel {
  const [c, s] = [Math.cos((degrees * Math.PI) / 180), Math.sin((degrees * Math.PI) / 180)]
  const [px, py] = [x + gap * c, y + gap * s]
  const left = c > 0.35 ? px : c < -0.35 ? px - width : px - width / 2
  const top = s > 0.6 ? py : s < -0.6 ? py - height : py - height / 2
  const end = {
    x: c > 0.35 ? left - air : c < -0.35 ? left + width + air : px,
    y: s > 0.6 ? top : s < -0.6 ? top + height : top + height / 2,
  }
  return {
    box: { left: left - air, top: top - 1, right: left + width + air, bottom: top + height + 1 },
    leader: gap > leaderFrom ? [x, y, end.x, end.y] : undefined,
  }
}

/** What is drawn already. Leaders may pass over a coast, but over no route besides those of their own dot. */
export interface Lines {
  readonly coast: readonly Segment[]
  readonly routes: readonly Segment[]
}

/** How far a dot is from a box. */
const distanceTo = ({ left, top, right, bottom }: Box, { x, y }: Point): number =>
  Math.hypot(Math.max(left - x, 0, x - right), Math.max(top - y, 0, y - bottom))

/**
 * Whether a label would be read as that of another dot, which lies nearer to it: unless it stands above its own where its own
 * is the upper one of both, or below where it is the lower one.
 */
const isAmbiguous = (box: Box, own: Point, others: readonly Point[]): boolean => {
  const middle = (box.top + box.bottom) / 2
  return others.some(
    (other) => distanceTo(box, other) < distanceTo(box, own) && (middle - own.y) * (own.y - other.y) <= 0,
  )
}

const isAtDot = ([x1, y1, x2, y2]: Segment, { x, y }: Point): boolean =>
  Math.min(Math.hypot(x1 - x, y1 - y), Math.hypot(x2 - x, y2 - y)) < 2 * dotRadius

/**
 * Finds a place for each label, the first ones first: inside `frame`, and never over a coast, a route, a dot, what is `taken`,
 * or another label. Near its dot, else further out with a leader, else where it may be taken for that of another dot, else
 * undefined: it is left out.
 */
export function placeLabels(
  requests: readonly LabelRequest[],
  { coast, routes }: Lines,
  frame: Box,
  taken: readonly Box[] = [],
): (PlacedLabel | undefined)[] {
  const dots = requests.map(({ x, y }) => ({
    left: x - dotRadius,
    top: y - dotRadius,
    right: x + dotRadius,
    bottom: y + dotRadius,
  }))
  const full = [...taken, ...dots]
  return requests.map((request, index) => {
    const others = dots.filter((_, other) => other !== index)
    const foreign = routes.filter((route) => !isAtDot(route, request))
    const rest = requests.filter((_, other) => other !== index)
    const isFree = ({ box, leader }: PlacedLabel): boolean =>
      holds(frame, box) &&
      !full.some((other) => meet(box, other)) &&
      !coast.some((segment) => crosses(segment, box)) &&
      !routes.some((segment) => crosses(segment, box)) &&
      !(leader && others.some((other) => crosses(leader, other))) &&
      !(leader && foreign.some((route) => cross(leader, route)))
    const places = gaps.flatMap((gap) => directions.map((degrees) => candidate(request, gap, degrees)))
    const label = places.find((each) => !isAmbiguous(each.box, request, rest) && isFree(each)) ?? places.find(isFree)
    if (label) full.push(label.box)
    return label
  })
}
