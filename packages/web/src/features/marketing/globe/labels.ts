// not money: boxes and distances on a drawing.
import type { Segment } from './coast.ts'
import type { Point } from './sphere.ts'

export interface Box {
  readonly left: number
  readonly top: number
  readonly right: number
  readonly bottom: number
}

/** Label at a point, with the size of its text. */
export interface LabelWish {
  readonly at: Point
  readonly width: number
  readonly height: number
}

export interface LabelPlace {
  readonly x: number
  readonly y: number
  /** End of the leader line, if the label is too far from its point to be read without one. */
  readonly leaderEnd?: Point
}

const dotRadius = 7
const gaps = [11, 18, 28, 40, 54, 70, 88, 108, 130, 156, 190]
const leaderFrom = 18
/** In order of preference: right and left, then the corners, above and below. */
const angles = [0, 180, -45, 45, -135, 135, -90, 90, -20, 20, 160, -160]

/** Checks whether a segment touches a box, by Liang–Barsky clipping. */
function touches([x1, y1, x2, y2]: Segment, { left, top, right, bottom }: Box): boolean {
  const isBeside = (x1 < left && x2 < left) || (x1 > right && x2 > right)
  if (isBeside || (y1 < top && y2 < top) || (y1 > bottom && y2 > bottom)) return false
  let [enters, leaves] = [0, 1]
  const [dx, dy] = [x2 - x1, y2 - y1]
  for (const [way, room] of [
    [-dx, x1 - left],
    [dx, right - x1],
    [-dy, y1 - top],
    [dy, bottom - y1],
  ] as const) {
    if (way === 0 && room < 0) return false
    if (way < 0) enters = Math.max(enters, room / way)
    if (way > 0) leaves = Math.min(leaves, room / way)
  }
  return enters <= leaves
}

const overlaps = (a: Box, b: Box) => a.left < b.right && a.right > b.left && a.top < b.bottom && a.bottom > b.top
const isWithin = (inner: Box, outer: Box) =>
  inner.left >= outer.left && inner.top >= outer.top && inner.right <= outer.right && inner.bottom <= outer.bottom

const boxOf = (x: number, y: number, { width, height }: LabelWish): Box => ({
  left: x - 3,
  top: y - 1,
  right: x + width + 3,
  bottom: y + height + 1,
})

/** Label position at an angle and distance from its point, anchored at the nearer side of its box. */
function candidate({ at, width, height }: LabelWish, angle: number, gap: number): LabelPlace {
  const [across, down] = [Math.cos((angle * Math.PI) / 180), Math.sin((angle * Math.PI) / 180)]
  const [toX, toY] = [at[0] + gap * across, at[1] + gap * down]
  const x = across > 0.35 ? toX : across < -0.35 ? toX - width : toX - width / 2
  const y = down > 0.6 ? toY : down < -0.6 ? toY - height : toY - height / 2
  if (gap <= leaderFrom) return { x, y }
  const endX = across > 0.35 ? x - 3 : across < -0.35 ? x + width + 3 : toX
  return { x, y, leaderEnd: [endX, down > 0.6 ? y : down < -0.6 ? y + height : y + height / 2] }
}

/**
 * Places labels beside their points inside `room`, without crossing lines or covering dots and other labels; farther
 * away, with a leader, in crowded areas. A label without such a place crosses lines instead of being omitted.
 */
export function placeLabels(wishes: readonly LabelWish[], lines: readonly Segment[], room: Box): LabelPlace[] {
  const dots = wishes.map(({ at: [x, y] }) => ({
    left: x - dotRadius,
    top: y - dotRadius,
    right: x + dotRadius,
    bottom: y + dotRadius,
  }))
  const taken: Box[] = []
  return wishes.map((wish) => {
    const isFree = (place: LabelPlace, isStrict: boolean) => {
      const box = boxOf(place.x, place.y, wish)
      return (
        isWithin(box, room) &&
        ![...dots, ...taken].some((other) => overlaps(box, other)) &&
        !(isStrict && lines.some((line) => touches(line, box)))
      )
    }
    const candidates = gaps.flatMap((gap) => angles.map((angle) => candidate(wish, angle, gap)))
    const place =
      candidates.find((each) => isFree(each, true)) ??
      candidates.find((each) => isFree(each, false)) ??
      candidate(wish, 0, leaderFrom)
    taken.push(boxOf(place.x, place.y, wish))
    return place
  })
}
