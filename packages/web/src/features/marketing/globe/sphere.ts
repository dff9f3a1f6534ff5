// not money: angles and positions on a drawing.
export type Place = readonly [longitude: number, latitude: number]
/** Unit vector from the center of the earth. */
export type Direction = readonly [number, number, number]

const radian = Math.PI / 180

export function directionOf([longitude, latitude]: Place): Direction {
  const across = Math.cos(latitude * radian)
  return [across * Math.cos(longitude * radian), across * Math.sin(longitude * radian), Math.sin(latitude * radian)]
}

const placeOf = ([x, y, z]: Direction): Place => [Math.atan2(y, x) / radian, Math.asin(z) / radian]

/** Angle between two places at the center of the earth, in radians. */
function angleBetween(from: Place, to: Place): number {
  const [a, b] = [directionOf(from), directionOf(to)]
  return Math.acos(Math.max(-1, Math.min(1, a[0] * b[0] + a[1] * b[1] + a[2] * b[2])))
}

/** Point on the great circle; `way` runs from 0 at the start to 1 at the end. */
export function alongWay(from: Place, to: Place, way: number): Place {
  const angle = angleBetween(from, to)
  if (angle < 1e-6) return from
  const [a, b] = [directionOf(from), directionOf(to)]
  const [k, m] = [Math.sin((1 - way) * angle) / Math.sin(angle), Math.sin(way * angle) / Math.sin(angle)]
  return placeOf([k * a[0] + m * b[0], k * a[1] + m * b[1], k * a[2] + m * b[2]])
}

/** View of a globe: the place it is seen from, and its circle on the drawing. */
export interface View {
  readonly longitude: number
  readonly latitude: number
  readonly x: number
  readonly y: number
  readonly radius: number
}

/** Rotates directions so that the third component points to the viewer; positive means visible. */
export function turnedTo({ longitude, latitude }: View): (direction: Direction) => Direction {
  const [sinX, cosX] = [Math.sin(longitude * radian), Math.cos(longitude * radian)]
  const [sinY, cosY] = [Math.sin(latitude * radian), Math.cos(latitude * radian)]
  return ([x, y, z]) => {
    const forth = cosX * x + sinX * y
    return [cosX * y - sinX * x, cosY * z - sinY * forth, sinY * z + cosY * forth]
  }
}

export type Point = readonly [x: number, y: number]

export const onDrawing = ({ x, y, radius }: View, direction: Direction): Point => [
  x + radius * direction[0],
  y - radius * direction[1],
]

/** Position of a place on the drawing; undefined on the far side. */
export function pointOf(view: View, place: Place): Point | undefined {
  const direction = turnedTo(view)(directionOf(place))
  return direction[2] > 0 ? onDrawing(view, direction) : undefined
}

/** Great circle between two places, lifted by a share of its length and cut off where it passes behind the globe. */
export function arcPoints(view: View, from: Place, to: Place, lift = 0.14): Point[] {
  const steps = 36
  const turn = turnedTo(view)
  const height = lift * angleBetween(from, to)
  const points: Point[] = []
  if (height === 0) return points
  for (let step = 0; step <= steps; step++) {
    const [x, y, z] = turn(directionOf(alongWay(from, to, step / steps)))
    if (z < -0.02 && points.length > 0) break
    if (z < -0.02) continue
    const high = 1 + height * Math.sin((Math.PI * step) / steps)
    points.push(onDrawing(view, [x * high, y * high, z]))
  }
  return points
}
