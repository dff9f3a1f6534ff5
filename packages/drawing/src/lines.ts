// Lines of a drawing: clipped to a frame, simplified, and written as SVG paths.

import type { Box } from './boxes.ts'

export type Coordinates = readonly [x: number, y: number]

/** Formats a length of a drawing, rounded to a tenth. */
export const px = (value: number): string => String(Math.round(value * 10) / 10) // not money: a place in a drawing

const half = (value: number): number => Math.round(value * 2) // not money: a place in a drawing

/** Returns the frame enlarged by `by` on each side; shrunk if negative. */
export const grown = ({ left, top, right, bottom }: Box, by: number): Box => ({
  left: left - by,
  top: top - by,
  right: right + by,
  bottom: bottom + by,
})

export const isInside = ({ left, top, right, bottom }: Box, [x, y]: Coordinates): boolean =>
  x >= left && x <= right && y >= top && y <= bottom

type Side = readonly [inside: (at: Coordinates) => boolean, crossing: (a: Coordinates, b: Coordinates) => Coordinates]

function listSides({ left, top, right, bottom }: Box): Side[] {
  const onX =
    (x: number) =>
    ([ax, ay]: Coordinates, [bx, by]: Coordinates): Coordinates => [x, ay + ((x - ax) / (bx - ax)) * (by - ay)]
  const onY =
    (y: number) =>
    ([ax, ay]: Coordinates, [bx, by]: Coordinates): Coordinates => [ax + ((y - ay) / (by - ay)) * (bx - ax), y]
  return [
    [([x]) => x >= left, onX(left)],
    [([x]) => x <= right, onX(right)],
    [([, y]) => y >= top, onY(top)],
    [([, y]) => y <= bottom, onY(bottom)],
  ]
}

/** Clips a closed line to a frame (Sutherland–Hodgman). */
export function clipped(ring: readonly Coordinates[], frame: Box): Coordinates[] {
  let points = [...ring]
  for (const [inside, crossing] of listSides(frame)) {
    const keptPoints: Coordinates[] = []
    points.forEach((point, index) => {
      const before = points.at(index - 1) ?? point
      if (inside(point) !== inside(before)) keptPoints.push(crossing(before, point))
      if (inside(point)) keptPoints.push(point)
    })
    points = keptPoints
  }
  return points
}

function distanceToLine([x, y]: Coordinates, [ax, ay]: Coordinates, [bx, by]: Coordinates): number {
  const [dx, dy] = [bx - ax, by - ay]
  const length = dx * dx + dy * dy
  const way = length === 0 ? 0 : Math.max(0, Math.min(1, ((x - ax) * dx + (y - ay) * dy) / length))
  return Math.hypot(x - ax - way * dx, y - ay - way * dy)
}

/** Simplifies a line to within `tolerance` (Douglas–Peucker). */
export function simplified(points: readonly Coordinates[], tolerance: number): Coordinates[] {
  const [first, last] = [points[0], points.at(-1)]
  if (!first || !last || points.length < 3) return [...points]
  const keptIndexes = new Set([0, points.length - 1])
  const parts: [number, number][] = [[0, points.length - 1]]
  for (let part = parts.pop(); part; part = parts.pop()) {
    const [from, to] = part
    let [most, farthest] = [0, from]
    for (let index = from + 1; index < to; index += 1) {
      const distance = distanceToLine(points[index] ?? first, points[from] ?? first, points[to] ?? last)
      if (distance > most) [most, farthest] = [distance, index]
    }
    if (most <= tolerance) continue
    keptIndexes.add(farthest)
    parts.push([from, farthest], [farthest, to])
  }
  return points.filter((_, index) => keptIndexes.has(index))
}

/** Simplifies a closed line in two halves, because its two ends coincide. */
export function simplifiedRing(ring: readonly Coordinates[], tolerance: number): Coordinates[] {
  const middle = Math.floor(ring.length / 2) // not money: an index
  const [first] = ring
  if (!first) return []
  return [ring.slice(0, middle + 1), [...ring.slice(middle), first]].flatMap((part) =>
    simplified(part, tolerance).slice(0, -1),
  )
}

export const computeArea = (ring: readonly Coordinates[]): number =>
  Math.abs(
    ring.reduce((sum, [x, y], index) => {
      const [nextX, nextY] = ring[(index + 1) % ring.length] ?? [x, y]
      return sum + x * nextY - nextX * y
    }, 0) / 2,
  )

/** Returns a line as a relative SVG path in steps of half a unit: short, and as fine as a screen shows. */
export function toPath(points: readonly Coordinates[], isClosed: boolean): string {
  const [first, ...rest] = points
  if (!first) return ''
  let [x, y] = [half(first[0]), half(first[1])]
  let path = `M${x / 2} ${y / 2}l`
  let isEmpty = true
  for (const point of rest) {
    const [nextX, nextY] = [half(point[0]), half(point[1])]
    const [dx, dy] = [(nextX - x) / 2, (nextY - y) / 2]
    if (dx === 0 && dy === 0) continue
    path += `${isEmpty || dx < 0 ? '' : ' '}${dx}${dy < 0 ? '' : ' '}${dy}`
    ;[x, y, isEmpty] = [nextX, nextY, false]
  }
  return isEmpty ? '' : path + (isClosed ? 'z' : '')
}
