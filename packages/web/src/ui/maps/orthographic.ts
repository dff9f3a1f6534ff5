/** A place as longitude and latitude in degrees; a direction from the centre of the globe. */
export type Place = readonly [longitude: number, latitude: number]
type Direction = readonly [number, number, number]

/** Side of the square of the large drawings, whose disc has a radius of 430; see maps/drawing.ts. */
export const globeSize = 900

/** Drawing of the globe as seen from far above `centre`: a disc around a point of the drawing. */
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

const radians = (degrees: number): number => (degrees * Math.PI) / 180

function directionOf([longitude, latitude]: Place): Direction {
  const [lambda, phi] = [radians(longitude), radians(latitude)]
  return [Math.cos(phi) * Math.cos(lambda), Math.cos(phi) * Math.sin(lambda), Math.sin(phi)]
}

const dot = (a: Direction, b: Direction): number => a[0] * b[0] + a[1] * b[1] + a[2] * b[2]

/** Angle between two places as seen from the centre of the earth, in radians. */
export const distanceBetween = (a: Place, b: Place): number =>
  Math.acos(Math.min(1, Math.max(-1, dot(directionOf(a), directionOf(b)))))

interface Projected extends Point {
  /** False on the far side. */
  readonly visible: boolean
}

/** Returns the projection of directions onto the drawing. */
function seenOn({ centre, x, y, radius }: Plate): (direction: Direction) => Projected {
  const [lambda, phi] = [radians(centre[0]), radians(centre[1])]
  const east: Direction = [-Math.sin(lambda), Math.cos(lambda), 0]
  const north: Direction = [-Math.sin(phi) * Math.cos(lambda), -Math.sin(phi) * Math.sin(lambda), Math.cos(phi)]
  const towards = directionOf(centre)
  return (direction) => ({
    x: x + radius * dot(direction, east),
    y: y - radius * dot(direction, north),
    visible: dot(direction, towards) > 0,
  })
}

export const project = (plate: Plate, place: Place): Projected => seenOn(plate)(directionOf(place))

/** Great circle between two places on the drawing, lifted by a part of its length; cut off where the globe hides it. */
export function arcBetween(plate: Plate, from: Place, to: Place, lift = 0.09): Point[] {
  const [start, end] = [directionOf(from), directionOf(to)]
  const angle = distanceBetween(from, to)
  if (angle < 0.005) return []
  const see = seenOn(plate)
  const steps = 64
  const points: Point[] = []
  for (let step = 0; step <= steps; step++) {
    const way = step / steps
    const [a, b] = [Math.sin((1 - way) * angle) / Math.sin(angle), Math.sin(way * angle) / Math.sin(angle)]
    const { x, y, visible } = see([a * start[0] + b * end[0], a * start[1] + b * end[1], a * start[2] + b * end[2]])
    const height = 1 + lift * angle * Math.sin(Math.PI * way)
    const [dx, dy] = [(x - plate.x) * height, (y - plate.y) * height]
    if (!visible && Math.hypot(dx, dy) < plate.radius) break
    points.push({ x: plate.x + dx, y: plate.y + dy })
  }
  return points
}

/** Points as an SVG path of straight lines. */
export const pathOf = (points: readonly Point[]): string =>
  points.map(({ x, y }, index) => `${index === 0 ? 'M' : 'L'}${x.toFixed(1)} ${y.toFixed(1)}`).join('')
