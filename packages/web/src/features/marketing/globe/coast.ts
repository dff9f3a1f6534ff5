// not money: positions on a drawing.
import { type Direction, type Place, toDirection } from '@tern/drawing/sphere'
import { onDrawing, type Point, createViewRotation, type View } from './view.ts'

export type Segment = readonly [x1: number, y1: number, x2: number, y2: number]

/** Letter encoding of land.ts and the size of one step, as in maps/land.ts. */
const firstLetter = 35
const maxSteps = 40
const stepsPerDegree = 4
const base = 2 * maxSteps + 1

/**
 * Decodes rings of land or a country as written by maps/draw.ts: a start in four letters, then steps of two letters
 * each.
 */
export function decodeLand(text: string): Direction[][] {
  if (text === '') return []
  return text.split(' ').map((ring) => {
    const values = Array.from(ring, (letter) => letter.charCodeAt(0) - firstLetter)
    const [a = 0, b = 0, c = 0, d = 0, ...steps] = values
    let [x, y] = [a * base + b - 180 * stepsPerDegree, c * base + d - 90 * stepsPerDegree]
    const directions = [toDirection([x / stepsPerDegree, y / stepsPerDegree])]
    for (let index = 0; index + 1 < steps.length; index += 2) {
      x += (steps[index] ?? 0) - maxSteps
      y += (steps[index + 1] ?? 0) - maxSteps
      directions.push(toDirection([x / stepsPerDegree, y / stepsPerDegree]))
    }
    return directions
  })
}

/** Path data of a polyline in relative steps. */
export function toPath(points: readonly Point[], digits: number): string {
  const round = (value: number) => Math.round(value * 10 ** digits) / 10 ** digits
  let [atX, atY] = [0, 0]
  let path = ''
  for (const [x, y] of points) {
    const [stepX, stepY] = [round(round(x) - atX), round(round(y) - atY)]
    if (path === '') path = `M${stepX} ${stepY}l`
    else if (stepX === 0 && stepY === 0) continue
    else path += `${stepX < 0 ? '' : ' '}${stepX}${stepY < 0 ? '' : ' '}${stepY}`
    ;[atX, atY] = [round(x), round(y)]
  }
  return path
}

/** Coast that enters view at one angle of the globe's edge and leaves it at another. */
interface Shore {
  readonly points: Point[]
  readonly enterAngle: number
  readonly exitAngle: number
}

const fullTurn = 2 * Math.PI
/** Angle from one direction clockwise to another. */
const clockwiseAngle = (from: number, to: number) => (((from - to) % fullTurn) + fullTurn) % fullTurn

/** Point on the globe's edge between a visible and a hidden direction. */
function findEdge(a: Direction, b: Direction): Direction {
  const share = a[2] / (a[2] - b[2])
  const [x, y] = [a[0] + share * (b[0] - a[0]), a[1] + share * (b[1] - a[1])]
  const length = Math.hypot(x, y)
  return [x / length, y / length, 0]
}

function listShores(view: View, ring: readonly Direction[]): Shore[] {
  const first = ring.findIndex((direction, index) => direction[2] > 0 && (ring.at(index - 1)?.[2] ?? 0) <= 0)
  const shores: Shore[] = []
  let points: Point[] = []
  let enterAngle = 0
  for (let step = 0; step < ring.length; step++) {
    const direction = ring[(first + step) % ring.length] as Direction
    const previous = ring.at(((first + step) % ring.length) - 1) as Direction
    if (direction[2] <= 0 && previous[2] <= 0) continue
    if (direction[2] > 0 && previous[2] > 0) {
      points.push(onDrawing(view, direction))
      continue
    }
    const edge = findEdge(previous, direction)
    const angle = Math.atan2(edge[1], edge[0])
    if (direction[2] > 0) {
      enterAngle = angle
      points = [onDrawing(view, edge), onDrawing(view, direction)]
    } else {
      points.push(onDrawing(view, edge))
      shores.push({ points, enterAngle, exitAngle: angle })
    }
  }
  const lastDirection = ring.at(first - 1) as Direction
  if (shores.length === 0 || lastDirection[2] > 0) shores.push({ points, enterAngle, exitAngle: enterAngle })
  return shores
}

/** Arc clockwise along the globe's edge through `angle`, to the given end point. */
function drawEdge({ radius }: View, angle: number, [x, y]: Point, digits: number): string {
  const r = radius.toFixed(digits)
  return `A${r} ${r} 0 ${angle > Math.PI ? 1 : 0} 1 ${x.toFixed(digits)} ${y.toFixed(digits)}`
}

/** Visible land as path data, and its coasts as segments for label placement. */
export function drawCoast(view: View, land: readonly Direction[][], digits = 1): { path: string; segments: Segment[] } {
  const rotate = createViewRotation(view)
  const closedRings: Point[][] = []
  const shores: Shore[] = []
  for (const ring of land) {
    const rotated = ring.map(rotate)
    const visibleCount = rotated.filter((direction) => direction[2] > 0).length
    if (visibleCount === rotated.length) closedRings.push(rotated.map((direction) => onDrawing(view, direction)))
    else if (visibleCount > 0) shores.push(...listShores(view, rotated))
  }
  let path = closedRings.map((points) => `${toPath(points, digits)}Z`).join('')
  // Land lies to the right of its coast, so the edge is followed clockwise from where a coast leaves to the next that
  // enters.
  const open = new Set(shores)
  for (const start of shores) {
    if (!open.has(start)) continue
    let at = start
    let isFirst = true
    do {
      open.delete(at)
      path += toPath(at.points, digits).replace('M', isFirst ? 'M' : 'L')
      const { exitAngle } = at
      const next = shores
        .filter((shore) => shore === start || open.has(shore))
        .reduce((best, shore) =>
          clockwiseAngle(exitAngle, shore.enterAngle) < clockwiseAngle(exitAngle, best.enterAngle) ? shore : best,
        )
      path += drawEdge(view, clockwiseAngle(exitAngle, next.enterAngle), next.points[0] as Point, digits)
      at = next
      isFirst = false
    } while (at !== start)
    path += 'Z'
  }
  const lines = [...closedRings, ...shores.map(({ points }) => points)]
  return { path, segments: lines.flatMap(toSegments) }
}

export const toSegments = (points: readonly Point[]): Segment[] =>
  points.slice(1).map(([x, y], index) => {
    const [fromX, fromY] = points[index] as Point
    return [fromX, fromY, x, y]
  })

/** Visible meridians and parallels, every 15 degrees, as path data. */
export function drawGraticule(view: View, digits = 1): string {
  const rotate = createViewRotation(view)
  let path = ''
  const drawLine = (places: readonly Place[]) => {
    let points: Point[] = []
    for (const place of [...places, undefined]) {
      const direction = place && rotate(toDirection(place))
      if (direction && direction[2] > 0) points.push(onDrawing(view, direction))
      else {
        if (points.length > 1) path += toPath(points, digits)
        points = []
      }
    }
  }
  const range = (first: number, last: number, step: number) =>
    Array.from({ length: (last - first) / step + 1 }, (_, index) => first + index * step)
  for (const longitude of range(-180, 165, 15)) drawLine(range(-75, 75, 7.5).map((latitude) => [longitude, latitude]))
  for (const latitude of range(-75, 75, 15)) drawLine(range(-180, 180, 7.5).map((longitude) => [longitude, latitude]))
  return path
}
