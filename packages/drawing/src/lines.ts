// Lines of a drawing: clipping to a frame, simplification, and conversion to SVG paths.

import type { Box } from './boxes.ts'

export type Coordinates = readonly [x: number, y: number]

/** Formats a length in a drawing, rounded to a tenth. */
export const px = (value: number): string => String(Math.round(value * 10) / 10) // not money: a position in a drawing

const toHalfUnits = (value: number): number => Math.round(value * 2) // not money: a position in a drawing

/** Returns the box enlarged by `margin` on each side; shrunk if negative. */
export const expandBox = ({ left, top, right, bottom }: Box, margin: number): Box => ({
  left: left - margin,
  top: top - margin,
  right: right + margin,
  bottom: bottom + margin,
})

export const isInside = ({ left, top, right, bottom }: Box, [x, y]: Coordinates): boolean =>
  x >= left && x <= right && y >= top && y <= bottom

type Side = readonly [inside: (at: Coordinates) => boolean, crossing: (a: Coordinates, b: Coordinates) => Coordinates]

function listSides({ left, top, right, bottom }: Box): Side[] {
  const intersectX =
    (x: number) =>
    ([ax, ay]: Coordinates, [bx, by]: Coordinates): Coordinates => [x, ay + ((x - ax) / (bx - ax)) * (by - ay)]
  const intersectY =
    (y: number) =>
    ([ax, ay]: Coordinates, [bx, by]: Coordinates): Coordinates => [ax + ((y - ay) / (by - ay)) * (bx - ax), y]
  return [
    [([x]) => x >= left, intersectX(left)],
    [([x]) => x <= right, intersectX(right)],
    [([, y]) => y >= top, intersectY(top)],
    [([, y]) => y <= bottom, intersectY(bottom)],
  ]
}

/** Clips a closed line to a frame (Sutherland–Hodgman). */
export function clipRing(ring: readonly Coordinates[], frame: Box): Coordinates[] {
  let points = [...ring]
  for (const [isInsideSide, intersect] of listSides(frame)) {
    const clippedPoints: Coordinates[] = []
    points.forEach((point, index) => {
      const previous = points.at(index - 1) ?? point
      if (isInsideSide(point) !== isInsideSide(previous)) clippedPoints.push(intersect(previous, point))
      if (isInsideSide(point)) clippedPoints.push(point)
    })
    points = clippedPoints
  }
  return points
}

function distanceToLine([x, y]: Coordinates, [ax, ay]: Coordinates, [bx, by]: Coordinates): number {
  const [dx, dy] = [bx - ax, by - ay]
  const length = dx * dx + dy * dy
  const share = length === 0 ? 0 : Math.max(0, Math.min(1, ((x - ax) * dx + (y - ay) * dy) / length))
  return Math.hypot(x - ax - share * dx, y - ay - share * dy)
}

/** Simplifies a line, deviating by at most `tolerance` (Douglas–Peucker). */
export function simplifyLine(points: readonly Coordinates[], tolerance: number): Coordinates[] {
  const [first, last] = [points[0], points.at(-1)]
  if (!first || !last || points.length < 3) return [...points]
  const selectedIndexes = new Set([0, points.length - 1])
  const parts: [number, number][] = [[0, points.length - 1]]
  for (let part = parts.pop(); part; part = parts.pop()) {
    const [from, to] = part
    let [maxDistance, farthestIndex] = [0, from]
    for (let index = from + 1; index < to; index += 1) {
      const distance = distanceToLine(points[index] ?? first, points[from] ?? first, points[to] ?? last)
      if (distance > maxDistance) [maxDistance, farthestIndex] = [distance, index]
    }
    if (maxDistance <= tolerance) continue
    selectedIndexes.add(farthestIndex)
    parts.push([from, farthestIndex], [farthestIndex, to])
  }
  return points.filter((_, index) => selectedIndexes.has(index))
}

/** Simplifies a closed line in two halves, since its first and last points coincide. */
export function simplifyRing(ring: readonly Coordinates[], tolerance: number): Coordinates[] {
  const middle = Math.floor(ring.length / 2) // not money: an index
  const [first] = ring
  if (!first) return []
  return [ring.slice(0, middle + 1), [...ring.slice(middle), first]].flatMap((part) =>
    simplifyLine(part, tolerance).slice(0, -1),
  )
}

export const computeArea = (ring: readonly Coordinates[]): number =>
  Math.abs(
    ring.reduce((sum, [x, y], index) => {
      const [nextX, nextY] = ring[(index + 1) % ring.length] ?? [x, y]
      return sum + x * nextY - nextX * y
    }, 0) / 2,
  )

/** Returns a line as an SVG path in relative coordinates, rounded to half a unit to keep the path short. */
export function toPath(points: readonly Coordinates[], isClosed: boolean): string {
  const [first, ...rest] = points
  if (!first) return ''
  let [x, y] = [toHalfUnits(first[0]), toHalfUnits(first[1])]
  let path = `M${x / 2} ${y / 2}l`
  let isEmpty = true
  for (const point of rest) {
    const [nextX, nextY] = [toHalfUnits(point[0]), toHalfUnits(point[1])]
    const [dx, dy] = [(nextX - x) / 2, (nextY - y) / 2]
    if (dx === 0 && dy === 0) continue
    path += `${isEmpty || dx < 0 ? '' : ' '}${dx}${dy < 0 ? '' : ' '}${dy}`
    ;[x, y, isEmpty] = [nextX, nextY, false]
  }
  return isEmpty ? '' : path + (isClosed ? 'z' : '')
}
