// Places on the sphere, and the sphere as seen from far above one of them.

export type Place = readonly [longitude: number, latitude: number]

/** Unit vector from the centre of the earth. */
export type Direction = readonly [x: number, y: number, z: number]

export const radians = (degrees: number): number => (degrees * Math.PI) / 180
export const degrees = (angle: number): number => (angle * 180) / Math.PI

export function directionOf([longitude, latitude]: Place): Direction {
  const lambda = radians(longitude)
  const phi = radians(latitude)
  return [Math.cos(phi) * Math.cos(lambda), Math.cos(phi) * Math.sin(lambda), Math.sin(phi)]
}

export const placeOf = ([x, y, z]: Direction): Place => [
  degrees(Math.atan2(y, x)),
  degrees(Math.atan2(z, Math.hypot(x, y))),
]

export const dot = (a: Direction, b: Direction): number => a[0] * b[0] + a[1] * b[1] + a[2] * b[2]

/** Returns the central angle between two places, in radians. */
export const angleBetween = (a: Place, b: Place): number =>
  Math.acos(Math.min(1, Math.max(-1, dot(directionOf(a), directionOf(b)))))

/** Returns the place at fraction `part` of the great circle; undefined between antipodes, which have many. */
export function alongGreatCircle(from: Place, to: Place, part: number): Place | undefined {
  const angle = angleBetween(from, to)
  if (angle < 1e-7) return from
  if (Math.PI - angle < 1e-6) return undefined
  const a = Math.sin((1 - part) * angle) / Math.sin(angle)
  const b = Math.sin(part * angle) / Math.sin(angle)
  const start = directionOf(from)
  const end = directionOf(to)
  return placeOf([a * start[0] + b * end[0], a * start[1] + b * end[1], a * start[2] + b * end[2]])
}

/**
 * Returns the rotation that turns directions towards a viewer above `centre`: right, up, and towards the viewer, where
 * a positive last part means visible.
 */
export function turnTo([longitude, latitude]: Place): (direction: Direction) => Direction {
  const lambda = radians(longitude)
  const phi = radians(latitude)
  const [sinX, cosX, sinY, cosY] = [Math.sin(lambda), Math.cos(lambda), Math.sin(phi), Math.cos(phi)]
  return ([x, y, z]) => {
    const forth = cosX * x + sinX * y
    return [cosX * y - sinX * x, cosY * z - sinY * forth, sinY * z + cosY * forth]
  }
}
