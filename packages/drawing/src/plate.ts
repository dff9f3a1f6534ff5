import { angleBetween, type Direction, toDirection, type Place, createRotation } from './sphere.ts'

/** Globe as seen from far above `centre`: a disc around the point `x`, `y` of the drawing. */
export interface Plate {
  readonly centre: Place
  readonly x: number
  readonly y: number
  readonly radius: number
}

export interface Point {
  readonly x: number
  readonly y: number
}

interface ProjectedPoint extends Point {
  /** False on the far side of the globe. */
  readonly visible: boolean
}

/** Returns the function that projects directions onto the drawing. */
function createProjection({ centre, x, y, radius }: Plate): (direction: Direction) => ProjectedPoint {
  const rotate = createRotation(centre)
  return (direction) => {
    const [right, up, nearness] = rotate(direction)
    return { x: x + radius * right, y: y - radius * up, visible: nearness > 0 }
  }
}

export const project = (plate: Plate, place: Place): ProjectedPoint => createProjection(plate)(toDirection(place))

/**
 * Returns the great circle between two places on the drawing, raised above the globe in proportion to its length. It
 * ends where the globe hides it.
 */
export function arcBetween(plate: Plate, from: Place, to: Place, liftShare = 0.09): Point[] {
  const [start, end] = [toDirection(from), toDirection(to)]
  const angle = angleBetween(from, to)
  if (angle < 0.005) return []
  const projectDirection = createProjection(plate)
  const steps = 64
  const points: Point[] = []
  for (let step = 0; step <= steps; step++) {
    const share = step / steps
    const [a, b] = [Math.sin((1 - share) * angle) / Math.sin(angle), Math.sin(share * angle) / Math.sin(angle)]
    const { x, y, visible } = projectDirection([
      a * start[0] + b * end[0],
      a * start[1] + b * end[1],
      a * start[2] + b * end[2],
    ])
    const height = 1 + liftShare * angle * Math.sin(Math.PI * share)
    const [dx, dy] = [(x - plate.x) * height, (y - plate.y) * height]
    if (!visible && Math.hypot(dx, dy) < plate.radius) break
    points.push({ x: plate.x + dx, y: plate.y + dy })
  }
  return points
}

/** Returns points as an SVG path of straight lines. */
export const toPath = (points: readonly Point[]): string =>
  points.map(({ x, y }, index) => `${index === 0 ? 'M' : 'L'}${x.toFixed(1)} ${y.toFixed(1)}`).join('')
